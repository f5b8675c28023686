package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// For returns the accountant that prices an event best: GDP, which is exact, when it amounts to
// Gaussian releases alone, else RDP.
func For(e mechanism.Event) Accountant {
	for n := privacy.AddOrRemoveOne; n <= privacy.ZeroOut; n++ {
		all, err := terms(e, n)
		if err != nil {
			continue
		}
		if _, err = muSquare(all); err != nil {
			return RDP{}
		}
	}
	return GDP{}
}

// EpsilonGroup returns an upper bound on epsilon for neighbors that differ in this many records,
// at the same delta. For GDP it is exact; for other accountants it is k·ε with ε so that the
// event is (ε, δ')-private and δ'·(e^(kε)-1)/(e^ε-1) ≤ δ, which k steps between neighbors give
// (Vadhan, "The Complexity of Differential Privacy", 2017, lemma 2.2, in its exact form,
// https://salil.seas.harvard.edu/publications/complexity-differential-privacy).
func EpsilonGroup(a Accountant, e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	if g, exact := a.(GDP); exact {
		return g.EpsilonGroup(e, delta, n, records)
	}
	v, err := a.Epsilon(e, delta, n)
	if err != nil || records == 1 || v.Upper == 0 || math.IsInf(v.Upper, 1) {
		return v.Upper, err
	}
	k := float64(records)
	holds := func(epsilon float64) bool {
		// Σ_{i<k} e^(iε) ≤ k·e^((k-1)ε), and the sum itself where it does not overflow.
		grow := k * math.Exp((k-1)*epsilon)
		if k*epsilon < 600 {
			grow = math.Expm1(k*epsilon) / math.Expm1(epsilon) * (1 + 1e-12)
		}
		w, failed := a.Epsilon(e, delta/grow, n)
		return failed == nil && w.Upper <= epsilon
	}
	low, high := v.Upper, 2*v.Upper
	for !holds(high) {
		if low, high = high, 2*high; k*high > 600 {
			return math.Inf(1), nil
		}
	}
	for i := 0; i < 60 && high-low > 1e-9*high; i++ {
		if mid := (low + high) / 2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return k * high, nil
}
