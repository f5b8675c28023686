package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lengths of curves in points.
const (
	curveWidth  = vg.Length(1.4)
	markRadius  = vg.Length(2.6)
	intervalCap = vg.Length(2)
)

// ink is the color of a look on white paper.
func (l look) ink() color.NRGBA {
	var c color.NRGBA
	_, _ = fmt.Sscanf(curvePalette[l.Color], "#%02x%02x%02x", &c.R, &c.G, &c.B) // a constant, read by a test
	c.A = 0xff
	return c
}

// line is the style of the curve.
func (l look) line() draw.LineStyle {
	style := draw.LineStyle{Color: l.ink(), Width: curveWidth}
	for _, d := range l.Dashes {
		style.Dashes = append(style.Dashes, vg.Length(d))
	}
	return style
}

// glyph is the style of the marks.
func (l look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.ink(), Radius: markRadius, Shape: polygonGlyph{markShapes[l.Shape], l.Hollow}}
}

// polygonGlyph draws a mark from its corners.
type polygonGlyph struct {
	corners []corner
	hollow  bool
}

var _ draw.GlyphDrawer = polygonGlyph{}

// DrawGlyph draws the mark around a point: whole in its color, or in outline on white.
func (g polygonGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, k := range g.corners {
		to := vg.Point{X: at.X + vg.Length(k.X)*style.Radius, Y: at.Y + vg.Length(k.Y)*style.Radius}
		if i == 0 {
			path.Move(to)
		} else {
			path.Line(to)
		}
	}
	path.Close()
	c.SetColor(style.Color)
	if g.hollow {
		c.SetColor(color.White)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1})
	c.Stroke(path)
}

// addCurve adds intervals, line and marks of one series.
func addCurve(panel *plot.Plot, s drawnSeries, y scale) error {
	if len(s.Points) == 0 {
		return nil
	}
	if s.Intervals {
		if err := addIntervals(panel, s); err != nil {
			return err
		}
	}
	points := make(plotter.XYs, len(s.Points))
	for i, p := range s.Points {
		points[i] = plotter.XY{X: p.X, Y: p.Y}
	}
	if s.Joined && len(points) > 1 {
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("report: a curve cannot be drawn: %w", err)
		}
		line.LineStyle = s.line()
		panel.Add(line)
	}
	if !s.Marked && len(points) > 1 {
		return nil
	}
	first, step := s.markEvery(len(points))
	var marked plotter.XYs
	for i := first; i < len(points); i += step {
		marked = append(marked, points[i])
	}
	marks, err := plotter.NewScatter(marked)
	if err != nil {
		return fmt.Errorf("report: the marks of a curve cannot be drawn: %w", err)
	}
	marks.GlyphStyle = s.glyph()
	panel.Add(marks)
	return nil
}

// addIntervals adds a translucent band where the points are joined, and bars where they are not.
func addIntervals(panel *plot.Plot, s drawnSeries) error {
	if !s.Joined || len(s.Points) == 1 {
		panel.Add(intervalBars(s))
		return nil
	}
	ring := make(plotter.XYs, 0, 2*len(s.Points))
	for _, p := range s.Points {
		ring = append(ring, plotter.XY{X: p.X, Y: p.High})
	}
	for i := len(s.Points) - 1; i >= 0; i-- {
		ring = append(ring, plotter.XY{X: s.Points[i].X, Y: s.Points[i].Low})
	}
	band, err := plotter.NewPolygon(ring)
	if err != nil {
		return fmt.Errorf("report: a band cannot be drawn: %w", err)
	}
	shade := s.ink()
	shade.A = 0x2e
	band.Color, band.Width = shade, 0
	panel.Add(band)
	return nil
}

// intervalBars are intervals of points that are not joined.
type intervalBars drawnSeries

var _ plot.Plotter = intervalBars{}

// Plot draws a bar with caps for each interval.
func (s intervalBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: s.ink(), Width: 1}
	for _, at := range s.Points {
		if at.Low == at.High {
			continue
		}
		middle, low, high := x(at.X), y(at.Low), y(at.High)
		c.StrokeLine2(style, middle, low, middle, high)
		c.StrokeLine2(style, middle-intervalCap, low, middle+intervalCap, low)
		c.StrokeLine2(style, middle-intervalCap, high, middle+intervalCap, high)
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
