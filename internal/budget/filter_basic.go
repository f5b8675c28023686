package budget

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// basic sums epsilons and deltas. Each plan is priced as a whole by the accountant that prices it best, at
// a delta of its own. Stopping before one of the sums passes its cap is a valid filter (Rogers, Roth,
// Ullman & Vadhan, "Privacy Odometers and Filters: Pay-as-you-Go Composition", NeurIPS 2016,
// https://arxiv.org/abs/1605.08294). A plan may not end early for a lower price: the price of the whole
// may be that of a privacy loss distribution, which is no filter.
type basic struct {
	t              Terms
	epsilons, rest *big.Int // capacities
}

// newBasic returns the filter. Sums are rounded to nearest once, as account.Basic has them: else ten plans
// at epsilon 0.1 would not fit into 1.
func newBasic(t Terms) basic { return basic{t, nearest(t.Epsilon), nearest(t.Delta)} }

// nearest returns the largest sum that is rounded to v or less.
func nearest(v float64) *big.Int {
	half := (math.Nextafter(v, math.Inf(1)) - v) / 2
	if math.IsInf(half, 1) { // nothing is above v
		half = 0
	}
	return new(big.Int).Add(room(v), room(half))
}

func (basic) size() int      { return 2 }
func (basic) stepwise() bool { return false }

func (f basic) fits(s sums) bool { return s[0].Cmp(f.epsilons) <= 0 && s[1].Cmp(f.rest) <= 0 }

func (f basic) share(s []float64) float64 {
	switch {
	case f.t.Delta == 0 && s[1] > 0: // of a cap without delta there is no share, so a plan with one takes a cap more
		return 1 + s[0]/f.t.Epsilon
	case f.t.Delta == 0:
		return s[0] / f.t.Epsilon
	}
	return max(s[0]/f.t.Epsilon, s[1]/f.t.Delta)
}

func (f basic) epsilon(s []float64) float64 {
	if s[1] > f.t.Delta*(1+1e-15) {
		return math.Inf(1)
	}
	return s[0]
}

func (f basic) price(p plan) ([]float64, error) {
	pure := p
	pure.delta = 0
	if v, _, err := bestPrice(pure); err == nil && !math.IsInf(v, 1) { // takes nothing of delta
		return []float64{v, 0}, nil
	}
	epsilon, _, err := bestPrice(p)
	if err != nil {
		return nil, err
	}
	if math.IsInf(epsilon, 1) {
		if p.delta == 0 {
			return nil, fmt.Errorf("budget: %w: %v has no price at delta 0, want a delta for the plan, which filter basic adds up", ErrOverBudget, p.event)
		}
		return nil, notPrivate(p)
	}
	return []float64{epsilon, p.delta}, nil
}

// bestPrice returns epsilon at the delta of the plan, with the slack of its draws. The accountant that
// prices the plan best computes it, and is named.
func bestPrice(p plan) (float64, string, error) {
	a := account.ForDelta(p.event, p.delta)
	epsilon, err := slackened(a, p)
	if err != nil || math.IsInf(epsilon, 1) {
		if v, failed := slackened(account.Best, p); failed == nil {
			return v, account.Best.Name(), nil
		}
	}
	return epsilon, a.Name(), err
}

// exact reports whether the noise of a plan has no slack: at delta 0 samplers are exact, unless the plan
// counts draws that are not.
func (p plan) exact() bool { return p.delta == 0 && p.draws == unknownDraws }

// slackened is the price by one accountant.
func slackened(a account.Accountant, p plan) (float64, error) {
	price := func(delta float64) (float64, error) {
		if p.rows > 1 {
			return account.EpsilonGroup(a, p.event, delta, p.n, p.rows)
		}
		v, err := a.Epsilon(p.event, delta, p.n)
		return v.Upper, err
	}
	rough, err := price(p.delta)
	if err != nil || p.exact() || math.IsInf(rough, 1) {
		return rough, err
	}
	all := slackOf(p.draws)
	_, delta := all.Narrow(rough+1, p.delta)
	if !(delta > 0) {
		return math.Inf(1), nil
	}
	v, err := price(delta)
	if err != nil || !(v <= rough+1) {
		return math.Inf(1), err
	}
	out, _ := all.Widen(v, delta)
	return out, nil
}

// gaussianAt returns a Gaussian release with this multiplier, for asking how much is left.
func gaussianAt(multiplier float64, t Terms) plan {
	e := mechanism.Gaussian{NoiseMultiplier: multiplier}
	return plan{event: e, text: e.String(), n: t.Neighboring, rows: 1, delta: t.Delta}
}

// relationOfMoves is the relation under which a person who changes populations leaves one and enters the
// other.
const relationOfMoves = privacy.AddOrRemoveOne
