package account

import (
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/account/internal/allocation"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Random allocation: the record moves one of T steps, drawn uniformly, by one bound at most.
//
// Claim: the outputs of all steps are a processing of T numbers x_t ~ N(m_t, z²). Here m_t is 1 for
// the step drawn and 0 for the others; without the record all m_t are 0. So the two distributions
// of these numbers, with and without the record, are a dominating pair. It is the pair of Chua and
// others 2025 (https://arxiv.org/abs/2412.16802).
//
// Proof.
//
//   1. Fix the steps of the other records, which have the same distribution for both neighbors.
//   2. Step t releases c + v·m_t + N for normal noise N of covariance z²·I. The sum c of the others
//      and the contribution v of the record, |v| ≤ 1, depend on earlier outputs alone.
//   3. Draw the output as c + v·x_t + N', with N' normal of covariance z²·(I - v·vᵀ), which is
//      positive semidefinite.
//   4. So one rule makes the outputs from the numbers in both cases. It knows the earlier outputs and
//      x_t, but no m_t. ∎
//
// Several releases at one step are one Gaussian by the same rule: the sum of their x_t tells as
// much as all of them. Epochs that draw anew compose like any releases. Under replace-one the
// outputs with one record, with neither and with the other are compared in turn
// (allocation.Replace).

// allocated returns the random allocation of a Gaussian, or that Gaussian for one step.
func allocated(steps int, inner mechanism.Event) mechanism.Event {
	if steps == 1 {
		return inner
	}
	return mechanism.RandomAllocation{Steps: steps, Event: inner}
}

// An allocation with less noise than leastAllocationNoise is priced as if its step were known. One
// with more noise than mostAllocationNoise is priced at mostAllocationNoise.
const leastAllocationNoise, mostAllocationNoise = 0.3, 1e6

// allocationsKept is the number of allocations whose pairs are kept, each at most 100 kB.
const allocationsKept = 16

// knownAllocations holds the pairs of the allocations that were priced last. Pairs take longer than
// the rest of a price, and are the same at every ε and δ. Nothing writes to pairs.
var knownAllocations struct {
	sync.Mutex
	list []*knownAllocation
}

// allocationKey identifies an allocation.
type allocationKey struct {
	steps int
	noise float64
	n     privacy.Neighboring
	kind  allocation.Kind
}

// knownAllocation is the pairs of one allocation.
type knownAllocation struct {
	allocationKey
	pairs func() (directions, error)
}

// allocationPairs returns the pairs of newAllocationPairs, and keeps the pairs of recent
// allocations.
func allocationPairs(e mechanism.RandomAllocation, n privacy.Neighboring, kind allocation.Kind) (directions, error) {
	key, all := allocationKey{e.Steps, multiplierOf(e.Event), n, kind}, &knownAllocations
	all.Lock()
	at := slices.IndexFunc(all.list, func(k *knownAllocation) bool { return k.allocationKey == key })
	if at < 0 {
		if len(all.list) == allocationsKept {
			all.list = slices.Delete(all.list, 0, 1)
		}
		at = len(all.list)
		pairs := sync.OnceValues(func() (directions, error) { return newAllocationPairs(e, n, kind) })
		all.list = append(all.list, &knownAllocation{key, pairs})
	}
	known := all.list[at]
	all.Unlock()
	return known.pairs()
}

// newAllocationPairs returns pairs that dominate the true pairs of an allocation for kind Upper,
// and pairs that the true ones dominate for kind Lower.
func newAllocationPairs(e mechanism.RandomAllocation, n privacy.Neighboring, kind allocation.Kind) (directions, error) {
	z := multiplierOf(e.Event)
	if z < leastAllocationNoise || z > mostAllocationNoise {
		if kind == allocation.Lower {
			return symmetric(pair.Atoms{{P: 1, Q: 1}}), nil
		}
		if z < leastAllocationNoise {
			return symmetric(pair.Shift(pair.Normal, z/n.Movement())), nil
		}
	}
	pairs, err := allocation.New(e.Steps, min(z, mostAllocationNoise), kind)
	if err != nil {
		return directions{}, err
	}
	if n == privacy.ReplaceOne && kind == allocation.Upper {
		return symmetric(allocation.Replace(pairs)), nil
	}
	// Under replace-one a record whose contribution is 0 may take the place of another.
	return directions{pairs.Remove, pairs.Add, false}, nil
}

// pairsBelow returns the pairs of pairsOf, but for a random allocation the pairs of lower bounds.
func pairsBelow(e mechanism.Event, n privacy.Neighboring) (directions, error) {
	if r, ok := e.(mechanism.RandomAllocation); ok {
		return allocationPairs(r, n, allocation.Lower)
	}
	return pairsOf(e, n)
}

// bracket returns bounds whose lower one comes from pairsBelow.
func (a lossDistributions) bracket(b pld.Bounds, e mechanism.Event, n privacy.Neighboring, aim pld.Aim, read func(*pld.Composed) pld.Bounds) (pld.Bounds, error) {
	c, err := composeOf(e, n, pairsBelow)
	if err != nil {
		return pld.Bounds{}, err
	}
	below, err := c.bounds(aim, a.options(c), read)
	return pld.Bounds{Lower: min(below.Lower, b.Upper), Upper: b.Upper}, err
}

// allocationOrder is the largest order at which the divergence of an allocation is computed.
const allocationOrder = 256

// allocationMoments are the numbers from which the Rényi divergences of an allocation follow. They
// are logarithms of the moments of the likelihood ratio S at integer orders, and the pair of adding
// the record.
type allocationMoments struct {
	steps, noise float64
	logs         []float64
	add          pair.Atoms
}

// allocation returns bounds on the divergences of an allocation at each order. They are at most the
// divergences of its Gaussian, since Rényi divergences are jointly quasi-convex. Under replace-one
// they are priced as the Gaussian.
func (m moments) allocation(e mechanism.RandomAllocation, orders []float64, n privacy.Neighboring) ([]float64, error) {
	z := multiplierOf(e.Event)
	mu := n.Movement() / z
	values := make([]float64, len(orders))
	for i, order := range orders {
		values[i] = order * mu * mu / 2
	}
	if n == privacy.ReplaceOne || z < leastAllocationNoise || z > mostAllocationNoise {
		return values, nil
	}
	known, ok := m.allocations[e.String()]
	if !ok {
		pairs, err := allocationPairs(e, n, allocation.Upper)
		if err != nil {
			return nil, err
		}
		known = &allocationMoments{float64(e.Steps), z, allocation.LogMoments(e.Steps, z, allocationOrder), pairs.add.(pair.Atoms)}
		m.allocations[e.String()] = known
	}
	for i, order := range orders {
		if order <= allocationOrder {
			values[i] = min(values[i], known.divergence(order))
		}
	}
	return values, nil
}

// divergence returns the larger of both directions. The divergence of removal is known at integer
// orders, and its moment is convex between them.
func (a *allocationMoments) divergence(order float64) float64 {
	low := math.Floor(order)
	remove := a.logs[int(low)]
	if share := order - low; share > 0 {
		remove += share * (a.logs[int(low)+1] - remove)
	}
	return max(0, remove, a.logAdd(order)) / (order - 1)
}

// logAdd returns a bound on log E S^(1-α), in three steps.
//
//  1. A distribution S' that is larger in the convex order is S spread out, S = E(S'|S), and 0 with
//     some probability ν in all.
//  2. Let S' > 0 have probability p given S. Then its mean there, given S, is S/p. Hence
//     E(S'^(1-α); S' > 0 | S) ≥ p^α·S^(1-α) by Jensen's inequality.
//  3. The rest, E (1-p^α)·S^(1-α) ≤ α·E (1-p)·S^(1-α), is at most α·√(ν·E S^-c) for c = 2(α-1), by
//     Cauchy and Schwarz. And E S^-c ≤ e^(c/2z²+c²/2Tz²), since a mean is no less than the geometric
//     one.
func (a *allocationMoments) logAdd(order float64) float64 {
	var terms []float64
	zero := 0.0
	for _, v := range a.add {
		switch {
		case v.P > 0 && v.Q > 0:
			terms = append(terms, math.Log(v.P)+(order-1)*math.Log(v.P/v.Q))
		case v.P > 0:
			zero += v.P
		}
	}
	if zero > 0 {
		c := 2 * (order - 1)
		terms = append(terms, math.Log(order)+(math.Log(zero)+(c+c*c/a.steps)/(2*a.noise*a.noise))/2)
	}
	top := slices.Max(terms)
	sum := 0.0
	for _, v := range terms {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum) + 1e-12
}
