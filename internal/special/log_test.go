package special

import (
	"math"
	"testing"
)

func TestLogOfSubnormals(t *testing.T) {
	for _, e := range []int{-1074, -1073, -1060, -1030, -1023, -1022, -1000, 0, 5} {
		if got, want := Log(math.Ldexp(1, e)), float64(e)*math.Ln2; math.Abs(got-want) > 1e-12 {
			t.Errorf("log of 2^%d: got %v, want %v", e, got, want)
		}
	}
	if !math.IsInf(Log(0), -1) || !math.IsNaN(Log(-1)) || !math.IsInf(Log(math.Inf(1)), 1) {
		t.Errorf("log of 0, -1 and +Inf: got %v, %v, %v", Log(0), Log(-1), Log(math.Inf(1)))
	}
}
