//go:build long

package evaluate

import "testing"

// TestIntervalsCoverLong is the full run: 10⁴ data sets for each size, a standard error of 0.0022.
func TestIntervalsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, n := range []int{1000, 3000} {
		simulateClasses(t, plans["groups"], n, 10000, 0.007)
		simulateNumbers(t, plans["number"], n, 10000, 0.007)
	}
}
