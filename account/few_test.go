package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestFewReleasesNeedNoIntegral compares the estimates of calibrations for few releases, which are the middle of bounds, with
// those that are printed.
func TestFewReleasesNeedNoIntegral(t *testing.T) {
	for _, c := range []struct {
		event mechanism.Event
		delta float64
	}{{repeated(2, sampled(0.01, 1.1)), 1e-6}, {repeated(3, sampled(0.05, 0.8)), 1e-8}, {parsed(t, "sequence(exponential(0.5), laplace(2))"), 1e-6}} {
		v, err := lossDistributions{}.Epsilon(c.event, c.delta, privacy.AddOrRemoveOne)
		quick, failed := lossDistributions{}.estimateEpsilon(c.event, c.delta, privacy.AddOrRemoveOne)
		if err != nil || failed != nil || !(v.Lower <= v.Estimate && v.Estimate <= v.Upper) || math.Abs(quick/v.Estimate-1) > 2e-4 {
			t.Errorf("%v: got %v (%v) and %v (%v), want estimates within a relative 2e-4", c.event, v, err, quick, failed)
		}
	}
}
