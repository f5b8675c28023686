package account

import (
	"math"
	"testing"

	core "github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestEpsilonGroupCountsSharedNames adds k records with one new name, which nothing but them can bring out: at
// every finite ε the δ of the group is at least the probability that their count passes the threshold.
func TestEpsilonGroupCountsSharedNames(t *testing.T) {
	const delta = 1e-7
	passes := map[string]func(x float64) float64{
		"gaussian": func(x float64) float64 { return special.NormalCDF(-x) },
		"laplace":  func(x float64) float64 { return math.Exp(-x) / 2 },
	}
	for _, c := range []struct {
		law   string
		scale float64
		noise mechanism.Noise
	}{
		{"gaussian", 1, mechanism.Gaussian{NoiseMultiplier: 1}}, {"gaussian", 5, mechanism.Gaussian{NoiseMultiplier: 5}},
		{"laplace", 1, mechanism.KNorm{NoiseMultiplier: 1}}, {"laplace", 20, mechanism.KNorm{NoiseMultiplier: 20}},
	} {
		terms := core.PartitionTerms{Noise: c.noise, Delta: delta}
		limit, err := core.PartitionThreshold(terms, 1000)
		if err != nil {
			t.Fatal(err)
		}
		e := terms.Events()
		for k := 1; k <= 5; k++ {
			least := max(float64(k)*delta, passes[c.law]((limit-float64(k))/c.scale))
			for share, finite := range map[float64]bool{0.9: false, 1.2: true} {
				v, err := EpsilonGroup(For(e), e, least*share, privacy.AddOrRemoveOne, k)
				if err != nil || !math.IsInf(v, 1) != finite {
					t.Errorf("%v, %d records at δ %v: %v (%v), want a finite cost: %v; the name passes with %v", e, k, least*share, v, err, finite, least)
				}
			}
		}
	}
}

// TestGroupOfFreeRecords: what costs one record nothing at a δ costs a group something there.
func TestGroupOfFreeRecords(t *testing.T) {
	e := mechanism.AssumedDP{Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	if v, err := EpsilonGroup(basicComposition{}, e, 1e-6, privacy.AddOrRemoveOne, 10); err != nil || !math.IsInf(v, 1) {
		t.Errorf("ten records of %v cost %v (%v) at δ 1e-6, want no finite epsilon; they have 1e-5", e, v, err)
	}
	g := mechanism.Gaussian{NoiseMultiplier: 1e6}
	low, err := EpsilonGroup(RDP{}, g, 1e-6, privacy.AddOrRemoveOne, 1000)
	if want := epsilonOf(1e-3, 1e-6); err != nil || low < want {
		t.Errorf("a thousand records of %v cost %v (%v), want at least %v", g, low, err, want)
	}
	if v, err := EpsilonGroup(RDP{}, mechanism.Sequence{}, 1e-6, privacy.AddOrRemoveOne, 10); err != nil || v != 0 {
		t.Errorf("ten records of nothing cost %v (%v), want 0", v, err)
	}
}

// TestThresholdsWithoutNoise: a statement of (0, δ) in a sequence without noise before it is priced step by step.
func TestThresholdsWithoutNoise(t *testing.T) {
	d := mechanism.AssumedDP{Delta: 1e-7, Neighboring: privacy.AddOrRemoveOne}
	for _, e := range []mechanism.Event{mechanism.Sequence{d}, mechanism.Sequence{mechanism.Exponential{Epsilon: 1}, d}, mechanism.Repeat{Event: mechanism.Sequence{d}, Count: 2}} {
		if _, known := withThresholds(e, 2); known {
			t.Errorf("%v has a price for two records, want none; of a threshold it is not known", e)
		}
		if _, known := withThresholds(e, 1); !known {
			t.Errorf("%v has no price for one record, want one", e)
		}
	}
}
