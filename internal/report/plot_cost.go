package report

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/report/internal/canvas"
)

// CostPlot is a picture of the cost of releases, in two panels: epsilon as releases go on, and the
// remaining errors of the best attacker at the end.
type CostPlot struct {
	// Title stands above the panels, such as the event that is priced.
	Title string
	// Delta is the delta of every epsilon of Costs.
	Delta float64
	// Counted names what Count of a CostPoint counts, such as "steps".
	Counted string
	// Costs grow in Count. A point whose Upper is infinite is left out, and with it all after it.
	Costs []CostPoint
	// Errors are the points of the trade-off curve, growing in FalsePositives from 0 to 1.
	Errors []ErrorRates
}

// CostPoint is epsilon, in nats, between proven bounds after a number of releases. Lower is
// 0 where nothing but an upper bound is proven.
type CostPoint struct{ Count, Lower, Estimate, Upper float64 }

// ErrorRates are a false-positive rate of attackers who tell two neighboring data sets apart, and a
// lower bound on their false-negative rate.
type ErrorRates struct{ FalsePositives, FalseNegatives float64 }

// Size of the picture in points: 900 by 420 pixels.
const (
	costWidth  = 675.0
	costHeight = 315.0
	costHead   = 26.0 // what the title takes
	costMargin = 6.0
	costTick   = 8.0 // length of a tick
	costTicks  = 5.0 // about how many an axis has
)

// Colors of the picture, readable by the color blind and in grey.
var (
	lineColor = color.NRGBA{R: 0x1f, G: 0x4e, B: 0x8c, A: 0xff}
	bandColor = color.NRGBA{R: 0xb7, G: 0xcd, B: 0xe8, A: 0xff}
	coinColor = color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
	gridColor = color.NRGBA{R: 0xe0, G: 0xe0, B: 0xe0, A: 0xff}
)

// WriteSVG draws the picture, 900 pixels wide. Equal plots give equal bytes. Its texts name common
// fonts, none of them needed, and are made safe to look at.
func (p CostPlot) WriteSVG(w io.Writer) error {
	p.Title, p.Counted = clean(p.Title), clean(p.Counted)
	if err := p.check(); err != nil {
		return err
	}
	c := canvas.NewSVG(costWidth, costHeight)
	p.draw(c)
	_, err := io.WriteString(w, c.File("Privacy cost of "+p.Title, p.description()))
	return err
}

// draw draws everything.
func (p CostPlot) draw(c canvas.Canvas) {
	c.Fill(canvas.Rectangle(0, 0, costWidth, costHeight), white)
	heading := canvas.Point{X: costWidth / 2, Y: costHeight - 10 - labelSize*(lineHigh-lineBase)}
	c.Write(canvas.Text{At: heading, Align: canvas.Middle, Size: labelSize, Text: fitting(shorten(p.Title, 110), labelSize, costWidth-2*costMargin)})
	high := costHeight - costMargin - costHead
	p.drawCosts(c, box{costMargin, costMargin, costWidth/2 - costMargin - 14, high})
	p.drawErrors(c, box{costWidth/2 + 2, costMargin, costWidth/2 - 18, high})
}

// check refuses what cannot be drawn.
func (p CostPlot) check() error {
	for _, c := range p.shown() {
		if anyOdd(c.Count, c.Lower, c.Estimate, c.Upper) {
			return fmt.Errorf("report: a cost is %v, want finite numbers; leave the point out", c)
		}
	}
	for _, e := range p.Errors {
		if anyOdd(e.FalsePositives, e.FalseNegatives) {
			return fmt.Errorf("report: error rates are %v, want finite numbers; leave the point out", e)
		}
	}
	return nil
}

// anyOdd reports whether a value is infinite or no number.
func anyOdd(values ...float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) })
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

// newCostAxes are axes from 0 on.
func newCostAxes(title, x, y string, right, top float64) axes {
	return axes{
		title: title, xLabel: x, yLabel: y, x: scale{High: right}, y: scale{High: top},
		xTicks: evenTicks(0, right, costTicks), yTicks: evenTicks(0, top, costTicks), tickLength: costTick,
	}
}

// Styles of curves.
var (
	provenLine = canvas.Line{Color: lineColor, Width: 1.5}
	coinLine   = canvas.Line{Color: coinColor, Width: 1, Dashes: []float64{4, 3}}
	bandLine   = canvas.Line{Color: bandColor, Width: 0.5}
)

// drawCosts draws epsilon with its proven band.
func (p CostPlot) drawCosts(c canvas.Canvas, outer box) {
	beside := "ε in nats, at δ = " + plain(p.Delta)
	costs := p.shown()
	if len(costs) == 0 {
		newCostAxes("There is no finite ε", p.Counted, beside, 1, 1).draw(c, outer)
		return
	}
	last := costs[len(costs)-1]
	right, top := max(last.Count, 1), headroom*max(last.Upper, 1e-9)
	for _, at := range costs {
		right, top = max(right, at.Count), max(top, at.Estimate, at.Upper)
	}
	f := newCostAxes("Privacy cost as releases go on", p.Counted, beside, min(right, greatestEnd), min(top, greatestEnd)).draw(c, outer)
	var upper, lower, estimate []canvas.Point
	for _, at := range costs {
		upper = append(upper, f.at(at.Count, at.Upper))
		lower = append(lower, f.at(at.Count, at.Lower))
		estimate = append(estimate, f.at(at.Count, at.Estimate))
	}
	if last.Lower <= 0 {
		f.Stroke(upper, false, provenLine)
		f.drawNames(true, curveName{text: "proven upper bound: " + digitsUp(last.Upper, 6) + " at the end", line: provenLine})
		return
	}
	slices.Reverse(lower)
	band := append(upper, lower...)
	f.Fill(band, bandColor)
	f.Stroke(band, true, bandLine)
	f.Stroke(estimate, false, provenLine)
	width := digitsUp(100*(1-last.Lower/last.Upper), 2)
	f.drawNames(true,
		curveName{fmt.Sprintf("proven band: to %s, %s %% wide, at the end", digitsUp(last.Upper, 6), width), bandLine, true},
		curveName{text: "estimate", line: provenLine})
}

// headroom keeps the legend off the curve.
const headroom = 1.35

// drawErrors draws the trade-off curve and the line of guessing.
func (p CostPlot) drawErrors(c canvas.Canvas, outer box) {
	f := newCostAxes("What is left to an attacker", "false positives (share)", "false negatives (share)", 1, 1).draw(c, outer)
	f.Stroke([]canvas.Point{f.at(0, 1), f.at(1, 0)}, false, coinLine)
	names := []curveName{{text: "a coin toss: nothing learned", line: coinLine}}
	if len(p.Errors) > 0 {
		var curve []canvas.Point
		for _, e := range p.Errors {
			curve = append(curve, f.at(e.FalsePositives, e.FalseNegatives))
		}
		f.Stroke(curve, false, provenLine)
		names = append(names, curveName{text: "proven: no attacker is below", line: provenLine})
	}
	f.drawNames(false, names...)
}

// curveName is a line of the legend inside a panel.
type curveName struct {
	text   string
	line   canvas.Line
	filled bool // whether a whole area stands for the curve
}

// Lengths of the legend inside a panel in points.
const (
	nameHigh   = 10.5
	nameSample = 18.0
	nameGap    = 3.0 // between sample and text
	nameMargin = 5.0
)

// drawNames draws a legend into an upper corner: the left, or the right with samples after the
// texts.
func (f frame) drawNames(atLeft bool, names ...curveName) {
	from, text, align := f.left+nameMargin, f.left+nameMargin+nameSample+nameGap, canvas.Start
	if !atLeft {
		from = f.left + f.width - nameMargin - nameSample
		text, align = from-nameGap, canvas.End
	}
	for i, n := range names {
		y := f.low + f.high - nameMargin - nameHigh*(float64(i)+0.5)
		if n.filled {
			f.Fill(canvas.Rectangle(from, y-3.5, from+nameSample, y+3.5), n.line.Color)
		} else {
			f.straight(n.line, from, y, from+nameSample, y)
		}
		f.Write(canvas.Text{At: canvas.Point{X: text, Y: y - legendSize*lineHalf}, Align: align, Size: legendSize, Text: n.text})
	}
}
