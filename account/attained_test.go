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
	a, e := PLD{Width: rough}, parsed(t, "sequence(truncated-poisson(0.01, 1000, 25, gaussian(1)), random-allocation(2, gaussian(1)))")
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
