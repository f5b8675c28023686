package canvas

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

var (
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	blue  = color.NRGBA{B: 0xff, A: 0xff}
)

// whitePaper is an image of dots of one point each.
func whitePaper(width, height float64) *Image {
	m := NewImage(width, height, 72)
	m.Fill(Rectangle(0, 0, width, height), white)
	return m
}

// ink is how much of the area of an image is dark, in dots: a dot of half the light counts half.
func ink(m *Image) float64 {
	sum := 0.0
	for i := 0; i < len(m.dots.Pix); i += 4 {
		sum += 1 - float64(m.dots.Pix[i])/0xff // red is absent from all that is drawn here
	}
	return sum
}

// TestImageArea compares the ink of drawings with their areas, and says where the ink must be.
func TestImageArea(t *testing.T) {
	style := Line{Color: blue, Width: 4}
	dashed := Line{Color: blue, Width: 4, Dashes: []float64{6, 4}}
	for _, c := range []struct {
		name        string
		draw        func(Canvas)
		area        float64
		dark, light [2]int // dots, counted from the upper left
	}{
		{"rectangle", func(c Canvas) { c.Fill(Rectangle(10, 20, 40.5, 30), blue) }, 305, [2]int{12, 72}, [2]int{12, 25}},
		{"triangle", func(c Canvas) { c.Fill([]Point{{0, 0}, {60, 0}, {0, 30}}, blue) }, 900, [2]int{1, 98}, [2]int{59, 80}},
		{"translucent", func(c Canvas) { c.Fill(Rectangle(10, 20, 40, 30), color.NRGBA{B: 0xff, A: 0x80}) }, 300 * 128.0 / 255, [2]int{12, 72}, [2]int{12, 25}},
		{"outside", func(c Canvas) { c.Fill(Rectangle(-30, -30, 10, 10), blue) }, 100, [2]int{0, 99}, [2]int{11, 99}},
		{"far outside", func(c Canvas) { c.Fill(Rectangle(200, 200, 300, 300), blue) }, 0, [2]int{-1, 0}, [2]int{99, 0}},
		{"across", func(c Canvas) { c.Stroke([]Point{{10, 50}, {90, 50}}, false, style) }, 320, [2]int{50, 50}, [2]int{5, 50}},
		{"aslant", func(c Canvas) { c.Stroke([]Point{{10, 10}, {70, 90}}, false, style) }, 400, [2]int{40, 50}, [2]int{60, 50}},
		{"dashes", func(c Canvas) { c.Stroke([]Point{{10, 50}, {90, 50}}, false, dashed) }, 8 * 6 * 4, [2]int{11, 50}, [2]int{18, 50}},
		{"dashes around a corner", func(c Canvas) { c.Stroke([]Point{{10, 10}, {10, 38}, {60, 38}}, false, dashed) }, (3*6 + 6 + 4*6) * 4, [2]int{10, 75}, [2]int{10, 82}},
		{"points that are equal", func(c Canvas) { c.Stroke([]Point{{10, 50}, {10, 50}, {50, 50}, {90, 50}, {90, 50}}, false, style) }, 320, [2]int{50, 50}, [2]int{5, 50}},
		{"a single point", func(c Canvas) { c.Stroke([]Point{{10, 50}}, false, style) }, 0, [2]int{-1, 0}, [2]int{10, 50}},
		// A square of 40 by 40: four sides less what they share inside, and four round corners.
		{"closed", func(c Canvas) { c.Stroke(Rectangle(20, 20, 60, 60), true, style) }, 4*160 - 4*4 + 4*math.Pi, [2]int{20, 60}, [2]int{40, 60}},
		{"turning the other way", func(c Canvas) { c.Stroke([]Point{{20, 20}, {20, 60}, {60, 60}, {60, 20}}, true, style) }, 4*160 - 4*4 + 4*math.Pi, [2]int{20, 60}, [2]int{40, 60}},
	} {
		m := whitePaper(100, 100)
		c.draw(m)
		if got := ink(m); math.Abs(got-c.area) > 3 {
			t.Errorf("%s: got %.2f dots of ink, want %.2f", c.name, got, c.area)
		}
		if c.dark[0] >= 0 && m.dots.RGBAAt(c.dark[0], c.dark[1]).R > 0x80 {
			t.Errorf("%s: got no ink at %v, want some", c.name, c.dark)
		}
		if m.dots.RGBAAt(c.light[0], c.light[1]).R != 0xff {
			t.Errorf("%s: got ink at %v, want none", c.name, c.light)
		}
	}
}

// TestSmoothCurve wants as much ink for a circle of many short lines as for its area: corners that overlap their lines would
// make its edges hard.
func TestSmoothCurve(t *testing.T) {
	for _, pieces := range []int{24, 400, 4000} {
		var points []Point
		for i := range pieces {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(pieces))
			points = append(points, Point{50 + 40*cos, 50 + 40*sin})
		}
		m := whitePaper(100, 100)
		m.Stroke(points, true, Line{Color: blue, Width: 3})
		want := 2 * math.Pi * 40 * 3
		if got := ink(m); math.Abs(got-want) > 0.02*want {
			t.Errorf("%d pieces: got %.1f dots of ink, want about %.1f", pieces, got, want)
		}
	}
}

// bounds is the smallest rectangle that holds all ink: its left, top, right and bottom.
func bounds(m *Image) [4]int {
	b := [4]int{1 << 30, 1 << 30, -1, -1}
	for y := range m.dots.Bounds().Dy() {
		for x := range m.dots.Bounds().Dx() {
			if m.dots.RGBAAt(x, y).R < 0x80 {
				b = [4]int{min(b[0], x), min(b[1], y), max(b[2], x+1), max(b[3], y+1)}
			}
		}
	}
	return b
}

// TestImageText wants a text to begin, lie in the middle or end at its place, to stand on its line and to fill its width, across
// and upward.
func TestImageText(t *testing.T) {
	const text, size = "HELIH", 20.0 // letters that reach from the line to one height and almost fill their width
	width := Width(text, size)
	for align, from := range map[Align]float64{Start: 0, Middle: -width / 2, End: -width} {
		for _, upward := range []bool{false, true} {
			m := whitePaper(200, 200)
			m.Write(Text{At: Point{100, 100}, Align: align, Size: size, Upward: upward, Text: text})
			got, high := bounds(m), 0.688*size
			want := [4]float64{100 + from, 100 - high, 100 + from + width, 100}
			if upward {
				want = [4]float64{100 - high, 100 - from - width, 100, 100 - from}
			}
			for i := range want {
				if math.Abs(float64(got[i])-want[i]) > 0.12*size {
					t.Errorf("align %v, upward %v: got ink in %v, want about %.1f", align, upward, got, want)
					break
				}
			}
		}
	}
}

// TestWidth compares widths with those that the makers of Arial and Helvetica publish, in thousandths of the size of the font.
func TestWidth(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 556, " ": 278, "W": 944, "0.001": 4*556 + 278, "AV": 667 + 667 - 74, "iii": 666} {
		if got := Width(text, 1000); math.Abs(got-want) > 1.5 {
			t.Errorf("got width %.1f of %q, want %.0f", got, text, want)
		}
	}
	if got, want := Width("dither", 8.5), 8.5/1000*Width("dither", 1000); math.Abs(got-want) > 1e-9 {
		t.Errorf("got width %v, want %v: widths grow as sizes", got, want)
	}
	if Width("\U0001f600", 10) <= 0 {
		t.Error("got no room for a letter that the font lacks, want a box")
	}
}

// TestSVG reads a file back: its texts as they were given, and its shapes with Y downward.
func TestSVG(t *testing.T) {
	const odd = "<a> & \"b\" ε\x00"
	s := NewSVG(200, 100)
	s.Fill(Rectangle(10, 20, 30, 40), color.NRGBA{R: 0x12, G: 0xab, A: 0x80})
	s.Stroke([]Point{{0, 0}, {1.0 / 3, 99.9999}}, true, Line{Color: blue, Width: 1.5, Dashes: []float64{4, 2.5}})
	s.Write(Text{At: Point{50, 60}, Align: End, Size: 8.5, Upward: true, Text: odd})
	file := s.File(odd, "d<")
	for _, want := range []string{
		`width="200pt" height="100pt" viewBox="0 0 200 100"`,
		`<path d="M10,80L30,80L30,60L10,60Z" fill="#12ab00" fill-opacity="0.502"/>`,
		`<path d="M0,100L0.333,0Z" fill="none" stroke="#0000ff" stroke-width="1.5" stroke-dasharray="4,2.5"/>`,
		`x="50" y="40" font-size="8.5px" text-anchor="end" transform="rotate(-90 50 40)"`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("got %s, want %s in it", file, want)
		}
	}
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(file)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("got no XML: %v", err)
		}
		if data, is := token.(xml.CharData); is && strings.TrimSpace(string(data)) != "" {
			texts = append(texts, string(data))
		}
	}
	readable := strings.ReplaceAll(odd, "\x00", "\ufffd")
	if len(texts) != 3 || texts[0] != readable || texts[1] != "d<" || texts[2] != readable {
		t.Errorf("got texts %q, want %q, %q and the first again", texts, readable, "d<")
	}
}

func TestWritePNG(t *testing.T) {
	m := NewImage(36, 18.1, 144)
	m.Fill(Rectangle(0, 0, 36, 18.1), blue)
	var b bytes.Buffer
	if err := m.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size.X != 72 || size.Y != 37 {
		t.Errorf("got %v dots, want 72 by 37", size)
	}
	if _, _, blueness, _ := got.At(40, 20).RGBA(); blueness != 0xffff {
		t.Errorf("got %v, want blue", got.At(40, 20))
	}
}

// TestEscaped compares with the standard library, byte for byte, and reads the text back.
func TestEscaped(t *testing.T) {
	everything := ""
	for r := rune(0); r < 0x3000; r++ {
		everything += string(r)
	}
	for _, text := range []string{"", "a", "<b>&'\"\t\n\r", "\x00\x1f\x7f", "\xff\xed\xa0\x80", "\ufffd\ufffe\uffff\U00010000\U0010ffff", "]]>", everything} {
		var want strings.Builder
		if err := xml.EscapeText(&want, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := escaped(text); got != want.String() {
			t.Errorf("%q: got %q, want %q", text, got, want.String())
		}
	}
}
