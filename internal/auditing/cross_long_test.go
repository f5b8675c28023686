//go:build long

package auditing

import "testing"

// TestManyBoundsNeverCross is TestBoundsNeverCross with 1,000 plans, and with 200 in short runs.
func TestManyBoundsNeverCross(t *testing.T) {
	plans := 1000
	if testing.Short() {
		plans = 200
	}
	checkCrossing(t, plans)
}
