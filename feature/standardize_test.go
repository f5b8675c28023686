package feature

import (
	"math"
	"testing"
)

// TestStandardizeByConstants compares numbers with the formula and the bound, which is reached, and shapes with those
// before.
func TestStandardizeByConstants(t *testing.T) {
	for _, c := range []struct {
		parameters      string
		mean, deviation float64
	}{{`{"mean": 0.25}`, 0.25, 1}, {`{"mean": -0.5, "deviation": 0.125}`, -0.5, 0.125}, {`{"mean": 0}`, 0, 1}} {
		s, err := newStandard([]byte(c.parameters), 3)
		if err != nil {
			t.Fatal(err)
		}
		out, largest := make([]float64, 3), 0.0
		x := []float64{0, 1, -1}
		s.Apply(out, x, nil)
		for j, got := range out {
			if want := (x[j] - c.mean) / c.deviation; got != want {
				t.Errorf("%s: %v becomes %v, want %v", c.parameters, x[j], got, want)
			}
			largest = max(largest, math.Abs(got))
		}
		if bound := s.Bound(1); bound != largest || s.In() != 3 || s.Out() != 3 {
			t.Errorf("%s: got bound %v of %d numbers, want %v of 3", c.parameters, bound, s.Out(), largest)
		}
		if channels, places := s.(shaped).Shape(3, 1); channels != 3 || places != 1 {
			t.Errorf("%s: the shape becomes %d × %d", c.parameters, channels, places)
		}
	}
}
