package special

import "testing"

// TestTotal adds numbers whose plain sum loses the small ones, in orders that meet both branches.
func TestTotal(t *testing.T) {
	for _, numbers := range [][]float64{{1, 1e100, 1, -1e100}, {1e100, 1, -1e100, 1}, {1e100, -1e100, 1, 1}} {
		var sum Total
		for _, v := range numbers {
			sum.Add(v)
		}
		if got := sum.Value(); got != 2 {
			t.Errorf("the sum of %v is %v, want 2", numbers, got)
		}
	}
}
