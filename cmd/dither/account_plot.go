package main

import (
	"io"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/report"
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

// writePlot draws what was answered into the file of --plot.
func (a *accountCommand) writePlot(out accounted, q question, costs []report.CostPoint, t account.TradeOff) error {
	return writeFile(a.plot, outputOptions{a.replace, 0o644}, func(w io.Writer) error {
		g := growthOf(q.event)
		picture := report.CostPlot{Title: out.Event, Delta: out.Claim.Delta, Counted: g.counted, Costs: costs, Errors: errorsOf(t)}
		if err := picture.WriteSVG(w); err != nil {
			return failed{err}
		}
		return nil
	})
}

// growth is an event whose count of steps grows.
type growth struct {
	at      func(count int) mechanism.Event
	total   int
	counted string
	// whole says that the event itself is the one at the total.
	whole bool
}

// growthOf finds the count of an event: that of the repeat that it is or ends in, or the
// steps of a series. Where there is none, the whole event is taken to happen again.
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
		if len(e) == 0 {
			return growth{}, false
		}
		before := e[:len(e)-1]
		g, ok := stepsOf(e[len(e)-1])
		last := g.at
		g.at = func(count int) mechanism.Event {
			return append(append(mechanism.Sequence{}, before...), last(count))
		}
		return g, ok
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

// counts are about forty, from 1 to the total, closest at the start, where epsilon grows fastest.
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

// costs are the epsilon at the delta of the claim as the count grows. The last one is what was
// answered, where that is an epsilon.
func (q question) costs(g growth, out accounted) []report.CostPoint {
	a := q.tightest(out.Accountants, plotWidth)
	counts := g.counts()
	points := make([]report.CostPoint, len(counts))
	parallel.Items(len(counts), func(i int) {
		v, err := a.Epsilon(g.at(counts[i]), out.Claim.Delta, q.neighboring)
		if err != nil {
			v.Upper = math.Inf(1)
		}
		points[i] = report.CostPoint{Count: float64(counts[i]), Lower: v.Lower, Estimate: v.Estimate, Upper: v.Upper}
	})
	if g.whole && !q.forDelta {
		last := &points[len(points)-1]
		for _, p := range out.Accountants {
			if p.Accountant == out.Claim.Accountant && p.Refused == "" {
				last.Lower, last.Estimate, last.Upper = float64(*p.Lower), float64(*p.Estimate), float64(*p.Upper)
			}
		}
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
