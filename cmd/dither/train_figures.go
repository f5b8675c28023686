package main

import (
	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/train"
)

// reportIntervals are the estimates for drawing.
func reportIntervals(estimates []train.Estimate) []report.Interval {
	out := make([]report.Interval, len(estimates))
	for i, e := range estimates {
		out[i] = report.Interval{Name: e.Name, Value: e.Value, Low: e.Lower, High: e.Upper}
	}
	return out
}
