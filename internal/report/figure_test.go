package report

import (
	"bytes"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/figure"
)

// exampleFigures stand for what sweeps and reproductions draw. The numbers are made up.
func exampleFigures() []figure.Figure {
	return []figure.Figure{accuracyFigure(), manyCurves()}
}

// smallFigure has everything that a figure can have, and few points.
func smallFigure() figure.Figure {
	f := accuracyFigure()
	for i := range f.Panels {
		for k := range f.Panels[i].Series {
			s := &f.Panels[i].Series[k]
			s.Points = s.Points[:2]
		}
	}
	return f
}

// accuracyFigure has two panels, a logarithmic axis, bands, published values, a bound and a mark.
func accuracyFigure() figure.Figure {
	var with, clip, published []figure.Point
	for i, e := range []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1} {
		y := 97 - 45/(1+30*e)
		with = append(with, figure.Point{X: e, Y: y, Low: y - 6/(1+float64(i)), High: y + 3/(1+float64(i))})
		clip = append(clip, figure.Point{X: e, Y: y - 8, Low: y - 11, High: y - 6})
		if i%2 == 0 {
			published = append(published, figure.Value(e, y-2))
		}
	}
	var steps, bound []figure.Point
	for i := 1; i <= 100; i++ {
		steps = append(steps, figure.Value(float64(i), 0.1*math.Sqrt(float64(i))))
		bound = append(bound, figure.Value(float64(i), 0.14*math.Sqrt(float64(i))))
	}
	return figure.Figure{Name: "accuracy-over-epsilon", Title: "Noisy gradient descent on the book's data", Command: "dither reproduce book",
		Panels: []figure.Panel{
			{Title: "Accuracy over ε", X: figure.Axis{Label: "ε (nats), at δ = 1e-5", Log: true}, Y: figure.Axis{Label: "accuracy, percent"},
				Series: []figure.Series{{Name: "example clipping", Points: with}, {Name: "gradient clipping", Points: clip},
					{Name: "example clipping", Points: published, Published: true, Scattered: true},
					{Name: "no privacy", Points: []figure.Point{figure.Value(0.001, 97), figure.Value(1, 97)}, Dashed: true}},
				Marks: []figure.Mark{{X: 0.1, Y: 97 - 45.0/4, Text: "chosen: ε = 0.1"}}},
			{Title: "ε over steps", X: figure.Axis{Label: "steps"}, Y: figure.Axis{Label: "ε (nats)"},
				Series: []figure.Series{{Name: "spent", Points: steps}, {Name: "by basic composition", Points: bound, Dashed: true}},
				Marks:  []figure.Mark{{X: 100, Y: 1, Text: "the plan ends"}}},
		}}
}

// manyCurves has more curves than there are colors, and both axes logarithmic.
func manyCurves() figure.Figure {
	f := figure.Figure{Name: "many", Title: "Excess loss over noise for every clipping norm of the plan", Panels: []figure.Panel{{
		X: figure.Axis{Label: "noise multiplier", Log: true}, Y: figure.Axis{Label: "excess loss", Log: true}}}}
	for k := range 10 {
		s := figure.Series{Name: "C = " + plain(float64(k+1)/10)}
		for i := range 12 {
			x := math.Pow(10, float64(i)/4)
			y := 1e-4 * float64(k+2) * (1 + x*x/float64(50*(k+1)))
			s.Points = append(s.Points, figure.Point{X: x, Y: y, Low: y * 0.8, High: y * 1.3})
		}
		f.Panels[0].Series = append(f.Panels[0].Series, s)
	}
	return f
}

func figureSVG(t *testing.T, f figure.Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFigureSaysWhatItShows(t *testing.T) {
	svg := figureSVG(t, accuracyFigure())
	texts, _ := svgTexts(t, svg)
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"Noisy gradient descent on the book's data", "Accuracy over ε", "ε (nats), at δ = 1e-5", "accuracy, percent", "0.001", "0.1",
		"example clipping", "example clipping (published)", "no privacy", "chosen: ε = 0.1", "the plan ends", intervalWords,
		"no privacy: 97 at 0.001, 97 at 1.", "Marked: the plan ends, 1 at 100.",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("got texts %q, want %q among them", texts, want)
		}
	}
	if n := strings.Count(all, "\nexample clipping\n"); n != 1 {
		t.Errorf("got the name of a curve %d times in the legend, want once", n)
	}
	for _, part := range []string{"NaN", "Inf", "<image", "<script", "font-family:Liberation Sans;"} {
		if strings.Contains(svg, part) {
			t.Errorf("got %q in the picture, want none", part)
		}
	}
	if svg != figureSVG(t, accuracyFigure()) {
		t.Error("two pictures of the same figure differ")
	}
	if !strings.Contains(svg, "stroke-dasharray") || !strings.Contains(svg, `fill="#0072b2" fill-opacity="0.18"`) {
		t.Error("got no dashes or no translucent band, want both")
	}
}

// TestFigureScale recovers the values of a curve from the path that was drawn, with its abscissa
// logarithmic and its ordinate even.
func TestFigureScale(t *testing.T) {
	f := accuracyFigure()
	f.Panels = f.Panels[:1]
	f.Panels[0].Series = f.Panels[0].Series[:1]
	want := f.Panels[0].Series[0].Points
	_, paths := svgTexts(t, figureSVG(t, f))
	for _, path := range paths {
		points := pathPoints(path)
		if len(points) != len(want) {
			continue
		}
		first, last := points[0], points[len(points)-1]
		for i, at := range points {
			x, y := (at[0]-first[0])/(last[0]-first[0]), (at[1]-first[1])/(last[1]-first[1])
			wantX := math.Log(want[i].X/want[0].X) / math.Log(want[6].X/want[0].X)
			wantY := (want[i].Y - want[0].Y) / (want[6].Y - want[0].Y)
			if math.Abs(x-wantX) > 2e-3 || math.Abs(y-wantY) > 2e-3 {
				t.Errorf("point %d is at %.4f, %.4f of the curve, want %.4f, %.4f", i, x, y, wantX, wantY)
			}
		}
		return
	}
	t.Errorf("got %d paths, none with the %d points of the curve", len(paths), len(want))
}

func TestFigureOddNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, points := range map[string][]figure.Point{
		"none":           nil,
		"no numbers":     {{X: nan, Y: 1}, {X: 1, Y: nan}, {X: 1, Y: 1, Low: nan, High: 1}, {X: 1, Y: inf, Low: 1, High: inf}},
		"one":            {figure.Value(3, 4)},
		"one with width": {{X: 3, Y: 4, Low: 2, High: 9}},
		"zero":           {figure.Value(0, 0)},
		"equal":          {figure.Value(1, 5), figure.Value(2, 5)},
		"close":          {figure.Value(1e9, 1e15), figure.Value(1e9+1e-6, 1e15+1)},
		"tiny":           {figure.Value(1e-299, 1e-300), figure.Value(2e-299, 2e-300)},
		"huge":           {figure.Value(1e300, -1e300), figure.Value(-1e300, 1e300)},
		"negative":       {figure.Value(-3, -4), figure.Value(-1, -2)},
		"wild interval":  {{X: 1, Y: 1, Low: -1e300, High: 1e300}, {X: 2, Y: 2, Low: 2, High: 2}},
	} {
		for _, log := range []bool{false, true} {
			f := figure.Figure{Title: "odd", Panels: []figure.Panel{{X: figure.Axis{Label: "x", Log: log}, Y: figure.Axis{Label: "y", Log: log},
				Series: []figure.Series{{Name: "curve", Points: points}}, Marks: []figure.Mark{{X: nan, Y: 1, Text: "no place"}}}}}
			if svg := figureSVG(t, f); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, "no place") {
				t.Errorf("%s, logarithmic %v: got NaN, Inf or a mark without a place in the picture", name, log)
			}
		}
	}
	if err := WriteSVG(io.Discard, figure.Figure{Name: "empty"}); err == nil {
		t.Error("got a picture of no panel, want an error")
	}
	if err := WritePNG(io.Discard, figure.Figure{Name: "empty"}); err == nil {
		t.Error("got an image of no panel, want an error")
	}
}

// TestFigureNames puts each hostile text into every string of a figure: the picture must stay the same
// tags, and its texts must be safe to look at.
func TestFigureNames(t *testing.T) {
	texts, _ := svgTexts(t, figureSVG(t, namedFigure("x")))
	for _, payload := range payloads {
		svg := figureSVG(t, namedFigure(payload))
		got, _ := svgTexts(t, svg)
		if len(got) != len(texts) {
			t.Errorf("payload %.60q: got %d texts, want %d", payload, len(got), len(texts))
		}
		checkPrintable(t, payload, strings.ReplaceAll(svg, "\t", " "))
		if strings.Contains(svg, "<script") || strings.Contains(svg, "<a ") || strings.Contains(svg, "<img") {
			t.Errorf("payload %.60q: got a tag of its own in the picture", payload)
		}
	}
}

// namedFigure has one text in every place.
func namedFigure(s string) figure.Figure {
	f := accuracyFigure()
	f.Name, f.Title, f.Command = s, s, s
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Title, p.X.Label, p.Y.Label = s, s, s
		for k := range p.Series {
			p.Series[k].Name = s
		}
		for k := range p.Marks {
			p.Marks[k].Text = s
		}
	}
	return f
}

// TestFigureImage decodes the image, and wants its size and the color of every curve in it.
func TestFigureImage(t *testing.T) {
	var b bytes.Buffer
	if err := WritePNG(&b, accuracyFigure()); err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := image.Bounds().Dx(), int((2*figureNarrow+2*figureMargin)/72*pngDots); got != want {
		t.Errorf("got %d dots across, want %d", got, want)
	}
	count := map[color.RGBA]int{}
	for x := range image.Bounds().Dx() {
		for y := range image.Bounds().Dy() {
			r, g, b, a := image.At(x, y).RGBA()
			count[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}]++
		}
	}
	for i := range 5 {
		ink := look{Color: i}.ink()
		if got := count[color.RGBA(ink)]; got < 50 {
			t.Errorf("got %d dots of color %d, want at least 50", got, i)
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, ""}, {[]float64{5, 5}, "▅▅"}, {[]float64{0, 1, 2, 3, 4, 5, 6, 7}, "▁▂▃▄▅▆▇█"}, {[]float64{7, 0}, "█▁"},
		{[]float64{1, math.NaN(), 2, math.Inf(1)}, "▁ █ "}, {[]float64{-1e300, 1e300, 0}, "▁█▅"},
	} {
		if got := Sparkline(c.values); got != c.want {
			t.Errorf("%v: got %q, want %q", c.values, got, c.want)
		}
	}
}
