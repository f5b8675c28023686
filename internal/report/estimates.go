package report

import "math"

// estimateBar is an estimate with its interval as a page draws it. Each is to its own scale, in
// percent of the width, with 0 in the middle.
type estimateBar struct {
	Name, Value    string
	Low, High, Dot string
	Class          string // of an interval without 0: positive or negative
}

// maxEstimateBars is the greatest number of intervals that are drawn; all are in the table.
const maxEstimateBars = 60

// estimateBars draws intervals. One that is not finite is left out.
func estimateBars(all []Interval) []estimateBar {
	var out []estimateBar
	for _, i := range all {
		size := max(math.Abs(i.Low), math.Abs(i.High), math.Abs(i.Value))
		if !(size > 0) || !finite(size) || len(out) == maxEstimateBars {
			continue
		}
		at := func(v float64) string { return percentOf(50 + 48*v/size) }
		b := estimateBar{Name: i.Name, Value: signed(i.Value), Low: at(i.Low), High: at(i.High), Dot: at(i.Value), Class: "unsure"}
		switch {
		case i.Low > 0:
			b.Class = "positive"
		case i.High < 0:
			b.Class = "negative"
		}
		out = append(out, b)
	}
	return out
}

// estimateBarsNote explains the drawing.
const estimateBarsNote = "Each line is an interval, each to its own scale, with zero in the middle: where a line crosses the middle, the released numbers do not tell the sign. The table has the numbers."
