package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

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
	// Of names the score and its unit, or is empty for a score without a unit. Scaled reports that values are multiplied
	// by the mean scale of rows, and Unscaled that they belong to a row before it is scaled. Else rows are not scaled.
	Of               string
	Scaled, Unscaled bool
	// Weighted reports that released frequencies say where the records are. Otherwise all states count alike.
	Weighted bool
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

// change names the values of a shape.
func (s Shape) change() string {
	switch {
	case s.Unscaled:
		return "change of the score before scaling"
	case s.Of != "":
		return "change of " + s.Of
	}
	return "change of the score"
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
	Title, Effect string
	Chart         *chartFigure
	Plot          *scorePlot
}

// shapeViews are the shapes of a page: columns with a figure, pairs with a map, and a table of the least and the
// largest value of the others.
type shapeViews struct {
	Columns []shapeView
	Maps    []tileMap
	// Pairs reports that there are pairs, and Points that some of them are of coordinates. Others reports that there are
	// other pairs, and Clear that one of these has an effect. Pointed reports that one of coordinates has an effect.
	Pairs, Points, Others, Clear, Pointed bool
	Rest                                  *Table
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
			out.Pairs, out.Points, out.Pointed = true, out.Points || s.Pair.Point, out.Pointed || s.Pair.Point && s.Effect > 0
			if !s.Pair.Point {
				out.Others, out.Clear = true, out.Clear || s.Effect > 0
			}
			if s.Pair.Point == point && (point || s.Effect > 0) && maps < maxMaps && s.Pair.fits(s) {
				maps, drawn[i] = maps+1, true
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
	view := shapeView{Title: shorten(s.title(), maxLabelRunes), Effect: "no effect"}
	if s.Effect > 0 {
		view.Effect = "effect " + s.effect()
	}
	if len(s.Points) > 0 {
		*number++
		c := newChartFigure(figure.Figure{Name: "shape", Title: view.Title, Panels: []figure.Panel{{X: figure.Axis{Label: s.axis(), Knots: s.Knots}, Y: figure.Axis{Label: s.change()},
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
	view.Plot = &scorePlot{Of: s.change()}
	for i, c := range ordered {
		c.Score = ""
		switch {
		case i < len(bars):
			view.Plot.Bars = append(view.Plot.Bars, newChange(c, largest))
		case i < len(bars)+maxListedAfter:
			view.Plot.Others = append(view.Plot.Others, newChange(c, largest))
		default:
			view.Plot.Left++
		}
	}
	return view
}

// newChange draws a change of the score as newBar draws a weight.
func newChange(c Coefficient, largest float64) bar {
	b := newBar(c, largest)
	b.Value = changed(c.Value)
	return b
}

// changed writes a change of the score with its sign: with four decimals, or with four digits if it is large.
func changed(x float64) string {
	if size := math.Abs(x); size >= 100 && !math.IsInf(x, 0) {
		text := plain(parse(strconv.FormatFloat(size, 'e', 3, 64)))
		if x < 0 {
			return "−" + text
		}
		return "+" + text
	}
	return signed(x)
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
			return changed(c.Value) + " ± " + digitsUp(c.Half, 3)
		}
		return changed(c.Value)
	}
	return text(slices.MinFunc(all, order)), text(slices.MaxFunc(all, order))
}

// shapeWords explain the shapes.
func shapeWords(shapes []Shape) (out []string) {
	if len(shapes) == 0 {
		return nil
	}
	some := func(has func(Shape) bool) bool { return slices.ContainsFunc(shapes, has) }
	weighted := func(s Shape) bool { return s.Weighted }
	alike := func(s Shape) bool { return !s.Weighted }
	banded := some(Shape.banded)
	steps := some(func(s Shape) bool { return len(s.Points) > 1 && s.Points[0].Y == s.Points[1].Y })
	text := "Each figure shows how a column moves the score, with its part of what pairs do. "
	over := "all declared states alike"
	switch {
	case some(weighted) && some(alike):
		text, over = text+"It is relative to the mean over the records where released frequencies tell these, and else over the declared states. ", "the records, or the declared states alike"
	case some(weighted):
		text, over = text+"It is relative to the mean over the records, by released frequencies. ", "the records"
	default:
		text += "It is relative to the mean over the declared states. No released frequencies tell where the records are, so all states count alike. "
	}
	if steps {
		text += "A step is the mean over the finer cells in it, if the model has such. "
	}
	if some(func(s Shape) bool { return len(s.Knots) > 0 }) {
		text += "Some axes are uneven: read their labels. "
	}
	out = append(out, strings.TrimSpace(text))
	of := "the score"
	if shapes[0].Of != "" {
		of = shorten(shapes[0].Of, maxLabelRunes)
	}
	switch {
	case some(func(s Shape) bool { return s.Unscaled }):
		out = append(out, "The numbers belong to a row before it is scaled or clipped to its norm. No released number tells how much that changes them.")
	case some(func(s Shape) bool { return s.Scaled }):
		out = append(out, "The numbers are changes of "+of+" for a row of about average norm. In rows of another norm, such as those with rare values, all changes are larger or smaller by one factor. A rare value makes a row longer: then the rest of the score shrinks too, which no figure shows.")
	default:
		out = append(out, "The numbers are changes of "+of+".")
	}
	effect := "The largest effects come first. An effect is the root of the mean square over " + over
	if !banded {
		return append(out, effect+". No intervals are known, so an effect may be due to chance.")
	}
	return append(out, "A band or a line on a bar is an interval. It says how far the noise of privacy may have moved the value, as for the coefficients. It does not cover the chance by which records came into the sample.",
		effect+", less the part of noise. It is 0 if noise alone may explain it. About one figure of the page may have an effect by noise alone.")
}

// banded reports whether a shape has an interval.
func (s Shape) banded() bool {
	return slices.ContainsFunc(s.States, func(c Coefficient) bool { return c.Half > 0 }) || slices.ContainsFunc(s.Points, func(p figure.Point) bool { return p.High > p.Low })
}

// pairWords explain the maps of pairs.
func pairWords(views shapeViews) (out []string) {
	if views.Others && !views.Clear {
		which := "No pair"
		if views.Pointed {
			which = "No other pair"
		}
		out = append(out, which+" of columns has an effect of its own that stands out of the noise.")
	}
	if len(views.Maps) == 0 {
		return out
	}
	text := "Each map shows what two columns together add to the figures of each of them alone. The stronger the color, the larger the change."
	if slices.ContainsFunc(views.Maps, func(m tileMap) bool { return m.Hidden }) {
		text += " In a hatched cell the interval contains 0, so the change may be noise alone."
	}
	if slices.ContainsFunc(views.Maps, func(m tileMap) bool { return m.Empty }) {
		text += " An empty cell has few records, if any: the released frequencies show none that stand out of their noise."
	}
	if views.Points {
		text += " A map of coordinates shows the whole effect of a point: that of both columns is in it too."
	}
	return append(out, text)
}
