package curve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/mechanism"
)

const (
	// plotPoints is at about how many counts the running epsilon is computed.
	plotPoints = 40
	// plotWidth is the relative width of the bounds there, but for the last one.
	plotWidth = 2e-3
	// plotErrors is the number of points of the trade-off curve.
	plotErrors = 200
	// plotRuns is how often an event that has no steps is taken to happen.
	plotRuns = 10
)

// Plot returns the plot of a price at a delta: epsilon as the steps of the event grow, and the
// errors of an attacker. claimed is the interval of the claim, nil where delta was asked for.
func (p Prices) Plot(delta float64, claimed *account.Interval, t account.TradeOff) report.CostPlot {
	g := growthOf(p.Event)
	return report.CostPlot{Title: p.Event.String(), Delta: delta, Counted: g.counted, Costs: p.costs(g, delta, claimed), Errors: errorsOf(t)}
}

// growth is an event whose count of steps grows.
type growth struct {
	at      func(count int) mechanism.Event
	total   int
	counted string
	// whole reports that the event at the total is the event itself.
	whole bool
}

// growthOf returns the count of an event: that of the longest repeat or series that it is or has in
// sequence. What precedes and follows the steps stays whole. Where there is none, the whole event is
// repeated.
func growthOf(e mechanism.Event) growth {
	if g, ok := stepsOf(e); ok && g.total > 1 {
		g.whole = true
		return g
	}
	return growth{at: func(count int) mechanism.Event { return mechanism.Repeat{Event: e, Count: count} }, total: plotRuns, counted: "times that the event happens"}
}

func stepsOf(e mechanism.Event) (growth, bool) {
	const steps = "steps"
	switch e := e.(type) {
	case mechanism.Repeat:
		if e.Count == 1 {
			return stepsOf(e.Event)
		}
		return growth{at: func(count int) mechanism.Event { return mechanism.Repeat{Event: e.Event, Count: count} }, total: e.Count, counted: steps}, true
	case mechanism.Sequence:
		place, most, found := 0, growth{}, false
		for i, part := range e {
			if g, ok := stepsOf(part); ok && g.total >= most.total {
				place, most, found = i, g, true
			}
		}
		part := most.at
		most.at = func(count int) mechanism.Event {
			out := slices.Clone(e)
			out[place] = part(count)
			return out
		}
		return most, found
	case mechanism.LastIterate:
		return growth{at: func(count int) mechanism.Event { f := e; f.Steps = count; return f }, total: e.Steps, counted: steps}, true
	case mechanism.LastIterateConvex:
		return growth{at: func(count int) mechanism.Event { f := e; f.Steps = count; return f }, total: e.Steps, counted: steps}, true
	case mechanism.TreeAggregation:
		return growth{at: func(count int) mechanism.Event { f := e; f.Steps = count; return f }, total: e.Steps, counted: steps}, true
	case mechanism.BandedMatrix:
		return growth{at: func(count int) mechanism.Event { f := e; f.Steps = count; return f }, total: e.Steps, counted: steps}, true
	}
	return growth{}, false
}

// counts returns about forty counts from 1 to the total. They are densest at the start, where
// epsilon grows fastest.
func (g growth) counts() []int {
	counts := []int{1}
	for i := 1; i <= plotPoints; i++ {
		at := int(math.Round(float64(g.total) * float64(i*i) / (plotPoints * plotPoints)))
		if at > counts[len(counts)-1] {
			counts = append(counts, at)
		}
	}
	return counts
}

// costs are the epsilon at a delta as the count grows. The last one is what was claimed, where that is an epsilon.
func (p Prices) costs(g growth, delta float64, claimed *account.Interval) []report.CostPoint {
	a := p.tightest(plotWidth)
	counts := g.counts()
	points := make([]report.CostPoint, len(counts))
	parallel.Items(len(counts), func(i int) {
		v, err := a.Epsilon(g.at(counts[i]), delta, p.Neighboring)
		if err != nil {
			v.Upper = math.Inf(1)
		}
		points[i] = report.CostPoint{Count: float64(counts[i]), Lower: v.Lower, Estimate: v.Estimate, Upper: v.Upper}
	})
	if g.whole && claimed != nil {
		last := &points[len(points)-1]
		last.Lower, last.Estimate, last.Upper = claimed.Lower, claimed.Estimate, claimed.Upper
	}
	return points
}

// errorsOf are points of a trade-off curve, closest where false positives are few.
func errorsOf(t account.TradeOff) []report.ErrorRates {
	rates := make([]report.ErrorRates, plotErrors+1)
	for i := range rates {
		part := float64(i) / plotErrors
		rates[i] = report.ErrorRates{FalsePositives: part * part, FalseNegatives: t.FalseNegatives(part * part)}
	}
	return rates
}

// budgetPoints is at about how many counts of steps the page of a run prices what was released so far.
const budgetPoints = 14

// BudgetFigures returns figures of the cost of a run up to several of its steps, by the accountant
// of its certificate. Only the event decides the cost, and the event is public. There is no figure
// without a guarantee, without a count of steps in the event, or where no accountant prices a
// prefix.
func BudgetFigures(c certificate.Certificate) []figure.Figure {
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil || !c.Private {
		return nil
	}
	g, stepped := stepsOf(event)
	accountant, err := account.Named(c.Accountant)
	if !stepped || g.total < 2 || err != nil {
		return nil
	}
	var spent []figure.Point
	for i := 1; i <= budgetPoints; i++ {
		count := max(i, int(math.Round(float64(g.total)*float64(i*i)/(budgetPoints*budgetPoints))))
		if count >= g.total {
			break
		}
		v, failure := accountant.Epsilon(g.at(count), c.Delta, c.Neighboring)
		if failure != nil {
			return nil
		}
		spent = append(spent, figure.Value(float64(count), v.Upper))
	}
	end := figure.Value(float64(g.total), float64(c.Epsilon))
	return []figure.Figure{{Name: "epsilon-over-steps", Title: "The budget over the steps", Panels: []figure.Panel{{
		X: figure.Axis{Label: g.counted}, Y: figure.Axis{Label: "ε in nats at δ = " + strings.Replace(fmt.Sprint(c.Delta), "e-0", "e-", 1) + ", upper bound"},
		Series: []figure.Series{{Name: "a run that was planned to end there", Points: append(spent, end)}},
		Marks:  []figure.Mark{{X: end.X, Y: end.Y, Text: "this run, ε = " + certificate.Epsilon(end.Y).Rounded()}},
	}}}}
}
