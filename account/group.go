package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// EpsilonGroup returns an upper bound on epsilon, in nats, for neighbors that differ in this many
// records. The delta is the same as for one record. The bound is exact for GDP. At a positive
// delta, PLD composes bounds for groups of this size if such a bound is known for every part of the
// event.
//
// In all other cases, let k be the number of records. At delta 0 the bound is k times the epsilon
// of one record. At a positive delta it is k·ε for an ε with two properties: the event is (ε,
// δ')-private for one record, and δ'·(e^(kε)-1)/(e^ε-1) ≤ δ. The proof changes one record at a time
// (Vadhan, "The Complexity of Differential Privacy", 2017, lemma 2.2, in its exact form,
// https://salil.seas.harvard.edu/publications/complexity-differential-privacy).
func EpsilonGroup(a Accountant, e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	switch exact := a.(type) {
	case gaussianDP: // k records of a group in several parts cost at most as k records in the most expensive part
		return exact.epsilonGroup(e, delta, n, records)
	case lossDistributions:
		if delta > 0 {
			return exact.epsilonGroup(e, delta, n, records)
		}
	}
	general, err := groupBySteps(delta, records, func(delta float64) (float64, error) {
		v, failed := a.Epsilon(e, delta, n)
		return v.Upper, failed
	})
	all, apart := e.(mechanism.Parallel)
	if err != nil || !apart || records == 1 {
		return general, err
	}
	// However the group is divided, no part has more records than the whole group, and the parts
	// are released one after the other.
	together, err := EpsilonGroup(For(mechanism.Sequence(all)), mechanism.Sequence(all), delta, n, records)
	if err != nil {
		return general, nil
	}
	return min(general, together), nil
}

// groupBySteps returns the general bound, from the cost of one record at each delta.
func groupBySteps(delta float64, records int, epsilonAt func(delta float64) (float64, error)) (float64, error) {
	one, err := epsilonAt(delta)
	if err != nil || records == 1 || math.IsInf(one, 1) {
		return one, err
	}
	k := float64(records)
	if delta == 0 {
		return k * one * (1 + 1e-15), nil
	}
	if one == 0 { // k records may still cost something: each step has its own δ
		if one, err = epsilonAt(delta / k); err != nil || one == 0 || math.IsInf(one, 1) {
			return one, err
		}
	}
	holds := func(epsilon float64) bool {
		// Σ_{i<k} e^(iε) ≤ k·e^((k-1)ε). The sum itself is used where it does not overflow.
		grow := k * math.Exp((k-1)*epsilon)
		if k*epsilon < 600 {
			grow = math.Expm1(k*epsilon) / math.Expm1(epsilon) * (1 + 1e-12)
		}
		v, failed := epsilonAt(delta / grow)
		return failed == nil && v <= epsilon
	}
	low, high := one, 2*one
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

// epsilonGroup returns an upper bound on epsilon for neighbors that differ in this many records k.
//
// k records move a Gaussian, Laplace or discrete release by k bounds. A pure release, or one of
// bounded range, stays so with k times its epsilon. assumedGroup says what a statement (ε, δ) is
// for k records, and withThresholds what a threshold is. A Poisson sample holds a binomial number
// of them, so it is a mixture of shifts (Ganesh, "Tight Group-Level DP Guarantees for DP-SGD with
// Sampling via Mixture of Gaussians Mechanisms", 2024, theorem 3.1,
// https://arxiv.org/abs/2401.10294).
//
// Where parts stand in parallel, the records may be in different ones. Given the part of each
// record, a part with k of them has the cost of k records there. All parts together cost their
// composition. The whole costs at most the largest over all divisions (see mechanism.Parallel).
// Where there are more than maxDivisions of them, all records are taken to be in all parts, which
// are then released one after the other. Where another release is part of the event, the bound is
// the general one of EpsilonGroup.
func (a lossDistributions) epsilonGroup(e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	if err := check(e, n); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	if records > 1 && delta > 0 && delta < smallestGroupDelta {
		return 0, fmt.Errorf("account: delta is %v for a group of %d, want 0 or at least %v", delta, records, smallestGroupDelta)
	}
	all, few := divisions(e, records)
	if !few {
		all = [][]portion{{{inSequence(e), records}}}
	}
	most := 0.0
	for _, portions := range all {
		c, proved := groupOf(portions, n)
		if !proved {
			return groupBySteps(delta, records, a.roughlyAt(e, n))
		}
		v, err := a.epsilonOf(c, delta)
		if err != nil {
			return 0, err
		}
		most = max(most, v)
	}
	if records > 1 {
		return most, nil
	}
	if c, err := compose(e, n); err == nil && c.loose { // as in Epsilon
		if v, failed := (RDP{}).Epsilon(e, delta, n); failed == nil {
			most = min(most, v.Upper)
		}
	}
	return most, nil
}

// epsilonOf returns the upper bound of a composition.
func (a lossDistributions) epsilonOf(c composition, delta float64) (float64, error) {
	switch {
	case c.open || c.beyond:
		return math.Inf(1), nil
	case c.gaussian:
		return epsilonOf(c.mu, delta), nil
	}
	b, err := c.bounds(pld.AtDelta(delta), a.options(c), func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
	return b.Upper, err
}

// roughly returns the epsilon of one record, on a coarser lattice where the event has no parts in
// parallel.
func (a lossDistributions) roughly(e mechanism.Event, delta float64, n privacy.Neighboring) (float64, error) {
	return a.roughlyAt(e, n)(delta)
}

// roughlyAt returns roughly as a function of delta; pairs are made once.
func (a lossDistributions) roughlyAt(e mechanism.Event, n privacy.Neighboring) func(delta float64) (float64, error) {
	if isParallel(e) {
		return func(delta float64) (float64, error) {
			v, err := a.Epsilon(e, delta, n)
			return v.Upper, err
		}
	}
	c, err := compose(e, n)
	return func(delta float64) (float64, error) {
		switch {
		case err != nil:
			return 0, err
		case c.open || c.beyond || c.gaussian:
			return a.epsilonOf(c, delta)
		}
		b, failed := c.bounds(pld.AtDelta(delta), pld.Options{Relative: 1e-3, Absolute: 1e-5}, func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
		return b.Upper, failed
	}
}

// maxGroup bounds the number of shifts in a mixture.
const maxGroup = 64

// groupOf returns the composition of portions of an event as dominating pairs of their records. It
// reports whether all their parts have a proved pair. Under replace-one a sampled record has none
// here.
func groupOf(portions []portion, n privacy.Neighboring) (composition, bool) {
	var c composition
	remove, add := []pld.Term{}, []pld.Term{}
	square := 0.0
	for _, p := range portions {
		event, known := withThresholds(p.event, p.records)
		all, err := terms(event, n)
		if err != nil || !known {
			return c, false
		}
		for _, t := range all {
			if disclosesAll(t.event) {
				return composition{open: true}, true
			}
			simple, pairs, proved := pairsOfGroup(t.event, n, p.records)
			switch g, normal := simple.(mechanism.Gaussian); {
			case !proved:
				return c, false
			case normal:
				square += muSquareOf(g, t.count)
			case smallNoise(simple):
				c.beyond = true
			default:
				remove = append(remove, pld.Term{Pair: pairs.remove, Count: int64(t.count)})
				add = append(add, pld.Term{Pair: pairs.add, Count: int64(t.count)})
			}
		}
	}
	c.mu = n.Movement() * math.Sqrt(square) * (1 + muError)
	c.gaussian = len(remove) == 0 && !c.beyond
	if c.mu > maxMu && !c.gaussian {
		c.beyond = true
	}
	if square > 0 && !c.gaussian {
		g := pld.Term{Pair: pair.Shift(pair.Normal, 1/c.mu), Count: 1}
		remove, add = append(remove, g), append(add, g)
	}
	c.directions = [][]pld.Term{remove, add}
	return c, true
}

// pairsOfGroup returns the pairs of a simple event for this many records, and the simple event that
// the event is for them. A Gaussian event has no pairs.
func pairsOfGroup(e mechanism.Event, n privacy.Neighboring, records int) (mechanism.Event, directions, bool) {
	if s, sampled := e.(mechanism.PoissonSampled); sampled && records > 1 {
		inner, normal := s.Event.(mechanism.Gaussian)
		if !normal || n == privacy.ReplaceOne || records > maxGroup {
			return nil, directions{}, false
		}
		p := binomialShifts(s.Probability, inner.NoiseMultiplier, records)
		return e, directions{remove: p, add: p.Swap()}, true
	}
	simple, proved := ofGroup(e, records)
	if _, normal := simple.(mechanism.Gaussian); normal || !proved {
		return simple, directions{}, proved
	}
	pairs, err := pairsOf(simple, n)
	return simple, pairs, err == nil
}

// ofGroup returns what a simple event is for this many records k: one of k times the sensitivity,
// or k times the loss.
func ofGroup(e mechanism.Event, records int) (mechanism.Event, bool) {
	k := float64(records)
	switch e := e.(type) {
	case mechanism.Gaussian:
		return mechanism.Gaussian{NoiseMultiplier: e.NoiseMultiplier / k}, true
	case mechanism.Laplace:
		return mechanism.Laplace{NoiseMultiplier: e.NoiseMultiplier / k}, true
	case mechanism.DiscreteLaplace:
		together, fits := multiplied(e.Sensitivity, records)
		e.Sensitivity = together
		return e, fits && mechanism.CheckEvent(e) == nil
	case mechanism.DiscreteGaussian:
		together, fits := multiplied(e.Sensitivity, records)
		e.Sensitivity = together
		return e, fits && mechanism.CheckEvent(e) == nil
	case mechanism.Exponential:
		return mechanism.Exponential{Epsilon: k * e.Epsilon}, true
	case mechanism.AssumedDP:
		return assumedGroup(e, k), true
	}
	return e, records == 1
}

// multiplied returns the sensitivity of this many records, and whether it fits an int64.
func multiplied(sensitivity int64, records int) (int64, bool) {
	return sensitivity * int64(records), sensitivity <= math.MaxInt64/int64(records)
}

// assumedGroup returns what (ε, δ)-differential privacy is for k records: (kε,
// δ·(e^(kε)-1)/(e^ε-1)) (Vadhan, as for EpsilonGroup).
func assumedGroup(e mechanism.AssumedDP, k float64) mechanism.AssumedDP {
	grow := k
	if e.Epsilon > 0 {
		grow = math.Expm1(k*e.Epsilon) / math.Expm1(e.Epsilon) * (1 + 1e-12)
	}
	if e.Delta > 0 && k > 1 {
		e.Delta = min(1, e.Delta*grow)
	}
	e.Epsilon *= k
	return e
}

// smallestGroupDelta is far above the probabilities that binomialShifts leaves out.
const smallestGroupDelta = 1e-280

// binomialShifts returns the pair of a release that a binomial number of records moves.
func binomialShifts(q, z float64, records int) pair.Mixture {
	m := pair.Mixture{Law: pair.Normal, Scale: z, Q: []pair.Component{{Weight: 1, Mean: 0}}}
	weights, total := make([]float64, records+1), 0.0
	for i := records; i >= 0; i-- {
		whole, _ := math.Lgamma(float64(records) + 1)
		left, _ := math.Lgamma(float64(i) + 1)
		right, _ := math.Lgamma(float64(records-i) + 1)
		weights[i] = math.Exp(whole - left - right + float64(i)*math.Log(q) + float64(records-i)*math.Log1p(-q))
		total += weights[i]
	}
	for i, w := range weights {
		if w /= total; w > 1e-300 {
			m.P = append(m.P, pair.Component{Weight: w, Mean: float64(i)})
		}
	}
	return m
}
