package report

import (
	"image/color"

	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// Lengths of the legend in points.
const (
	legendHigh   = 13.0
	legendSample = 24.0
	legendGap    = 14.0
)

// Lengths of a mark in points.
const (
	ringRadius = 4.5
	ringWidth  = 1.2
)

// intervalWords explain bands and bars.
const intervalWords = "shaded or barred: the interval of each value"

// legendRow is a line of the legend, below the panels, where it covers nothing.
type legendRow struct {
	items []legendItem
	width float64
}

// legendItem is a sample of a curve with its name; without a sample it is a remark.
type legendItem struct {
	look   *look
	text   string
	length float64
}

// legendRows breaks the legend into lines.
func (p picture) legendRows() []legendRow {
	room := p.width - 2*figureMargin
	var items []legendItem
	for _, e := range p.Legend {
		name := fitting(e.Name, legendSize, room-legendSample)
		items = append(items, legendItem{&e.look, name, legendSample + canvas.Width(name, legendSize)})
	}
	if p.Intervals {
		items = append(items, legendItem{nil, intervalWords, canvas.Width(intervalWords, legendSize)})
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
func (p picture) drawLegend(c canvas.Canvas) {
	for i, row := range p.legend {
		y := figureMargin + legendHigh*(float64(len(p.legend)-i)-0.5)
		x := (p.width - row.width) / 2
		for _, item := range row.items {
			at := x
			if item.look != nil {
				item.look.drawSample(c, at, y)
				at += legendSample
			}
			c.Write(canvas.Text{At: canvas.Point{X: at, Y: y - legendSize*lineHalf}, Size: legendSize, Text: item.text})
			x += item.length + legendGap
		}
	}
}

// drawSample draws a short piece of a curve.
func (l look) drawSample(c canvas.Canvas, x, y float64) {
	end := x + legendSample - 4
	if l.Joined {
		c.Stroke([]canvas.Point{{X: x, Y: y}, {X: end, Y: y}}, false, l.line())
	}
	if l.Marked {
		l.drawMark(c, canvas.Point{X: (x + end) / 2, Y: y})
	}
}

// drawMarks draws a ring around each mark of a panel and its text next to it, where it covers
// least.
func (f frame) drawMarks(p drawnPanel) {
	places := newPlacement(p, f.width, f.high)
	for _, mark := range p.Marks {
		at := f.at(mark.X, mark.Y)
		var ring []canvas.Point
		for _, k := range regular(48, 0, ringRadius) {
			ring = append(ring, canvas.Point{X: at.X + k.X, Y: at.Y + k.Y})
		}
		f.Stroke(ring, true, canvas.Line{Color: black, Width: ringWidth})
		text := fitting(mark.Text, legendSize, f.width*0.7)
		room := places.put(at.X-f.left, at.Y-f.low, canvas.Width(text, legendSize), legendSize*1.25)
		left, low := f.left+room.left, f.low+room.low
		f.Fill(canvas.Rectangle(left-1, low, left+room.width+1, low+room.high), color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xd8})
		f.Write(canvas.Text{At: canvas.Point{X: left, Y: low + room.high/2 - legendSize*lineHalf}, Size: legendSize, Text: text})
	}
}
