package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// EpsilonGroup returns an upper bound on epsilon for neighbors that differ in this many records,
// at the same delta. It is exact for GDP, and tight for PLD where every part of the event allows
// it (Gaussian, Laplace and Poisson-sampled Gaussian releases; see PLD.EpsilonGroup); otherwise it
// is k·ε with ε so that the event is (ε, δ')-private and δ'·(e^(kε)-1)/(e^ε-1) ≤ δ, which k steps
// between neighbors give (Vadhan, "The Complexity of Differential Privacy", 2017, lemma 2.2, in
// its exact form, https://salil.seas.harvard.edu/publications/complexity-differential-privacy). At
// delta 0 that is k·ε.
func EpsilonGroup(a Accountant, e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	switch exact := a.(type) {
	case GDP: // k records of a group in several parts cost at most what k in the dearest cost
		return exact.EpsilonGroup(e, delta, n, records)
	case PLD:
		if !parallel(e) {
			return exact.EpsilonGroup(e, delta, n, records)
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
	// However the group is divided, no part has more than all of it, and the parts are released one after the other.
	together, err := EpsilonGroup(For(mechanism.Sequence(all)), mechanism.Sequence(all), delta, n, records)
	if err != nil {
		return general, nil
	}
	return min(general, together), nil
}

// groupBySteps is the general bound from what one record costs at each delta.
func groupBySteps(delta float64, records int, epsilonAt func(delta float64) (float64, error)) (float64, error) {
	one, err := epsilonAt(delta)
	if err != nil || records == 1 || one == 0 || math.IsInf(one, 1) {
		return one, err
	}
	k := float64(records)
	if delta == 0 {
		return k * one * (1 + 1e-15), nil
	}
	holds := func(epsilon float64) bool {
		// Σ_{i<k} e^(iε) ≤ k·e^((k-1)ε), and the sum itself where it does not overflow.
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

// EpsilonGroup returns an upper bound on epsilon for neighbors that differ in this many records. k
// records move a Gaussian or Laplace release by k bounds; a Poisson sample holds a binomial number of
// them, so that it is a mixture of shifts (Ganesh, "Tight Group-Level DP Guarantees for DP-SGD with
// Sampling via Mixture of Gaussians Mechanisms", 2024, theorem 3.1, https://arxiv.org/abs/2401.10294); the log
// ratios of a choice of bounded range ε move by ε for each record, so that it is one of bounded range k·ε.
// Where another release is part of the event, the bound is the general one of EpsilonGroup.
func (a PLD) EpsilonGroup(e mechanism.Event, delta float64, n privacy.Neighboring, records int) (float64, error) {
	if records < 1 {
		return 0, fmt.Errorf("account: group size is %d, want at least 1", records)
	}
	if parallel(e) { // the records of a group may be in different parts
		return groupBySteps(delta, records, func(delta float64) (float64, error) {
			v, failed := a.Epsilon(e, delta, n)
			return v.Upper, failed
		})
	}
	c, err := compose(e, n)
	if err != nil {
		return 0, err
	}
	if err = checkDelta(delta); err != nil {
		return 0, err
	}
	switch {
	case c.open || c.beyond:
		return math.Inf(1), nil
	case c.gaussian:
		return epsilonOf(float64(records)*c.mu, delta), nil
	case records == 1:
	case c.group(e, n, records):
		records = 1
	default:
		return groupBySteps(delta, records, func(delta float64) (float64, error) {
			b, failed := c.bounds(pld.AtDelta(delta), pld.Options{Relative: 1e-3, Absolute: 1e-5}, func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
			return b.Upper, failed
		})
	}
	b, err := c.bounds(pld.AtDelta(delta), a.options(c), func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
	return b.Upper, err
}

// maxGroup bounds the number of shifts in a mixture.
const maxGroup = 64

// group replaces the pairs by those of a group and reports whether all allow it. Under replace-one a
// sampled record has no proven pair here.
func (c *composition) group(e mechanism.Event, n privacy.Neighboring, records int) bool {
	all, err := terms(e, n)
	if err != nil || records > maxGroup {
		return false
	}
	k := float64(records)
	remove, add := []pld.Term{}, []pld.Term{}
	if c.mu > 0 {
		p := pair.Shift(pair.Normal, 1/(k*c.mu))
		remove, add = append(remove, pld.Term{Pair: p, Count: 1}), append(add, pld.Term{Pair: p, Count: 1})
	}
	for _, t := range all {
		var p, swapped pair.Pair
		switch e := t.event.(type) {
		case mechanism.Gaussian:
			continue // part of mu
		case mechanism.Laplace:
			p = pair.Shift(pair.Laplace, e.NoiseMultiplier/(k*n.Movement()))
			swapped = p
		case mechanism.Exponential:
			p = pair.BoundedRange{Epsilon: k * n.Movement() * e.Epsilon}
			swapped = p
		case mechanism.AssumedDP:
			p = assumedGroup(e, k)
			swapped = p
		case mechanism.PoissonSampled:
			inner, normal := e.Event.(mechanism.Gaussian)
			if !normal || n == privacy.ReplaceOne {
				return false
			}
			m := binomialShifts(e.Probability, inner.NoiseMultiplier, records)
			p, swapped = m, m.Swap()
		default:
			return false
		}
		remove = append(remove, pld.Term{Pair: p, Count: int64(t.count)})
		add = append(add, pld.Term{Pair: swapped, Count: int64(t.count)})
	}
	c.directions = [][]pld.Term{remove, add}
	return true
}

// assumedGroup is the pair of (ε, δ)-differential privacy for k records: (kε, δ·(e^(kε)-1)/(e^ε-1)) (Vadhan, as above).
func assumedGroup(e mechanism.AssumedDP, k float64) pair.Pair {
	grow := k
	if e.Epsilon > 0 {
		grow = math.Expm1(k*e.Epsilon) / math.Expm1(e.Epsilon) * (1 + 1e-12)
	}
	delta := 0.0
	if e.Delta > 0 {
		delta = min(1, e.Delta*grow)
	}
	return approximate(k*e.Epsilon, delta)
}

// binomialShifts is a release that a binomial number of records moves.
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
