package report

import (
	"image/color"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// Sizes of fonts in points, and lengths of a line of text in sizes of its font.
const (
	titleSize  = 10.5
	labelSize  = 9.0 // of the labels of an axis
	legendSize = 8.5 // of ticks and marks too

	lineHigh = 1.117 // from the top of the highest letters to the end of the lowest
	lineBase = 0.307 // from the lower end to the line that letters stand on
	lineHalf = 0.35  // from the line that letters stand on to the middle of a digit
)

// Lengths of axes in points.
const (
	titleGap  = 5.0
	tickGap   = 2.5 // between a label of the vertical axis and its tick
	axisWidth = 0.5
	gridWidth = 0.25
)

// Colors of axes and of the paper.
var (
	black = color.NRGBA{A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// tick is a mark on an axis; a small one has no label.
type tick struct {
	Value float64
	Label string
}

// axes are a panel without its curves.
type axes struct {
	title, xLabel, yLabel string
	x, y                  scale
	xTicks, yTicks        []tick
	tickLength            float64
}

// area is the rectangle between the axes, where all texts of the panel stay within an outer one.
func (a axes) area(outer box) box {
	right, top := outer.left+outer.width, outer.low+outer.high
	if a.title != "" {
		top -= titleSize*lineHigh + titleGap
	}
	left, low := outer.left, outer.low+legendSize*lineHigh+a.tickLength+axisWidth
	if a.xLabel != "" {
		low += labelSize * lineHigh
	}
	if a.yLabel != "" {
		left += labelSize * (lineHigh + lineBase)
	}
	left += widest(a.yTicks) + tickGap + a.tickLength + axisWidth
	edge, upper := right, top
	for _, t := range a.xTicks {
		if at := a.x.place(t.Value); at > 0 {
			edge = min(edge, left+(right-canvas.Width(t.Label, legendSize)/2-left)/at)
		}
	}
	for _, t := range a.yTicks {
		if at := a.y.place(t.Value); at > 0 && t.Label != "" {
			upper = min(upper, low+(top-legendSize*lineHigh/2-low)/at)
		}
	}
	return box{left, low, edge - left, upper - low}
}

// widest is the length of the longest label.
func widest(ticks []tick) float64 {
	length := 0.0
	for _, t := range ticks {
		length = max(length, canvas.Width(t.Label, legendSize))
	}
	return length
}

// draw draws title, axes and grid within a rectangle, and returns the place of the curves.
func (a axes) draw(c canvas.Canvas, outer box) frame {
	f := frame{c, a.area(outer), a.x, a.y}
	middle := canvas.Point{X: outer.left + outer.width/2, Y: outer.low + outer.high - titleSize*(lineHigh-lineBase)}
	c.Write(canvas.Text{At: middle, Align: canvas.Middle, Size: titleSize, Text: a.title})
	centre := canvas.Point{X: f.left + f.width/2, Y: outer.low + labelSize*lineBase}
	c.Write(canvas.Text{At: centre, Align: canvas.Middle, Size: labelSize, Text: a.xLabel})
	beside := canvas.Point{X: outer.left + labelSize*(lineHigh-lineBase), Y: f.low + f.high/2}
	c.Write(canvas.Text{At: beside, Align: canvas.Middle, Size: labelSize, Upward: true, Text: a.yLabel})

	grid, line := canvas.Line{Color: gridColor, Width: gridWidth}, canvas.Line{Color: black, Width: axisWidth}
	left, low, right, top := f.left-axisWidth, f.low-axisWidth, f.left+f.width, f.low+f.high
	for _, t := range a.xTicks {
		x := f.at(t.Value, a.y.Low).X
		if t.Label != "" {
			f.straight(grid, x, f.low, x, top)
			below := canvas.Point{X: x, Y: low - a.tickLength - legendSize*(lineHigh-lineBase)}
			c.Write(canvas.Text{At: below, Align: canvas.Middle, Size: legendSize, Text: t.Label})
		}
		f.straight(line, x, low-a.length(t), x, low)
	}
	for _, t := range a.yTicks {
		y := f.at(a.x.Low, t.Value).Y
		if t.Label != "" {
			f.straight(grid, f.left, y, right, y)
			before := canvas.Point{X: left - a.tickLength - tickGap, Y: y - legendSize*lineHalf}
			c.Write(canvas.Text{At: before, Align: canvas.End, Size: legendSize, Text: t.Label})
		}
		f.straight(line, left-a.length(t), y, left, y)
	}
	f.straight(line, left, low, right, low)
	f.straight(line, left, low, left, top)
	return f
}

// length is how long a tick is.
func (a axes) length(t tick) float64 {
	if t.Label == "" {
		return a.tickLength / 2
	}
	return a.tickLength
}

// frame is where the curves of a panel are drawn.
type frame struct {
	canvas.Canvas
	box
	x, y scale
}

// at is the place of two values.
func (f frame) at(x, y float64) canvas.Point {
	return canvas.Point{X: f.left + f.width*f.x.place(x), Y: f.low + f.high*f.y.place(y)}
}

// straight draws a straight line.
func (f frame) straight(style canvas.Line, x1, y1, x2, y2 float64) {
	f.Stroke([]canvas.Point{{X: x1, Y: y1}, {X: x2, Y: y2}}, false, style)
}

// evenTicks are at most this many marks and one, at multiples of 1, 2 or 5 times a power of ten.
func evenTicks(low, high, most float64) []tick {
	rough := (high - low) / most
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, multiple := range []float64{1, 2, 5} {
		if multiple*power >= rough*0.999 {
			step = multiple * power
			break
		}
	}
	var ticks []tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		value := parse(strconv.FormatFloat(i*step, 'g', 9, 64)) + 0 // not -0
		ticks = append(ticks, tick{Value: value, Label: plain(value)})
	}
	return ticks
}
