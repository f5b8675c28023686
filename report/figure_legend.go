package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lengths of the legend in points.
const (
	legendHigh   = vg.Length(13)
	legendSample = vg.Length(24)
	legendGap    = vg.Length(14)
)

// intervalWords explain bands and bars.
const intervalWords = "shaded or barred: the interval of each value"

// legendRow is a line of the legend, below the panels, where it covers nothing.
type legendRow struct {
	items []legendItem
	width vg.Length
}

// legendItem is a sample of a curve with its name; without a sample it is a remark.
type legendItem struct {
	look   *look
	text   string
	length vg.Length
}

// legendRows breaks the legend into lines.
func (p picture) legendRows() []legendRow {
	room := p.width - 2*figureMargin
	var items []legendItem
	for _, e := range p.Legend {
		name := fitting(p.text, e.Name, room-legendSample)
		items = append(items, legendItem{&e.look, name, legendSample + p.text.Width(name)})
	}
	if p.Intervals {
		items = append(items, legendItem{nil, intervalWords, p.text.Width(intervalWords)})
	}
	var rows []legendRow
	for _, item := range items {
		last := len(rows) - 1
		if last < 0 || rows[last].width+legendGap+item.length > room {
			rows = append(rows, legendRow{[]legendItem{item}, item.length})
			continue
		}
		rows[last].items = append(rows[last].items, item)
		rows[last].width += legendGap + item.length
	}
	return rows
}

// drawLegend draws the lines below the panels, each in the middle.
func (p picture) drawLegend(c draw.Canvas) {
	text := p.text
	text.YAlign = draw.YCenter
	for i, row := range p.legend {
		y := figureMargin + legendHigh*(vg.Length(len(p.legend)-i)-0.5)
		x := (p.width - row.width) / 2
		for _, item := range row.items {
			at := x
			if item.look != nil {
				item.look.sample(&c, at, y)
				at += legendSample
			}
			c.FillText(text, vg.Point{X: at, Y: y}, item.text)
			x += item.length + legendGap
		}
	}
}

// sample draws a short piece of a curve.
func (l look) sample(c *draw.Canvas, x, y vg.Length) {
	if l.Joined {
		c.StrokeLine2(l.line(), x, y, x+legendSample-4, y)
	}
	if l.Marked {
		c.DrawGlyphNoClip(l.glyph(), vg.Point{X: x + legendSample/2 - 2, Y: y})
	}
}

// markLabels draws the marks of a panel and their texts where they cover least.
type markLabels struct{ panel drawnPanel }

var _ plot.Plotter = markLabels{}

// Plot draws a ring around each mark and its text beside it.
func (m markLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	size := c.Rectangle.Size()
	text := p.Legend.TextStyle
	text.YAlign = draw.YCenter
	places := newPlacement(m.panel, float64(size.X), float64(size.Y))
	for _, mark := range m.panel.Marks {
		at := vg.Point{X: x(mark.X), Y: y(mark.Y)}
		c.SetLineStyle(draw.LineStyle{Color: color.Black, Width: 1.2})
		var ring vg.Path
		ring.Move(vg.Point{X: at.X + 4.5, Y: at.Y})
		ring.Arc(at, 4.5, 0, 2*math.Pi)
		ring.Close()
		c.Stroke(ring)
		name := fitting(text, mark.Text, size.X*0.7)
		box := places.put(float64(at.X-c.Min.X), float64(at.Y-c.Min.Y), float64(text.Width(name)), float64(text.Font.Size)*1.25)
		left, low := c.Min.X+vg.Length(box.left), c.Min.Y+vg.Length(box.low)
		c.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xd8})
		c.Fill(vg.Rectangle{Min: vg.Point{X: left - 1, Y: low}, Max: vg.Point{X: left + vg.Length(box.width) + 1, Y: low + vg.Length(box.high)}}.Path())
		c.FillText(text, vg.Point{X: left, Y: low + vg.Length(box.high)/2}, name)
	}
}
