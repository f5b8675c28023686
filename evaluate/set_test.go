package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSetIsWhereNothingSpeaksAgainst compares sets with a search over a grid, by the definition for shares under normal
// noise and no sampling: (a-θ·w)² ≤ z²·v·((1-θ)² + θ²). Their noise is from none to all that there is.
func TestSetIsWhereNothingSpeaksAgainst(t *testing.T) {
	random, seen := rand.New(rand.NewPCG(8, 1)), map[string]int{}
	for range 5000 {
		part, rest, v := 6*random.Float64()-2, 6*random.Float64()-2, math.Pow(10, 5*random.Float64()-4)
		r := rate(part, rest, v, v, nil)
		r.rows, r.counted = quad{}, false
		e, empty := spread{most: 1}.estimate(r, 1), len(spread{most: 1}.set(r, 1)) == 0
		none := true
		for k := range 2001 {
			theta := float64(k) / 2000
			off := part - theta*(part+rest)
			excess := off*off - normalQuantile*normalQuantile*v*((1-theta)*(1-theta)+theta*theta)
			none = none && excess > 0
			within := theta >= float64(e.Low) && theta <= float64(e.High)
			if len(e.Gap) > 0 {
				within = within && !(theta > float64(e.Gap[0]) && theta < float64(e.Gap[1]))
			}
			if !empty && within != (excess <= 0) && math.Abs(excess) > 1e-9*v {
				t.Fatalf("%v and %v with noise of variance %v: %v has an excess of %v, and the set is %+v", part, rest, v, theta, excess, e)
			}
		}
		if empty && !none {
			t.Fatalf("%v and %v with noise of variance %v: no number is found", part, rest, v)
		}
		seen[kindOf(e, none)]++
	}
	for _, kind := range []string{"none", "whole", "gap", "one end", "inside"} {
		if seen[kind] < 20 {
			t.Errorf("%s: %d times, want at least 20 of %v", kind, seen[kind], seen)
		}
	}
}

func kindOf(e Estimate, none bool) string {
	switch {
	case none:
		return "none"
	case len(e.Gap) > 0:
		return "gap"
	case e.Low == 0 && e.High == 1:
		return "whole"
	case e.Low == 0 || e.High == 1:
		return "one end"
	}
	return "inside"
}

// TestNoNumberAgrees holds what is said where the set has no number between 0 and 1.
func TestNoNumberAgrees(t *testing.T) {
	for _, c := range []struct{ part, rest, value, low, high float64 }{
		{1000, -10, 1, 1, 1}, {-10, 1000, 0, 0, 0}, {-3, 4, 0, 0, 1}, {-4, 3, math.NaN(), 0, 1},
	} {
		r := rate(c.part, c.rest, 1, 1, nil)
		r.rows, r.counted = quad{}, false
		e := spread{most: 1}.estimate(r, 1)
		if (float64(e.Value) != c.value && c.value == c.value) || float64(e.Low) != c.low || float64(e.High) != c.high {
			t.Errorf("%v and %v: got %+v, want %v from %v to %v", c.part, c.rest, e, c.value, c.low, c.high)
		}
	}
}

// TestMappedEstimates turns a set with a gap around, and one without a lower end.
func TestMappedEstimates(t *testing.T) {
	e := Estimate{Value: 0.25, Low: 0.125, High: 0.75, Gap: []Measure{0.375, 0.5}}.mapped(func(v float64) float64 { return 1 - v })
	if e.Value != 0.75 || e.Low != 0.25 || e.High != 0.875 || e.Gap[0] != 0.5 || e.Gap[1] != 0.625 {
		t.Errorf("got %+v", e)
	}
}
