//go:build long

package erm

import (
	"math"
	"testing"
)

// TestIntervalsCoverAtLength repeats every case 1000 times: the share must be 0.95 ± 0.02. Records and noise come
// from a fixed seed, so there are no false alarms; with another seed the share would be beyond with a
// probability of at most 0.004 (2.9 deviations of 0.007).
func TestIntervalsCoverAtLength(t *testing.T) {
	for _, c := range coverageCases {
		if got, _ := coverage(t, 1000, c.noise, c.equal); math.Abs(got-0.95) > 0.02 {
			t.Errorf("%s: %.4f of the intervals cover, want 0.95 ± 0.02", c.name, got)
		} else {
			t.Logf("%s: %.4f cover", c.name, got)
		}
	}
}
