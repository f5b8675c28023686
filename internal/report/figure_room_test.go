package report

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// textCanvas keeps the texts of a drawing and forgets the rest.
type textCanvas []canvas.Text

func (*textCanvas) Fill([]canvas.Point, color.NRGBA)         {}
func (*textCanvas) Stroke([]canvas.Point, bool, canvas.Line) {}
func (c *textCanvas) Write(t canvas.Text)                    { *c = append(*c, t) }

// lineCanvas keeps the lines of a drawing and forgets the rest.
type lineCanvas [][]canvas.Point

func (*lineCanvas) Fill([]canvas.Point, color.NRGBA)                    {}
func (c *lineCanvas) Stroke(line []canvas.Point, _ bool, _ canvas.Line) { *c = append(*c, line) }
func (*lineCanvas) Write(canvas.Text)                                   {}

// textBox is the rectangle that digits and capital letters of a text cover.
func textBox(t canvas.Text) box {
	width := canvas.Width(t.Text, t.Size)
	before := [...]float64{canvas.Start: 0, canvas.Middle: width / 2, canvas.End: width}[t.Align]
	if t.Upward {
		return box{t.At.X - 2*lineHalf*t.Size, t.At.Y - before, 2 * lineHalf * t.Size, width}
	}
	return box{t.At.X - before, t.At.Y, width, 2 * lineHalf * t.Size}
}

// longLabels has labels and values that take much room.
func longLabels() figure.Figure {
	f := manyCurves()
	f.Panels = append(f.Panels, f.Panels[0], f.Panels[0])
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Title, p.X.Label, p.Y.Label = strings.Repeat("title ", 40), strings.Repeat("over ", 40), strings.Repeat("what ", 40)
	}
	for _, v := range []float64{-123456, 1234567} {
		s := &f.Panels[2].Series[0]
		s.Points = append(slices.Clone(s.Points), figure.Value(1, v))
	}
	f.Panels[2].Y.Log = false
	return f
}

// TestTextsHaveRoom wants every text of a picture inside it, and no two over each other.
func TestTextsHaveRoom(t *testing.T) {
	drawings := map[string]func(*textCanvas) (width, height float64){
		"costs": func(c *textCanvas) (float64, float64) { costPlot(40).draw(c); return costWidth, costHeight },
		"costs that are tiny": func(c *textCanvas) (float64, float64) {
			CostPlot{Counted: "times", Costs: []CostPoint{{1e15, 1e-300, 1e-300, 1.1e-300}}}.draw(c)
			return costWidth, costHeight
		},
	}
	for i, f := range append(exampleFigures(), longLabels()) {
		drawings[fmt.Sprint("figure ", i)] = func(c *textCanvas) (float64, float64) {
			p, err := newPicture(f)
			if err != nil {
				t.Fatal(err)
			}
			p.draw(c)
			return p.width, p.height
		}
	}
	for name, draw := range drawings {
		var texts textCanvas
		width, height := draw(&texts)
		for i, text := range texts {
			b := textBox(text)
			if b.left < 0 || b.low < 0 || b.left+b.width > width || b.low+b.high > height {
				t.Errorf("%s: got %q at %.1f, want it within %v by %v", name, text.Text, b, width, height)
			}
			for _, other := range texts[:i] {
				o := textBox(other)
				if b.left < o.left+o.width && o.left < b.left+b.width && b.low < o.low+o.high && o.low < b.low+b.high {
					t.Errorf("%s: got %q at %.1f over %q at %.1f", name, text.Text, b, other.Text, o)
				}
			}
		}
	}
}

// TestAxesKeepWithin wants all texts of a panel within its rectangle, the first and the last label of each axis too, and the
// curves between the labels.
func TestAxesKeepWithin(t *testing.T) {
	outer := box{30, 20, 200, 150}
	for _, texts := range []string{"", "a title"} {
		a := newCostAxes(texts, texts, texts, 100000, 2)
		var c textCanvas
		f := a.draw(&c, outer)
		for _, text := range append(c, canvas.Text{At: canvas.Point{X: f.left, Y: f.low}}, canvas.Text{At: canvas.Point{X: f.left + f.width, Y: f.low + f.high}}) {
			b := textBox(text)
			if b.left < 30-1e-9 || b.low < 20-1e-9 || b.left+b.width > 230+1e-9 || b.low+b.high > 170+1e-9 {
				t.Errorf("title %q: got %q at %.1f, want it within %v", texts, text.Text, b, outer)
			}
		}
		if f.width < 100 || f.high < 90 {
			t.Errorf("title %q: got %.1f by %.1f for the curves, want most of the room", texts, f.width, f.high)
		}
	}
}

// TestIntervalBars wants a bar with two caps for each interval and nothing for a value without one.
func TestIntervalBars(t *testing.T) {
	var c lineCanvas
	f := frame{&c, box{0, 0, 100, 200}, scale{High: 10}, scale{High: 10}}
	f.drawCurve(drawnSeries{look: look{}, Intervals: true, Points: []figure.Point{{X: 5, Y: 4, Low: 3, High: 6}, figure.Value(8, 8)}})
	want := [][]canvas.Point{{{X: 50, Y: 60}, {X: 50, Y: 120}}, {{X: 48, Y: 60}, {X: 52, Y: 60}}, {{X: 48, Y: 120}, {X: 52, Y: 120}}}
	if fmt.Sprint([][]canvas.Point(c)) != fmt.Sprint(want) {
		t.Errorf("got lines %v, want %v", c, want)
	}
}
