package report

import (
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/figure"
)

// drawnFigure is a figure ready to be drawn: its texts are clean, its values finite, its axes
// ranged and its curves styled. The code that draws it, to a file or into a page, decides nothing.
type drawnFigure struct {
	Title, Command string
	Panels         []drawnPanel
	// Legend has one entry a name, in the order in which names first occur.
	Legend []entry
	// Intervals is whether any point has one.
	Intervals bool
}

// drawnPanel is one pair of axes.
type drawnPanel struct {
	Title, XLabel, YLabel string
	X, Y                  scale
	Series                []drawnSeries
	Marks                 []figure.Mark
}

// drawnSeries is one curve. Its points are finite and Low and High lie on the axis.
type drawnSeries struct {
	look
	// Entry is its place in the legend, -1 for none.
	Entry     int
	Points    []figure.Point
	Intervals bool
	// Left is how many points of a long curve are left out.
	Left int
}

// entry is a line of the legend.
type entry struct {
	look
	Name string
}

// prepare makes a figure ready.
func prepare(f figure.Figure) drawnFigure {
	out := drawnFigure{Title: clean(f.Title), Command: clean(f.Command)}
	places := looks(f)
	entries := map[string]int{}
	for _, p := range f.Panels {
		panel := newDrawnPanel(p)
		for _, s := range p.Series {
			drawn := drawnSeries{look: newLook(places[key(s.Name)], s), Entry: -1}
			drawn.Points, drawn.Intervals = panel.points(s.Points)
			whole := len(drawn.Points)
			drawn.Points = panel.thinned(drawn.Points)
			drawn.Left = whole - len(drawn.Points)
			out.Intervals = out.Intervals || drawn.Intervals
			if name := legendName(s); name != "" && len(drawn.Points) > 0 {
				at, known := entries[name]
				if !known {
					at = len(out.Legend)
					entries[name] = at
					out.Legend = append(out.Legend, entry{drawn.look, name})
				}
				drawn.Entry = at
			}
			panel.Series = append(panel.Series, drawn)
		}
		out.Panels = append(out.Panels, panel)
	}
	return out
}

// maxCurveRunes is how much of the name of a curve or of the text of a mark is shown.
const maxCurveRunes = 80

// legendName is the clean name of a series, which says that it is published.
func legendName(s figure.Series) string {
	name := shorten(clean(s.Name), maxCurveRunes)
	if s.Published && name != "" && !strings.Contains(strings.ToLower(name), "published") {
		name += " (published)"
	}
	return name
}

// newDrawnPanel ranges the axes over everything that can be drawn.
func newDrawnPanel(p figure.Panel) drawnPanel {
	x, y := scale{Log: p.X.Log}, scale{Log: p.Y.Log}
	var xs, ys, around []float64
	for _, s := range p.Series {
		for _, at := range s.Points {
			if drawable(at, x, y) {
				xs, ys = append(xs, at.X), append(ys, at.Y)
				if y.holds(at.Low) {
					around = append(around, at.Low)
				}
				if y.holds(at.High) {
					around = append(around, at.High)
				}
			}
		}
	}
	out := drawnPanel{Title: clean(p.Title), XLabel: clean(p.X.Label), YLabel: clean(p.Y.Label)}
	for _, m := range p.Marks {
		if x.holds(m.X) && y.holds(m.Y) {
			xs, ys = append(xs, m.X), append(ys, m.Y)
			out.Marks = append(out.Marks, figure.Mark{X: m.X, Y: m.Y, Text: shorten(clean(m.Text), maxCurveRunes)})
		}
	}
	out.X, out.Y = newScale(xs, nil, p.X.Log), newScale(ys, around, p.Y.Log)
	if knots := p.X.Knots; len(knots) > 1 && len(slices.Compact(slices.Clone(knots))) == len(knots) {
		out.X = scale{Low: knots[0], High: knots[len(knots)-1], Knots: knots}
	}
	return out
}

// drawable reports whether a point has a place on both axes and finite ends.
func drawable(p figure.Point, x, y scale) bool {
	return x.holds(p.X) && y.holds(p.Y) && finite(p.Low) && finite(p.High)
}

// finite reports whether a value can be drawn without overflow.
func finite(v float64) bool { return math.Abs(v) <= largest }

// largest is the largest value that is drawn, and its inverse the smallest on a logarithmic axis.
const largest = 1e300

// points keeps what can be drawn and cuts intervals at the ends of the axis.
func (p drawnPanel) points(all []figure.Point) (kept []figure.Point, intervals bool) {
	for _, at := range all {
		if !drawable(at, p.X, p.Y) {
			continue
		}
		intervals = intervals || at.Low < at.Y || at.High > at.Y
		at.Low = min(at.Y, max(at.Low, p.Y.Low))
		at.High = max(at.Y, min(at.High, p.Y.High))
		kept = append(kept, at)
	}
	return kept, intervals
}
