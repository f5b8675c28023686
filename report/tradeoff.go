package report

import (
	"fmt"
	"strings"
)

// Geometry of the trade-off plot, in units of its view box.
const (
	tradeLeft = 56.0
	tradeTop  = 14.0
	tradeSize = 270.0
)

// tradePlot is the plot of the best true-positive rate against the
// false-positive rate.
type tradePlot struct {
	Description string
	One, Group  string // points of the curves; Group is empty without a group
	Area        string // points of the area between the curve and no information
	GroupName   string
	Ticks       []tick
}

// tick is a mark on both axes.
type tick struct{ Label, X, Y string }

// newTradePlot draws the curve of g.
func newTradePlot(g Guarantee) tradePlot {
	one := points(tradeOff(g.Epsilon, g.Delta))
	plot := tradePlot{
		One:  one,
		Area: one + " " + points([]point{{0, 0}}),
		Description: fmt.Sprintf("The best true-positive rate of any attacker against one record: at most %s at a false-positive rate of 1 %%, and nowhere more than %s of right answers for a fair coin. The diagonal is guessing.",
			percentUp(bestTruePositives(claimedFalsePositives, g.Epsilon, g.Delta)), percentUp(bestAccuracy(g.Epsilon, g.Delta))),
	}
	if g.GroupRows > 1 {
		plot.Group = points(tradeOff(g.GroupEpsilon, g.Delta))
		plot.GroupName = fmt.Sprintf("%d rows", g.GroupRows)
	}
	for _, share := range []float64{0, .25, .5, .75, 1} {
		x, y := place(point{share, share})
		plot.Ticks = append(plot.Ticks, tick{fmt.Sprintf("%.0f %%", 100*share), x, y})
	}
	return plot
}

// points writes a line for the points attribute of SVG.
func points(line []point) string {
	var b strings.Builder
	for i, p := range line {
		if i > 0 {
			b.WriteByte(' ')
		}
		x, y := place(p)
		b.WriteString(x + "," + y)
	}
	return b.String()
}

// place turns rates into coordinates; the true-positive rate grows upward.
func place(p point) (x, y string) {
	return fmt.Sprintf("%.2f", tradeLeft+tradeSize*p.falsePositives),
		fmt.Sprintf("%.2f", tradeTop+tradeSize*(1-p.truePositives))
}
