package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

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
	// States are levels, cells of a pair, missing cells and unknown levels. Cells are row by row of the map of
	// the pair, from its lowest row up.
	States []Coefficient
	// Shares are the shares of the records in States, as far as released frequencies tell. They are nil if
	// there are none.
	Shares []float64
	// Effect is the root of the mean square over records, less the mean of noise. It is 0 if noise alone
	// explains the mean square.
	Effect float64
	// Pair has the sides of the map of a pair. It is nil for a column.
	Pair *Pair
}

// Pair has the sides of a map.
type Pair struct {
	Across, Up Side
	// Point reports that the two numbers are the coordinates of a point. Then a value has the parts of the pair and
	// of both columns.
	Point bool
}

// Side is a column along a side of a map.
type Side struct {
	Name, Unit string
	// States are in order. The last ones, as many as Aside, are missing cells and unknown levels.
	States []string
	Aside  int
	// Ends are the ends of the ranges of a number, one more than ranges. They are nil for levels.
	Ends []float64
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

// shapeViews are the shapes of a page: columns with a figure, pairs with a map, and a table of the least and the
// largest value of the others.
type shapeViews struct {
	Columns []shapeView
	Maps    []tileMap
	// Pairs reports that there are pairs, and Points that some of the maps are of coordinates. Clear reports that
	// some other pair has an effect.
	Pairs, Points, Clear bool
	Rest                 *Table
}

// newShapes lays out shapes, which are in order. Pairs of coordinates are drawn before other pairs. Of the latter,
// those are drawn that have an effect.
func newShapes(shapes []Shape, number *int) (out shapeViews) {
	drawn, maps := make([]bool, len(shapes)), 0
	for i, s := range shapes {
		if s.Pair == nil && len(out.Columns) < maxShapes {
			drawn[i] = true
			out.Columns = append(out.Columns, newShapeView(s, number))
		}
	}
	for _, point := range []bool{true, false} {
		for i, s := range shapes {
			if s.Pair == nil {
				continue
			}
			out.Pairs, out.Clear = true, out.Clear || !s.Pair.Point && s.Effect > 0
			if s.Pair.Point == point && (point || s.Effect > 0) && maps < maxMaps && s.Pair.fits(s) {
				maps, drawn[i], out.Points = maps+1, true, out.Points || point
				out.Maps = append(out.Maps, newTileMap(s, maps))
			}
		}
	}
	table := &Table{Title: "Further shapes", Folded: true, Columns: []string{"column", "least", "largest", "effect"}}
	for i, s := range shapes {
		if !drawn[i] && len(table.Rows) < maxShapeTable {
			low, high := s.ends()
			table.Rows = append(table.Rows, []string{s.title(), low, high, s.effect()})
		}
	}
	if len(table.Rows) > 0 {
		out.Rest = table
	}
	return out
}

// fits reports whether a shape has a state for each cell of the map.
func (p *Pair) fits(s Shape) bool {
	cells := len(p.Across.States) * len(p.Up.States)
	sides := func(a Side) bool { return a.Ends == nil || len(a.Ends) == len(a.States)-a.Aside+1 }
	return cells > 0 && len(s.States) == cells && (s.Shares == nil || len(s.Shares) == cells) && sides(p.Across) && sides(p.Up)
}

// newShapeView lays out the shape of a column. Of many states, those with the most records have bars.
func newShapeView(s Shape, number *int) shapeView {
	view := shapeView{Title: shorten(s.title(), maxLabelRunes)}
	if len(s.Points) > 0 {
		*number++
		c := newChartFigure(figure.Figure{Name: "shape", Title: view.Title, Panels: []figure.Panel{{X: figure.Axis{Label: s.axis(), Knots: s.Knots}, Y: figure.Axis{Label: "change of the score"},
			Series: []figure.Series{{Name: s.Name, Points: s.Points}}}}}, *number)
		c.Hint, c.Legend = false, nil
		view.Chart = &c
	}
	if len(s.States) == 0 {
		return view
	}
	ordered := s.ordered()
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
	return view
}

// ordered returns the states in the order in which they are shown. If they are too many for bars, those with the most
// records come first. If these are not known, those come first whose intervals are farthest from 0.
func (s Shape) ordered() []Coefficient {
	if len(s.States) <= maxStates {
		return s.States
	}
	order := make([]int, len(s.States))
	for i := range order {
		order[i] = i
	}
	evidence := func(i int) float64 { return math.Abs(s.States[i].Value) - s.States[i].Half }
	if len(s.Shares) == len(s.States) {
		evidence = func(i int) float64 { return s.Shares[i] }
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(evidence(b), evidence(a)) })
	var out []Coefficient
	for _, i := range order {
		out = append(out, s.States[i])
	}
	return out
}

// effect writes the effect of a shape.
func (s Shape) effect() string {
	if s.Effect > 0 {
		return plain(parse(strconv.FormatFloat(s.Effect, 'e', 1, 64)))
	}
	return "–"
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

// shapeNote explains the shapes, and the others explain the pairs.
const (
	shapeNote  = "Each figure shows how a column moves the score, with its part of what pairs do, before a row is scaled or clipped to its norm. It is relative to the mean over the records, as far as released frequencies tell where they are, and else to the mean over the declared states. A band or a line on a bar is an interval, as for the coefficients. The largest effects come first. An effect is the root of the mean square over the records, less what noise gives. What noise alone can explain has no effect."
	pairNote   = "Each map shows what two columns together add to the figures of each of them alone. The stronger the color, the larger the change of the score. In a hatched cell the interval contains 0, so the change may be noise alone. An empty cell has few records, if any: the released frequencies show none that stand out of their noise."
	pointNote  = "A map of coordinates shows the whole effect of a point: that of both columns is in it too."
	noPairNote = "No pair of columns has an effect of its own that stands out of the noise."
)
