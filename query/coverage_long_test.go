//go:build long

package query

import "testing"

// TestIntervalsHoldTheTruthAtLength repeats every case 25000 times: 95 % are off by more than 0.7 points with a
// probability below 4e-7 (5.08 standard errors of 0.138 points).
func TestIntervalsHoldTheTruthAtLength(t *testing.T) {
	for _, c := range coverageCases() {
		t.Run(c.name+" "+c.noise.String(), func(t *testing.T) {
			t.Parallel()
			checkCoverage(t, c, 25000, 0.007)
		})
	}
}
