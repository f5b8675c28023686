package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ditherml/dither/internal/figure"
)

// Geometry of a panel on a page, in units of its view box. A unit is about a pixel.
const (
	chartWidth  = 400.0
	chartHigh   = 280.0
	chartTop    = 26.0
	chartRight  = 14.0
	chartBelow  = 44.0
	letterWidth = 6.4 // of a tick label
	wordWidth   = 6.0 // of the text of a mark
	chartMark   = 3.4 // radius of a mark
)

// chartFigure is a figure as the template of a page shows it.
type chartFigure struct {
	ID, Title, Command string
	Panels             []chart
	Legend             []chartEntry
	Intervals          bool
	// Hint is whether it is said how to read values.
	Hint       bool
	Values     *Table
	ValuesLeft int
}

// chart is one panel.
type chart struct {
	ID, Title, Description string
	XLabel, YLabel         string
	MiddleX                string
	BesideAxis             string // where labels of the left axis end
	Grid, Axis             string
	XTicks, YTicks         []chartTick
	Curves                 []chartCurve
	Marks                  []chartMarked

	left, right, top, bottom float64 // ends of the axes
}

// chartTick is a mark on one axis; a small one has no label.
type chartTick struct{ At, Label string }

// chartCurve is one curve. Class names its color; Band, Bars and Line are paths, empty for none.
type chartCurve struct {
	Entry            int
	Class            string
	Name             string
	Band, Bars, Line string
	Dashes           string
	Marks            []chartDot
	At, Texts        string // places and words of all its points, for the script
}

// chartDot is a mark with its words.
type chartDot struct{ Path, Text string }

// chartMarked is a named point.
type chartMarked struct{ X, Y, TextX, TextY, Text string }

// chartEntry is a line of the legend.
type chartEntry struct {
	Entry  int
	Class  string
	Name   string
	Joined bool
	Dashes string
	Mark   string
}

// newChartFigure lays a figure out. Its number makes the identifiers of a page unique.
func newChartFigure(f figure.Figure, number int) chartFigure {
	drawn := prepare(f)
	out := chartFigure{ID: "figure" + strconv.Itoa(number), Title: drawn.Title, Command: drawn.Command, Intervals: drawn.Intervals, Hint: number == 1}
	for i, p := range drawn.Panels {
		out.Panels = append(out.Panels, newChart(p, drawn.Legend, fmt.Sprintf("%s-%d", out.ID, i)))
	}
	for i, e := range drawn.Legend {
		entry := chartEntry{Entry: i, Class: e.class(), Name: e.Name, Joined: e.Joined, Dashes: e.dashes()}
		if e.Marked {
			entry.Mark = e.markPath(15, 7)
		}
		out.Legend = append(out.Legend, entry)
	}
	out.Values, out.ValuesLeft = valueTable(drawn)
	return out
}

// newChart lays a panel out.
func newChart(p drawnPanel, legend []entry, id string) chart {
	c := chart{ID: id, Title: p.Title, Description: p.description(legend), XLabel: shorten(p.XLabel, 56), YLabel: shorten(p.YLabel, 64),
		right: chartWidth - chartRight, top: chartTop, bottom: chartHigh - chartBelow}
	c.layAxes(&p)
	for _, s := range p.Series {
		if len(s.Points) > 0 {
			c.Curves = append(c.Curves, c.curve(p, s, legend))
		}
	}
	places := newPlacement(p, c.right-c.left, c.bottom-c.top)
	for _, m := range p.Marks {
		text := shorten(m.Text, int((c.right-c.left)*0.8/wordWidth))
		x, y := c.x(p, m.X), c.y(p, m.Y)
		b := places.put(x-c.left, c.bottom-y, wordWidth*float64(utf8.RuneCountInString(text)), 15)
		c.Marks = append(c.Marks, chartMarked{coordinate(x), coordinate(y), coordinate(c.left + b.left), coordinate(c.bottom - b.low - 4), text})
	}
	return c
}

// layAxes finds the left end of the axes, which leaves room for labels, and lays ticks and grid.
func (c *chart) layAxes(p *drawnPanel) {
	widest := 1
	ticks := p.Y.Ticks(p.Y.Low, p.Y.High)
	for _, t := range ticks {
		widest = max(widest, utf8.RuneCountInString(t.Label))
	}
	c.left = 12 + letterWidth*float64(widest)
	p.X.Room = int((c.right - c.left) / letterWidth)
	c.MiddleX, c.BesideAxis = coordinate((c.left+c.right)/2), coordinate(c.left-6)
	c.YTicks = chartTicks(ticks, func(v float64) float64 { return c.y(*p, v) })
	c.XTicks = chartTicks(p.X.Ticks(p.X.Low, p.X.High), func(v float64) float64 { return c.x(*p, v) })
	left, right, top, bottom := coordinate(c.left), coordinate(c.right), coordinate(c.top), coordinate(c.bottom)
	c.Axis = "M" + left + "," + top + "V" + bottom + "H" + right
	for _, t := range c.YTicks {
		if t.Label != "" {
			c.Grid += "M" + left + "," + t.At + "H" + right
		}
		c.Axis += "M" + left + "," + t.At + "h-" + t.length()
	}
	for _, t := range c.XTicks {
		if t.Label != "" {
			c.Grid += "M" + t.At + "," + top + "V" + bottom
		}
		c.Axis += "M" + t.At + "," + bottom + "v" + t.length()
	}
}

// length is how long a tick is.
func (t chartTick) length() string {
	if t.Label == "" {
		return "2"
	}
	return "4"
}

// x and y place a value of a panel on its chart.
func (c chart) x(p drawnPanel, v float64) float64 { return c.left + (c.right-c.left)*p.X.place(v) }

func (c chart) y(p drawnPanel, v float64) float64 { return c.bottom - (c.bottom-c.top)*p.Y.place(v) }

// chartTicks are the marks of an axis.
func chartTicks(ticks []tick, place func(float64) float64) []chartTick {
	var out []chartTick
	for _, t := range ticks {
		out = append(out, chartTick{coordinate(place(t.Value)), strings.Replace(t.Label, "-", "−", 1)})
	}
	return out
}

// curve lays a series out.
func (c chart) curve(p drawnPanel, s drawnSeries, legend []entry) chartCurve {
	out := chartCurve{Entry: s.Entry, Class: s.class(), Dashes: s.dashes()}
	if s.Entry >= 0 {
		out.Name = legend[s.Entry].Name
	}
	var upper, lower, line []string
	var at, texts []string
	for _, v := range s.Points {
		x, y := coordinate(c.x(p, v.X)), coordinate(c.y(p, v.Y))
		line = append(line, x+","+y)
		upper = append(upper, x+","+coordinate(c.y(p, v.High)))
		lower = append(lower, x+","+coordinate(c.y(p, v.Low)))
		at, texts = append(at, x, y), append(texts, pointWords(v))
	}
	out.At, out.Texts = strings.Join(at, " "), strings.Join(texts, "|")
	if s.Joined && len(line) > 1 {
		out.Line = "M" + strings.Join(line, "L")
	}
	switch {
	case s.Intervals && out.Line != "":
		slices.Reverse(lower)
		out.Band = "M" + strings.Join(append(upper, lower...), "L") + "Z"
	case s.Intervals:
		out.Bars = c.bars(p, s)
	}
	if s.Marked || out.Line == "" {
		first, step := s.markEvery(len(s.Points))
		for i := first; i < len(s.Points); i += step {
			v := s.Points[i]
			out.Marks = append(out.Marks, chartDot{s.markPath(c.x(p, v.X), c.y(p, v.Y)), strings.TrimPrefix(out.Name+", "+texts[i], ", ")})
		}
	}
	return out
}

// bars is the path of the intervals of points that are not joined.
func (c chart) bars(p drawnPanel, s drawnSeries) string {
	var b strings.Builder
	for _, v := range s.Points {
		if v.Low < v.High {
			x := coordinate(c.x(p, v.X))
			fmt.Fprintf(&b, "M%s,%sV%s", x, coordinate(c.y(p, v.Low)), coordinate(c.y(p, v.High)))
		}
	}
	return b.String()
}

// pointWords say what a point is.
func pointWords(p figure.Point) string {
	text := brief(p.X) + ": " + brief(p.Y)
	if p.Low < p.Y || p.High > p.Y {
		text += " (" + brief(p.Low) + " to " + brief(p.High) + ")"
	}
	return text
}

// class is the class of a color, and of outlines.
func (l look) class() string {
	class := "curve" + strconv.Itoa(l.Color)
	if l.Hollow {
		class += " hollow"
	}
	return class
}

// dashes are lengths for the attribute of a line, "" for a whole one.
func (l look) dashes() string {
	var parts []string
	for _, d := range l.Dashes {
		parts = append(parts, plain(d))
	}
	return strings.Join(parts, " ")
}

// markPath is the outline of a mark around a point.
func (l look) markPath(x, y float64) string {
	var parts []string
	for _, k := range markShapes[l.Shape] {
		parts = append(parts, coordinate(x+chartMark*k.X)+","+coordinate(y-chartMark*k.Y))
	}
	return "M" + strings.Join(parts, "L") + "Z"
}

// coordinate writes a length with one decimal.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

// maxValueRows is the greatest number of points that a page lists below a figure.
const maxValueRows = 300

// valueTable lists the points of a figure, and how many are left out.
func valueTable(f drawnFigure) (*Table, int) {
	t := &Table{Title: "Values of the figure", Columns: []string{"curve", "where", "over", "value", "from", "to"}}
	left := 0
	for _, p := range f.Panels {
		where := shorten(p.YLabel, maxCurveRunes)
		if len(f.Panels) > 1 && p.Title != "" {
			where = shorten(p.Title, maxCurveRunes)
		}
		for _, s := range p.Series {
			name := "curve"
			if s.Entry >= 0 {
				name = f.Legend[s.Entry].Name
			}
			left += s.Left
			for _, v := range s.Points {
				if len(t.Rows) == maxValueRows {
					left++
					continue
				}
				t.Rows = append(t.Rows, []string{name, where, brief(v.X), brief(v.Y), brief(v.Low), brief(v.High)})
			}
		}
	}
	return t, left
}
