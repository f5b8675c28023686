package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/figure"
)

// Limits of the shapes that a page shows.
const (
	maxShapes     = 12  // with a figure or bars
	maxStates     = 12  // bars of one shape; the others are in its table
	maxShapeTable = 200 // rows of the table of further shapes
)

// Shape is what a column, or a pair of columns, does to a score, relative to the mean over its
// declared states.
type Shape struct {
	Name string
	// Unit is the unit of a number, if it is declared.
	Unit string
	// Score names the score, if the model has several.
	Score string
	// Knots are values of the number at equal distances on its axis, or nil for an even axis.
	Knots []float64
	// Points are over the values of a number, with intervals. Two points with one height are the ends
	// of a bin.
	Points []figure.Point
	// States are levels, cells of a pair, missing cells and unknown levels.
	States []Coefficient
}

// Evidence returns the largest distance from 0 by which an interval of the shape lies on one side.
// It is negative if all intervals contain 0.
func (s Shape) Evidence() float64 {
	most := math.Inf(-1)
	for _, p := range s.Points {
		most = max(most, math.Abs(p.Y)-(p.High-p.Low)/2)
	}
	for _, c := range s.States {
		most = max(most, math.Abs(c.Value)-c.Half)
	}
	return most
}

// axis names the column and its unit.
func (s Shape) axis() string {
	if s.Unit == "" {
		return s.Name
	}
	return s.Name + " (" + s.Unit + ")"
}

// title names the shape.
func (s Shape) title() string {
	if s.Score == "" {
		return s.axis()
	}
	return s.axis() + ", score of " + s.Score
}

// shapeView is a shape as the template shows it.
type shapeView struct {
	Title string
	Chart *chartFigure
	Plot  *scorePlot
}

// newShapes lays out the first shapes. The rest is a table of the least and the largest value.
func newShapes(shapes []Shape, number *int) (views []shapeView, rest *Table) {
	for _, s := range shapes[:min(len(shapes), maxShapes)] {
		view := shapeView{Title: shorten(s.title(), maxLabelRunes)}
		if len(s.Points) > 0 {
			*number++
			c := newChartFigure(figure.Figure{Name: "shape", Title: view.Title, Panels: []figure.Panel{{X: figure.Axis{Label: s.axis(), Knots: s.Knots}, Y: figure.Axis{Label: "change of the score"},
				Series: []figure.Series{{Name: s.Name, Points: s.Points}}}}}, *number)
			c.Hint, c.Legend = false, nil
			view.Chart = &c
		}
		if len(s.States) > 0 {
			ordered := slices.Clone(s.States)
			if len(ordered) > maxStates {
				slices.SortStableFunc(ordered, func(a, b Coefficient) int {
					return cmp.Compare(math.Abs(b.Value)-b.Half, math.Abs(a.Value)-a.Half)
				})
			}
			bars := ordered[:min(len(ordered), maxStates)]
			largest := largestWeight(bars)
			view.Plot = &scorePlot{}
			for i, c := range ordered {
				c.Score = ""
				switch {
				case i < len(bars):
					view.Plot.Bars = append(view.Plot.Bars, newBar(c, largest))
				case i < len(bars)+maxListedAfter:
					view.Plot.Others = append(view.Plot.Others, newBar(c, largest))
				default:
					view.Plot.Left++
				}
			}
		}
		views = append(views, view)
	}
	if len(shapes) > maxShapes {
		rest = &Table{Title: "Further shapes", Folded: true, Columns: []string{"column", "least", "largest"}}
		for _, s := range shapes[maxShapes:min(len(shapes), maxShapes+maxShapeTable)] {
			low, high := s.ends()
			rest.Rows = append(rest.Rows, []string{s.title(), low, high})
		}
	}
	return views, rest
}

// ends returns the least and the largest value of a shape, with half the lengths of their intervals.
func (s Shape) ends() (low, high string) {
	all := slices.Clone(s.States)
	for _, p := range s.Points {
		all = append(all, Coefficient{Value: p.Y, Half: (p.High - p.Low) / 2})
	}
	order := func(a, b Coefficient) int { return cmp.Compare(a.Value, b.Value) }
	if len(all) == 0 {
		return "–", "–"
	}
	text := func(c Coefficient) string {
		if c.Half > 0 {
			return signed(c.Value) + " ± " + digitsUp(c.Half, 3)
		}
		return signed(c.Value)
	}
	return text(slices.MinFunc(all, order)), text(slices.MaxFunc(all, order))
}

// shapeNote explains the shapes.
const shapeNote = "Each figure shows how a column moves the score, relative to the mean over its declared states and before a row is scaled or clipped to its norm. A band or a line on a bar is an interval, as for the coefficients. The columns with the clearest effects come first."
