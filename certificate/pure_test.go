package certificate

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestPureIsPricedWithoutDelta prices releases at delta 0 by their formulas: 1/scale for Laplace laws, epsilon
// of choices, their sum, twice that under replace-one, and k times for k rows of one person.
func TestPureIsPricedWithoutDelta(t *testing.T) {
	for _, c := range []struct {
		event mechanism.Event
		want  float64
	}{
		{mechanism.Laplace{NoiseMultiplier: 4}, 0.25}, {mechanism.KNorm{NoiseMultiplier: 4}, 0.25}, {mechanism.DiscreteLaplace{Scale: 6, Sensitivity: 3}, 0.5},
		{mechanism.PermuteAndFlip{Epsilon: 0.3}, 0.3}, {mechanism.Exponential{Epsilon: 0.3}, 0.3}, {mechanism.Repeat{Event: mechanism.PermuteAndFlip{Epsilon: 0.2}, Count: 3}, 0.6},
		{mechanism.Sequence{mechanism.KNorm{NoiseMultiplier: 4}, mechanism.Exponential{Epsilon: 0.3}}, 0.55},
		{mechanism.Parallel{mechanism.KNorm{NoiseMultiplier: 4}, mechanism.Exponential{Epsilon: 0.3}}, 0.3},
	} {
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
			price, err := priceOf(Claim{Event: c.event, Neighboring: n, Unit: privacy.Unit{Row: "one row", RowsPerPerson: 5}})
			want := c.want * n.Movement()
			if err != nil || price.Epsilon < want || price.Epsilon > want*(1+1e-11) || math.Abs(price.GroupEpsilon/want-5) > 1e-10 || price.GroupEpsilon < 5*want {
				t.Errorf("%v under %v: got %v, %v, want %v and five times that", c.event, n, price, err, want)
			}
		}
	}
}

// TestGaussianCostsAllWithoutDelta prices what has no epsilon at delta 0, and noise whose law is not exact.
func TestGaussianCostsAllWithoutDelta(t *testing.T) {
	pure := mechanism.KNorm{NoiseMultiplier: 2}
	for name, d := range map[string]Claim{
		"gaussian": {Event: mechanism.Gaussian{NoiseMultiplier: 3}}, "discrete gaussian": {Event: mechanism.DiscreteGaussian{StandardDeviation: 3, Sensitivity: 1}},
		"gaussian beside laplace": {Event: mechanism.Sequence{pure, mechanism.Gaussian{NoiseMultiplier: 3}}}, "none": {Event: mechanism.NonPrivate{}}, "slack": {Event: pure, NoiseDraws: 1},
	} {
		d.Neighboring = privacy.AddOrRemoveOne
		if price, err := priceOf(d); err != nil || !math.IsInf(price.Epsilon, 1) {
			t.Errorf("%s: got %v, %v, want infinity", name, price, err)
		}
	}
}
