package account

import (
	"math"
	"math/big"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestGroupsOfManyRecordsDoNotOverflow prices groups whose sensitivity exceeds an int64. At ε below
// the largest loss ε0, δ(ε) of discrete Laplace noise is at least 1 - e^((ε-ε0)/2). So ε at a small
// δ is close to ε0.
func TestGroupsOfManyRecordsDoNotOverflow(t *testing.T) {
	for _, c := range []struct {
		event   mechanism.Event
		records int
		truth   float64 // less than ε
	}{
		{mechanism.DiscreteLaplace{Scale: 1e10, Sensitivity: 1<<33 + 1}, 1 << 31, 1.8e9},
		{mechanism.DiscreteLaplace{Scale: 1e10, Sensitivity: 1 << 33}, 1 << 31, 1.8e9},
		{mechanism.DiscreteGaussian{StandardDeviation: 1e10, Sensitivity: 1<<33 + 1}, 1 << 31, 1e9},
	} {
		v, err := lossDistributions{}.epsilonGroup(c.event, 1e-5, privacy.AddOrRemoveOne, c.records)
		if err == nil && v < c.truth {
			t.Errorf("%v for %d records: got %v, want at least %v", c.event, c.records, v, c.truth)
		}
	}
}

// TestGroupsRefuseDeltasThatOneRecordIsRefused holds that no accountant answers for two records at a δ at which it refuses one.
func TestGroupsRefuseDeltasThatOneRecordIsRefused(t *testing.T) {
	for _, delta := range []float64{-1, 1, 2, math.NaN(), 5e-324, 1e-310} {
		for _, a := range accountants() {
			for records := 1; records < 3; records++ {
				if v, err := EpsilonGroup(a, gaussian(1), delta, privacy.AddOrRemoveOne, records); err == nil {
					t.Errorf("%s for %d records at δ %v: got %v, want an error", a.Name(), records, delta, v)
				}
			}
		}
	}
}

// TestTreesHaveAllTheirLevels counts the levels of a tree of 2^k steps, of which the logarithm of one more rounds to k.
func TestTreesHaveAllTheirLevels(t *testing.T) {
	for k := range 62 {
		for _, c := range []struct{ steps, levels int }{{1 << k, k + 1}, {1<<k - 1, k}} {
			want, err := Mu(mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 3}, Count: c.levels}, privacy.AddOrRemoveOne)
			got, failed := Mu(mechanism.TreeAggregation{NoiseMultiplier: 3, Steps: c.steps}, privacy.AddOrRemoveOne)
			if err != nil || failed != nil || got < want*(1-1e-9) || got > want*(1+1e-9) {
				t.Errorf("%d steps: got μ %v (%v), want %v (%v)", c.steps, got, failed, want, err)
			}
		}
	}
}

// TestSumsOfManyEpsilonsAreRoundedOnce adds up unlike releases in math/big.
func TestSumsOfManyEpsilonsAreRoundedOnce(t *testing.T) {
	var list mechanism.Sequence
	truth := precise(0)
	for i := range 1000 {
		epsilon, count := 0.3+float64(i*i)/9973, 1+i%7
		list = append(list, mechanism.Repeat{Event: assumed(epsilon, 0), Count: count})
		truth.Add(truth, new(big.Float).Mul(precise(epsilon), precise(float64(count))))
	}
	want, _ := truth.Float64()
	for _, a := range []Accountant{basicComposition{}, advancedComposition{}} {
		if v := priced(t, a, list, 0, privacy.ZeroOut); v != want {
			t.Errorf("%s: got %v, want %v, %v units of 2^-53 apart", a.Name(), v, want, apart(v, truth))
		}
		if v := priced(t, a, append(list[1:], mechanism.NonPrivate{}), 0, privacy.ZeroOut); !math.IsInf(v, 1) {
			t.Errorf("%s with a release of no privacy: got %v, want +Inf", a.Name(), v)
		}
	}
}

// TestEpsilonOfOneReleaseHoldsAtItsDelta puts ε of single releases of large loss into their profiles, in math/big.
func TestEpsilonOfOneReleaseHoldsAtItsDelta(t *testing.T) {
	less := func(x float64, y *big.Float) *big.Float { return new(big.Float).SetPrec(600).Sub(precise(x), y) }
	for i := range 100 {
		top := 0.5 + float64(i*i)/16
		for _, delta := range []float64{1e-300, 1e-9, 0.05, 0.3, 0.5, 0.8, 0.9, 0.97, 0.99, 0.998, 1 - 1e-6, 1 - 1e-12} {
			end := preciseExp(precise(top))
			if v := assumedEpsilon(mechanism.AssumedDP{Epsilon: top})(delta); v < top {
				truth := less(1, preciseExp(less(top, precise(v))))
				if truth.Quo(truth, new(big.Float).Add(precise(1), end)).Cmp(precise(delta)) > 0 {
					t.Errorf("a loss of ±%v at δ %v: got ε %v, want more", top, delta, v)
				}
			}
			if v := boundedRangeEpsilon(top)(delta); v < top {
				gap := less(top, precise(v))
				truth := less(1, preciseExp(gap.Quo(gap, precise(2))))
				truth.Mul(truth, truth)
				if truth.Quo(truth, less(1, end)).Cmp(precise(delta)) > 0 {
					t.Errorf("a range of %v at δ %v: got ε %v, want more", top, delta, v)
				}
			}
		}
	}
}

// TestEpsilonOfRareSamplesIsFromAbove compares log(1 + q(e^ε-1)) with math/big where q·e^ε is about 1.
func TestEpsilonOfRareSamplesIsFromAbove(t *testing.T) {
	for i := range 100 {
		epsilon := 20 + float64(i*i)/19
		for _, away := range []float64{1e-6, 0.01, 0.3, 1, 7} {
			q := math.Exp(-epsilon) * away
			grown := new(big.Float).Quo(precise(1), preciseExp(precise(epsilon)))
			grown.Sub(grown, precise(1)).Mul(grown, precise(q)).Add(grown, precise(1))
			at, err := amplified(mechanism.AssumedDP{Epsilon: epsilon}, q, privacy.AddOrRemoveOne)
			if err != nil {
				t.Fatal(err)
			}
			v := at(0)
			if v < 0 || new(big.Float).Quo(precise(1), preciseExp(precise(v))).Cmp(grown) < 0 {
				t.Errorf("ε %v, q %v: got %v, want more", epsilon, q, v)
			}
		}
	}
}

// TestLowerBoundsOfLittleNoiseAreFinite asks for Gaussian releases beyond maxMu: ε at a δ of 1e-9 or more is at most
// μ²/2 + 6μ, and no more than zcdp proves.
func TestLowerBoundsOfLittleNoiseAreFinite(t *testing.T) {
	for _, z := range []float64{1.0 / 899, 1.0 / 901, 1e-3, 1e-4, 1e-6} {
		for _, delta := range []float64{1e-9, 1e-5, 0.5, 0.999} {
			for _, a := range []Accountant{gaussianDP{}, lossDistributions{}, leastBound{}} {
				truth := 1/z*(1/z/2+6) + 1
				v, err := a.Epsilon(gaussian(z), delta, privacy.AddOrRemoveOne)
				if err != nil || !(v.Lower <= truth && v.Lower >= 4e5-900*5 && v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
					t.Errorf("%s of one release of noise %v at δ %v: got %v (%v), want a lower bound of at most %v", a.Name(), z, delta, v, err, truth)
				}
				d, err := a.Delta(gaussian(z), truth, privacy.AddOrRemoveOne)
				if err != nil || !(d.Lower <= 1e-9 && d.Lower <= d.Estimate && d.Estimate <= d.Upper) {
					t.Errorf("%s of one release of noise %v at ε %v: got δ %v (%v), want a lower bound of at most 1e-9", a.Name(), z, truth, d, err)
				}
			}
		}
	}
}

// TestLargestLossOfManyReleasesIsFromAbove adds up losses that each round down in a sum beyond 2^16.
func TestLargestLossOfManyReleasesIsFromAbove(t *testing.T) {
	list := mechanism.Sequence{mechanism.Repeat{Event: assumed(700, 0), Count: 100}}
	truth := precise(70000)
	for i := range 10000 {
		epsilon := 1 + float64(22768-100+i)*0x1p-52 // less than half of what the sum can hold
		list = append(list, assumed(epsilon, 0))
		truth.Add(truth, precise(epsilon))
	}
	v, err := lossDistributions{}.Epsilon(list, 0, privacy.ZeroOut)
	if err != nil || precise(v.Upper).Cmp(truth) < 0 || precise(v.Lower).Cmp(truth) > 0 || v.Upper > 80000.01 {
		t.Errorf("got %v (%v), want %v between", v, err, truth)
	}
}
