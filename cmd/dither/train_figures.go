package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// budgetPoints is at about how many counts of steps the page of a run prices what was released so far.
const budgetPoints = 14

// budgetFigures draw what a run had cost after so many of its steps, by the accountant of its certificate: the
// event alone decides it, which is public. There is none where the event has no count of steps, where no
// accountant prices a prefix, or without a guarantee.
func budgetFigures(c certificate.Certificate) []sweep.Figure {
	event, err := mechanism.ParseEvent(c.Event)
	if err != nil || !c.Private {
		return nil
	}
	g, stepped := stepsOf(event)
	accountant, err := account.Named(c.Accountant)
	if !stepped || g.total < 2 || err != nil {
		return nil
	}
	var spent []sweep.Point
	for i := 1; i <= budgetPoints; i++ {
		count := max(i, int(math.Round(float64(g.total)*float64(i*i)/(budgetPoints*budgetPoints))))
		if count >= g.total {
			break
		}
		v, failure := accountant.Epsilon(g.at(count), c.Delta, c.Neighboring)
		if failure != nil {
			return nil
		}
		spent = append(spent, sweep.Value(float64(count), v.Upper))
	}
	end := sweep.Value(float64(g.total), float64(c.Epsilon))
	return []sweep.Figure{{Name: "epsilon-over-steps", Title: "The budget over the steps", Panels: []sweep.Panel{{
		X: sweep.Axis{Label: g.counted}, Y: sweep.Axis{Label: "ε in nats at δ = " + strings.Replace(fmt.Sprint(c.Delta), "e-0", "e-", 1) + ", upper bound"},
		Series: []sweep.Series{{Name: "a run that was planned to end there", Points: append(spent, end)}},
		Marks:  []sweep.Mark{{X: end.X, Y: end.Y, Text: "this run, ε = " + epsilonText(end.Y)}},
	}}}}
}

// reportIntervals are the estimates for drawing.
func reportIntervals(estimates []train.Estimate) []report.Interval {
	out := make([]report.Interval, len(estimates))
	for i, e := range estimates {
		out[i] = report.Interval{Name: e.Name, Value: e.Value, Low: e.Lower, High: e.Upper}
	}
	return out
}
