package account

import (
	"testing"

	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestLowerBoundsOfAllocationsAmongTruncatedSamples: they come from the pairs that the true ones dominate, also where
// something else in the event needs a cheaper one. The pairs of upper bounds would give more.
func TestLowerBoundsOfAllocationsAmongTruncatedSamples(t *testing.T) {
	const n, delta = privacy.AddOrRemoveOne, 1e-3
	a, e := lossDistributions{width: rough}, parsed(t, "sequence(truncated-poisson(0.01, 1000, 25, gaussian(1)), random-allocation(2, gaussian(1)))")
	v, err := a.Epsilon(e, delta, n)
	less, known := cheaper(e, n)
	if err != nil || !known {
		t.Fatal(v, err, less, known)
	}
	lower := [2]float64{}
	for i, pairsFor := range []func(mechanism.Event, privacy.Neighboring) (directions, error){pairsBelow, pairsOf} {
		c, failed := composeOf(less, n, pairsFor)
		if failed != nil {
			t.Fatal(failed)
		}
		b, failed := c.bounds(pld.AtDelta(delta), a.options(c), func(k *pld.Composed) pld.Bounds { return k.Epsilon(delta) })
		if failed != nil {
			t.Fatal(failed)
		}
		lower[i] = b.Lower
	}
	if v.Lower != lower[0] || !(lower[0] < lower[1]) {
		t.Errorf("the lower bound is %v, want %v, and not the %v that pairs of upper bounds give", v.Lower, lower[0], lower[1])
	}
}

// TestVanishingDeltasComeFromDivergences: no lattice is asked about what is that rare, and large epsilon alone is no reason.
func TestVanishingDeltasComeFromDivergences(t *testing.T) {
	e := parsed(t, "repeat(9, poisson(0.1, gaussian(1)))")
	for epsilon, want := range map[float64]bool{largeEpsilon / 2: false, 2 * largeEpsilon: true, 1e308: true} {
		if v, vanishes, err := vanishing(e, epsilon, privacy.AddOrRemoveOne); err != nil || vanishes != want || want && !(v.Upper > 0 && v.Upper < vanished) {
			t.Errorf("ε %v: got %v, %v, %v, want %v", epsilon, v, vanishes, err, want)
		}
	}
	loud := parsed(t, "poisson(0.1, gaussian(0.02))")
	if v, vanishes, err := vanishing(loud, 2*largeEpsilon, privacy.AddOrRemoveOne); err != nil || vanishes {
		t.Errorf("losses of thousands: got %v, %v, %v, want a lattice to be asked", v, vanishes, err)
	}
}

// TestBeyondTheLargestEpsilon: δ is bounded by what it is at maxEpsilon, and by rdp. The lower bound there is none beyond.
func TestBeyondTheLargestEpsilon(t *testing.T) {
	const n = privacy.AddOrRemoveOne
	e := parsed(t, "poisson(0.1, gaussian(0.006))")
	for _, epsilon := range []float64{1.2 * maxEpsilon, 1.5 * maxEpsilon} {
		v, err := lossDistributions{}.Delta(e, epsilon, n)
		at, failed := lossDistributions{}.Delta(e, maxEpsilon, n)
		other, wrong := RDP{}.Delta(e, epsilon, n)
		if err != nil || failed != nil || wrong != nil || v.Lower != 0 || v.Upper != min(at.Upper, other.Upper) || !(at.Lower > 0) {
			t.Errorf("ε %v: got %v (%v), at maxEpsilon %v (%v), by rdp %v (%v)", epsilon, v, err, at, failed, other, wrong)
		}
	}
}

// TestLossesOfThousandsAreNotForgotten: with little noise, a record in the sample is known for sure up to an ε of
// thousands, where e^ε overflows.
func TestLossesOfThousandsAreNotForgotten(t *testing.T) {
	for text, n := range map[string]privacy.Neighboring{
		"poisson(0.1, gaussian(0.006))": privacy.AddOrRemoveOne, "poisson(0.1, laplace(0.0001))": privacy.AddOrRemoveOne,
		"without-replacement(1000, 100, gaussian(0.012))": privacy.ReplaceOne, "truncated-poisson(0.1, 100, 30, gaussian(0.006))": privacy.AddOrRemoveOne,
		"mixture-of-gaussians(0.006, 0, 0.9, 1, 0.1)": privacy.AddOrRemoveOne,
	} {
		for _, epsilon := range []float64{700, 720, 9000} {
			v, err := lossDistributions{}.Delta(parsed(t, text), epsilon, n)
			if inOrder(t, text, v, err); !(v.Upper >= 0.1*(1-1e-12) && v.Upper < 0.1001) {
				t.Errorf("%s at ε %v: got %v, want 0.1", text, epsilon, v)
			}
		}
		if v, err := (lossDistributions{}).Epsilon(parsed(t, text), 1e-6, n); err != nil || !(v.Upper > 9990) {
			t.Errorf("%s: got %v, %v, want an ε of thousands", text, v, err)
		}
	}
}
