package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// CostPlot is a picture of what releases cost, in two panels: epsilon as they go on, and the
// errors that are left to the best attacker at the end.
type CostPlot struct {
	// Title stands above the panels, such as the event that is priced.
	Title string
	// Delta is the delta of every epsilon of Costs.
	Delta float64
	// Counted names what Count of a CostPoint counts, such as "steps".
	Counted string
	// Costs grow in Count. A point whose Upper is infinite is left out, and with it all
	// behind it.
	Costs []CostPoint
	// Errors are the points of the trade-off curve, growing in FalsePositives from 0 to 1.
	Errors []ErrorRates
}

// CostPoint is epsilon, in nats, between proven bounds after a number of releases. Lower is
// 0 where nothing but an upper bound is proven.
type CostPoint struct{ Count, Lower, Estimate, Upper float64 }

// ErrorRates are a false-positive rate of an attacker who tells two neighboring data sets
// apart, and a lower bound on the false-negative rate of every attacker there.
type ErrorRates struct{ FalsePositives, FalseNegatives float64 }

// Size of the picture in points: 900 by 420 pixels.
const (
	costWidth  = vg.Length(675)
	costHeight = vg.Length(315)
	costHead   = vg.Length(26) // what the title takes
)

// Colors of the picture, readable by the color blind and in grey.
var (
	lineColor = color.NRGBA{R: 0x1f, G: 0x4e, B: 0x8c, A: 0xff}
	bandColor = color.NRGBA{R: 0xb7, G: 0xcd, B: 0xe8, A: 0xff}
	coinColor = color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
	gridColor = color.NRGBA{R: 0xe0, G: 0xe0, B: 0xe0, A: 0xff}
)

// WriteSVG draws the picture, 900 pixels wide. Equal plots give equal bytes. Its texts name
// common fonts, of which none is needed, and are made safe to look at.
func (p CostPlot) WriteSVG(w io.Writer) error {
	p.Title, p.Counted = clean(p.Title), clean(p.Counted)
	left, err := p.costPanel()
	if err != nil {
		return err
	}
	right, err := p.errorPanel()
	if err != nil {
		return err
	}
	canvas := vgsvg.New(costWidth, costHeight)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	heading := left.Title.TextStyle
	heading.Font.Size = 9
	all.FillText(heading, vg.Point{X: costWidth / 2, Y: costHeight - 8}, shorten(p.Title, 110))
	below := draw.Crop(all, 6, -6, 6, -costHead)
	left.Draw(draw.Crop(below, 0, -costWidth/2-8, 0, 0))
	right.Draw(draw.Crop(below, costWidth/2-4, -10, 0, 0))
	var b bytes.Buffer
	if _, err = canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err = io.WriteString(w, describedSVG(b.String(), "Privacy cost of "+p.Title, p.description()))
	return err
}

func (p CostPlot) description() string {
	text := fmt.Sprintf("Left: epsilon in nats at delta %s over %s.", plain(p.Delta), p.Counted)
	if shown := p.shown(); len(shown) > 0 {
		last := shown[len(shown)-1]
		text += fmt.Sprintf(" At %s it is at most %s.", grouped(last.Count), digitsUp(last.Upper, 5))
	}
	return text + " Right: lower bound on the false negatives of every attacker over the false positives, below the line of a coin toss."
}

// shown are the costs before the first infinite one.
func (p CostPlot) shown() []CostPoint {
	for i, c := range p.Costs {
		if math.IsInf(c.Upper, 0) || math.IsNaN(c.Upper) {
			return p.Costs[:i]
		}
	}
	return p.Costs
}

// costPanel draws epsilon with its proven band.
func (p CostPlot) costPanel() (*plot.Plot, error) {
	panel := newPanel("Privacy cost as releases go on", p.Counted, "ε in nats, at δ = "+plain(p.Delta))
	costs := p.shown()
	panel.X.Min, panel.Y.Min = 0, 0
	panel.X.Max, panel.Y.Max = 1, 1
	if len(costs) == 0 {
		panel.Title.Text = "There is no finite ε"
		return panel, nil
	}
	var upper, lower, estimate plotter.XYs
	for _, c := range costs {
		upper = append(upper, plotter.XY{X: c.Count, Y: c.Upper})
		lower = append(lower, plotter.XY{X: c.Count, Y: max(0, c.Lower)})
		estimate = append(estimate, plotter.XY{X: c.Count, Y: c.Estimate})
	}
	last := costs[len(costs)-1]
	panel.X.Max, panel.Y.Max = max(last.Count, 1), headroom*max(last.Upper, 1e-9)
	bounded := last.Lower > 0
	if bounded {
		width := digitsUp(100*(1-last.Lower/last.Upper), 2)
		if err := addBand(panel, upper, lower, fmt.Sprintf("proven band: to %s, %s %% wide, at the end", digitsUp(last.Upper, 6), width)); err != nil {
			return nil, err
		}
	}
	name := "estimate"
	if !bounded {
		name, estimate = "proven upper bound: "+digitsUp(last.Upper, 6)+" at the end", upper
	}
	panel.Legend.Top, panel.Legend.Left, panel.Legend.XOffs = true, true, 6
	return panel, addLine(panel, estimate, name, draw.LineStyle{Color: lineColor, Width: vg.Points(1.5)})
}

// headroom keeps the legend off the curve.
const headroom = 1.35

// errorPanel draws the trade-off curve and the line of guessing.
func (p CostPlot) errorPanel() (*plot.Plot, error) {
	panel := newPanel("What is left to an attacker", "false positives (share)", "false negatives (share)")
	panel.X.Min, panel.Y.Min, panel.X.Max, panel.Y.Max = 0, 0, 1, 1
	panel.Legend.Top, panel.Legend.XOffs = true, -4
	coin := draw.LineStyle{Color: coinColor, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
	if err := addLine(panel, plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 0}}, "a coin toss: nothing learned", coin); err != nil {
		return nil, err
	}
	if len(p.Errors) == 0 {
		return panel, nil
	}
	curve := make(plotter.XYs, len(p.Errors))
	for i, e := range p.Errors {
		curve[i] = plotter.XY{X: e.FalsePositives, Y: e.FalseNegatives}
	}
	return panel, addLine(panel, curve, "proven: no attacker is below", draw.LineStyle{Color: lineColor, Width: vg.Points(1.5)})
}
