package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Advanced is the accountant of advanced composition. It describes release i by one pair (ε_i, δ_i)
// and composes the pairs. If all releases are equal it uses optimal composition, else a closed
// formula for different releases. It tries several splits of δ between the releases and their
// composition, and returns the least bound. The bound of Advanced never exceeds the bound of Basic.
// It usually exceeds the bound of PLD, which uses every pair (ε, δ) that holds for a release. Use
// Advanced if nothing but one pair (ε, δ) is known about a release. The parameters of all releases
// must be fixed before the first release.
//
// Kairouz, Oh & Viswanath, "The Composition Theorem for Differential Privacy", ICML 2015, theorems
// 3.3 and 3.5, https://arxiv.org/abs/1311.0776.
var Advanced advancedComposition

// advancedComposition is the type of Advanced.
type advancedComposition struct{}

var _ Accountant = advancedComposition{}

// splits are the shares of δ that go to the releases; the rest goes to their composition.
var splits = [...]float64{1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 0.99}

// Name returns "advanced".
func (advancedComposition) Name() string { return "advanced" }

// Epsilon returns an upper bound on epsilon. It is the least bound over several ways to divide
// delta between the releases and their composition. Lower is 0, because the accountant proves upper
// bounds only.
func (a advancedComposition) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Epsilon(w, delta, n) }); several {
		return v, err
	}
	r, err := releasesOf(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkDelta(delta); err != nil {
		return Interval{}, err
	}
	if err = r.few("advanced"); err != nil {
		return Interval{}, err
	}
	epsilon := r.advanced(delta)
	return Interval{0, epsilon, epsilon}, nil
}

// Delta returns the smallest delta for which the bound of Epsilon is at most epsilon, to a relative
// 1e-9. Lower is 0.
func (a advancedComposition) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Delta(w, epsilon, n) }); several {
		return v, err
	}
	return leastDeltaOf(e, epsilon, n, a.Name(), releases.advanced)
}

// advanced returns the least bound over the splits, and over basic composition.
func (r releases) advanced(delta float64) float64 {
	least := r.basic(delta)
	fixed, sharing := r.disclosed()
	if fixed > delta {
		return least
	}
	if least = min(least, r.composed(delta, 0)); sharing == 0 && len(r) != 1 {
		return least // no release uses a share
	}
	for _, share := range splits {
		least = min(least, r.composed(delta, share*(delta-fixed)/(1-fixed)))
	}
	return least
}

// composed returns the bound when all releases that need a share of δ have shared of it together,
// in addition to the fixed part. They may be of one kind only.
func (r releases) composed(delta, shared float64) float64 {
	if len(r) == 1 {
		return r[0].composed(delta, shared)
	}
	_, sharing := r.disclosed()
	part := shareOf(shared, sharing)
	var s spread
	var d pair.Disclosure
	for _, v := range r {
		at := v.fixed
		if !v.pure {
			at = part
		}
		s.add(v.epsilon(at), v.count)
		d.Add(at, v.count)
	}
	_, disclosed := d.Bounds()
	if math.IsInf(s.total.value(), 1) || disclosed > delta {
		return math.Inf(1)
	}
	return s.closed((delta - disclosed) / (1 - disclosed) * (1 - 1e-15)) // three roundings
}

// composed returns the bound of releases.composed for equal releases.
func (r release) composed(delta, shared float64) float64 {
	part := shareOf(shared, r.count)
	at := r.fixed + (1-r.fixed)*part
	return kovOptimal(r.epsilon(at), at, int(r.count), delta)
}
