package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestGroupOfOneCostsWhatTheEventDoes holds that many choices cost a group of one record what they cost: their
// pairs dominate without being attained, and Rényi divergences are less.
func TestGroupOfOneCostsWhatTheEventDoes(t *testing.T) {
	for _, count := range []int{1, 5, 20, 60} {
		e := mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.2}, Count: count}
		one, err := lossDistributions{}.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		group, err := EpsilonGroup(lossDistributions{}, e, 1e-6, privacy.AddOrRemoveOne, 1)
		if err != nil || !(group <= one.Upper*(1+1e-9)) || !(group >= one.Upper*(1-1e-3)) {
			t.Errorf("%d choices: a group of one costs %v (%v), want %v", count, group, err, one.Upper)
		}
	}
}

// TestGroupsInBands compares the price of a group in a banded matrix with the releases that one
// record pays for. If these are samples, the price is at least the general bound from group to
// group.
func TestGroupsInBands(t *testing.T) {
	const k, delta, n = 3, 1e-6, privacy.AddOrRemoveOne
	for _, probability := range []float64{1, 0.1} {
		banded := mechanism.Sequence{gaussian(9), mechanism.Repeat{Event: mechanism.BandedMatrix{NoiseMultiplier: 4, Bands: 5, Steps: 48, Probability: probability}, Count: 2}}
		got, err := EpsilonGroup(lossDistributions{}, banded, delta, n, k)
		if err != nil {
			t.Fatal(err)
		}
		want := epsilonOf(k*math.Sqrt(20.0/16+1.0/81), delta)
		if probability < 1 {
			if want, err = groupBySteps(delta, k, func(delta float64) (float64, error) { return lossDistributions{}.roughly(banded, delta, n) }); err != nil {
				t.Fatal(err)
			}
		}
		if !(got >= want*(1-1e-9)) || got > want*(1+1e-6) {
			t.Errorf("probability %v: a group of %d costs %v, want %v", probability, k, got, want)
		}
	}
}
