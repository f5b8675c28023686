package special

import "math"

// Total is a sum of many numbers with compensation for rounding (Neumaier, "Rundungsfehleranalyse
// einiger Verfahren zur Summation endlicher Summen", ZAMM 1974). The zero value is the empty sum.
type Total struct{ sum, lost float64 }

// Add adds v to the sum.
func (t *Total) Add(v float64) {
	next := t.sum + v
	if math.Abs(t.sum) >= math.Abs(v) {
		t.lost += (t.sum - next) + v
	} else {
		t.lost += (v - next) + t.sum
	}
	t.sum = next
}

// Value returns the sum.
func (t *Total) Value() float64 { return t.sum + t.lost }
