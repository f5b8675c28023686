package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestReleasesWithoutNoiseCostAll prices releases without protection, sampled in every way: the accountant that is
// chosen says +Inf, and no other says less, or says nothing.
func TestReleasesWithoutNoiseCostAll(t *testing.T) {
	open := mechanism.NonPrivate{}
	for _, e := range []mechanism.Event{open, mechanism.PoissonSampled{Probability: 0.1, Event: open}, mechanism.WithoutReplacement{Records: 10, Batch: 2, Event: open},
		mechanism.TruncatedPoisson{Probability: 0.1, Records: 100, MaxBatch: 20, Event: open}, mechanism.Partition{Parts: 3, Event: open}} {
		if err := mechanism.CheckEvent(e); err != nil {
			t.Fatal(err)
		}
		steps := mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: 3}, mechanism.Repeat{Event: e, Count: 2}}
		got, err := For(steps).Epsilon(steps, 1e-5, privacy.ReplaceOne)
		if err != nil || !math.IsInf(got.Upper, 1) {
			t.Errorf("%v costs %v (%v), want +Inf", e, got, err)
		}
		for _, a := range []Accountant{gaussianDP{}, lossDistributions{}, RDP{}, concentratedDP{}, basicComposition{}} {
			if cost, failed := a.Epsilon(steps, 1e-5, privacy.ReplaceOne); failed == nil && !math.IsInf(cost.Upper, 1) {
				t.Errorf("%s prices %v at %v, want +Inf or an error", a.Name(), e, cost)
			}
		}
	}
}
