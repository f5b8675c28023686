package report

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// Lengths of curves in points.
const (
	curveWidth  = 1.4
	markRadius  = 2.6
	intervalCap = 2.0
)

// bandOpacity is how much a band covers, of 255.
const bandOpacity = 0x2e

// ink is the color of a look on white paper.
func (l look) ink() color.NRGBA {
	var c color.NRGBA
	_, _ = fmt.Sscanf(curvePalette[l.Color], "#%02x%02x%02x", &c.R, &c.G, &c.B) // a constant, read by a test
	c.A = 0xff
	return c
}

// line is the style of the curve.
func (l look) line() canvas.Line {
	return canvas.Line{Color: l.ink(), Width: curveWidth, Dashes: l.Dashes}
}

// drawMark draws a mark around a point: whole in its color, or in outline on white.
func (l look) drawMark(c canvas.Canvas, at canvas.Point) {
	var corners []canvas.Point
	for _, k := range markShapes[l.Shape] {
		corners = append(corners, canvas.Point{X: at.X + k.X*markRadius, Y: at.Y + k.Y*markRadius})
	}
	inside := l.ink()
	if l.Hollow {
		inside = white
	}
	c.Fill(corners, inside)
	c.Stroke(corners, true, canvas.Line{Color: l.ink(), Width: 1})
}

// drawCurve draws intervals, line and marks of one series.
func (f frame) drawCurve(s drawnSeries) {
	var points []canvas.Point
	for _, p := range s.Points {
		points = append(points, f.at(p.X, p.Y))
	}
	joined := s.Joined && len(points) > 1
	switch {
	case s.Intervals && joined:
		f.drawBand(s)
	case s.Intervals:
		f.drawBars(s)
	}
	if joined {
		f.Stroke(points, false, s.line())
	}
	if !s.Marked && len(points) > 1 {
		return
	}
	first, step := s.markEvery(len(points))
	for i := first; i < len(points); i += step {
		s.drawMark(f, points[i])
	}
}

// drawBand draws the intervals of points that are joined: a translucent band.
func (f frame) drawBand(s drawnSeries) {
	var ring []canvas.Point
	for _, p := range s.Points {
		ring = append(ring, f.at(p.X, p.High))
	}
	for _, p := range slices.Backward(s.Points) {
		ring = append(ring, f.at(p.X, p.Low))
	}
	shade := s.ink()
	shade.A = bandOpacity
	f.Fill(ring, shade)
}

// drawBars draws the intervals of points that are not joined: bars with caps.
func (f frame) drawBars(s drawnSeries) {
	style := canvas.Line{Color: s.ink(), Width: 1}
	for _, p := range s.Points {
		if p.Low == p.High {
			continue
		}
		low, high := f.at(p.X, p.Low), f.at(p.X, p.High)
		f.straight(style, low.X, low.Y, high.X, high.Y)
		f.straight(style, low.X-intervalCap, low.Y, low.X+intervalCap, low.Y)
		f.straight(style, high.X-intervalCap, high.Y, high.X+intervalCap, high.Y)
	}
}

// description puts a panel into words: its axes, and the ends of each curve.
func (p drawnPanel) description(legend []entry) string {
	text := fmt.Sprintf("%s: %s over %s.", p.Title, p.YLabel, p.XLabel)
	for _, s := range p.Series {
		if len(s.Points) == 0 {
			continue
		}
		name := "a curve"
		if s.Entry >= 0 {
			name = legend[s.Entry].Name
		}
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		text += fmt.Sprintf(" %s: %s at %s", name, brief(first.Y), brief(first.X))
		if len(s.Points) > 1 {
			text += fmt.Sprintf(", %s at %s", brief(last.Y), brief(last.X))
		}
		text += "."
	}
	for _, m := range p.Marks {
		text += fmt.Sprintf(" Marked: %s, %s at %s.", m.Text, brief(m.Y), brief(m.X))
	}
	return text
}
