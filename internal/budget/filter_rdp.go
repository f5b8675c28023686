package budget

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/ditherml/dither/account"
)

// rdp sums Rényi divergences at fixed orders α_1 … α_k, under capacities B_j that are fixed with them:
// B_j is the largest divergence that proves (ε, δ_j), and Σ δ_j ≤ δ. A plan fits while some order j has
// a sum of at most B_j with it.
//
// One order is the filter of Feldman & Zrnic ("Individual Privacy Accounting via a Rényi Filter", NeurIPS
// 2021, https://arxiv.org/abs/2008.11193).
// Several orders rest on a union over orders. Let two neighbors give all outputs V the distributions P and P'.
//
//  1. A step is what a plan pays for at once. Let b_j sum bounds on the divergence of order α_j, both
//     ways, over all steps that were begun. At each order a plan has reserved, or keeps when it ends, at
//     least the sum of its begun steps.
//  2. When the last plan was admitted, some order had room for all that was reserved. Every step that
//     ever begins is a part of that. So b_j ≤ B_j at the end for some j. Let J be the least such j, which
//     the outputs determine. Releases that are imported are in doc.go.
//  3. Let V_j be the outputs before the first step with which b_j passes B_j, and a mark if there is such a
//     step. Stopping there is the filter of order α_j, so V_j has divergences of at most B_j. Then V_j is
//     (ε, δ_j)-private (Canonne, Kamath & Steinke, NeurIPS 2020, proposition 12,
//     https://arxiv.org/abs/2004.00010).
//  4. For a set E of outputs let E_j be those with J = j, without a mark. V is in E and J = j if and only
//     if V_j is in E_j, because no step passed B_j. So P(V ∈ E) = Σ_j P(V_j ∈ E_j) ≤ Σ_j (e^ε·P'(V_j ∈ E_j) +
//     δ_j) ≤ e^ε·P'(V ∈ E) + δ.
//
// Interleaved steps of one output each are one adaptive sequence. Steps of several outputs, such as a
// series, need the theorem on concurrency in step 3, see doc.go. Picking the best of several orders
// without a split of δ is not known to be valid, and is not offered.
type rdp struct {
	t        Terms
	a        account.RDP
	capacity []*big.Int
	offset   []float64 // what the conversion adds to a divergence
}

// mostOrders bounds the orders of a filter.
const mostOrders = 16

// unpriced stands in sums for a divergence that is infinite: the order is of no use from then on.
const unpriced = 1e200

func newRDP(t Terms) (filter, error) {
	f, orders, deltas := rdp{t: t}, t.Filter.Orders, t.Filter.Deltas
	if len(orders) < 1 || len(orders) > mostOrders || len(deltas) != len(orders) {
		return nil, fmt.Errorf("budget: filter rdp has %d orders and %d deltas, want 1 to %d orders and a delta for each", len(orders), len(deltas), mostOrders)
	}
	f.a = account.RDP{Orders: orders}
	var whole big.Int
	for j, order := range orders {
		if !(order > 1 && order <= 1e6) || j > 0 && !(order > orders[j-1]) {
			return nil, fmt.Errorf("budget: orders of filter rdp are %v, want rising numbers above 1 and at most 1e6", orders)
		}
		if !(deltas[j] > 0 && deltas[j] < 1) {
			return nil, fmt.Errorf("budget: deltas of filter rdp are %v, want positive numbers with a sum of at most %v", deltas, t.Delta)
		}
		whole.Add(&whole, unitsOf(deltas[j]))
		offset, capacity, err := f.capacityAt(order, deltas[j])
		if err != nil {
			return nil, err
		}
		f.offset, f.capacity = append(f.offset, offset), append(f.capacity, room(capacity))
	}
	if whole.Cmp(nearest(t.Delta)) > 0 {
		return nil, fmt.Errorf("budget: deltas of filter rdp are %v, want a sum of at most %v", deltas, t.Delta)
	}
	return f, nil
}

// capacityAt returns the offset of an order, from above, and the divergence that it has room for, from
// below: B + offset ≤ ε.
func (f rdp) capacityAt(order, delta float64) (offset, capacity float64, err error) {
	epsilon, delta := slackOf(mostDraws).Narrow(f.t.Epsilon, delta)
	if !(delta > 0) {
		return 0, 0, fmt.Errorf("budget: cap is epsilon %v at delta %v, want what leaves room for the rounding of noise, such as epsilon 1 at delta 1e-6", f.t.Epsilon, f.t.Delta)
	}
	shrink, paid := math.Log1p(-1/order), (math.Log(delta)+math.Log(order))/(order-1)
	offset = shrink - paid + 1e-14*(math.Abs(shrink)+(math.Abs(math.Log(delta))+math.Log(order))/(order-1))
	offset = max(0, offset) // Merge needs capacities of at most epsilon; only orders of about 1/delta lose
	if capacity = epsilon - offset - 1e-12*(epsilon+math.Abs(offset)); !(capacity > 0) {
		return 0, 0, fmt.Errorf("budget: order %v has no room under epsilon %v at delta %v, want a larger order, epsilon or delta", order, f.t.Epsilon, delta)
	}
	return offset, capacity, nil
}

func (f rdp) size() int    { return len(f.capacity) }
func (rdp) stepwise() bool { return true }

func (f rdp) price(p plan) ([]float64, error) {
	if p.rows > 1 {
		return nil, fmt.Errorf("budget: filter rdp has no price for %d rows of a person together, want a plan whose records are persons; plan it with --unit person:%s (in Go PerPerson), or keep a ledger under gdp, zcdp or basic", p.rows, cmp.Or(f.t.Column, "COLUMN"))
	}
	curve, err := f.a.Curve(p.event, p.n)
	if err != nil {
		return nil, fmt.Errorf("budget: filter rdp has no price: %w; keep a ledger under basic for such plans", err)
	}
	price := rising(curve)
	if price[0] == unpriced {
		return nil, notPrivate(p)
	}
	return price, nil
}

// rising returns bounds on the divergences of a curve that rise with the order, as divergences do: a bound
// at a larger order is one at each smaller order.
func rising(curve []float64) []float64 {
	out, least := make([]float64, len(curve)), unpriced
	for j := len(curve) - 1; j >= 0; j-- {
		least = min(least, above(curve[j]))
		out[j] = least
	}
	return out
}

func (f rdp) fits(s sums) bool {
	for j := range f.capacity {
		if s[j].Cmp(f.capacity[j]) <= 0 {
			return true
		}
	}
	return false
}

func (f rdp) share(s []float64) float64 {
	least := math.Inf(1)
	for j, v := range s {
		least = min(least, v/float(f.capacity[j]))
	}
	return least
}

func (f rdp) epsilon(s []float64) float64 {
	least := math.Inf(1)
	for j, v := range s {
		switch {
		case v == 0:
			return 0
		case v < unpriced:
			least = min(least, max(0, above(above(v)+f.offset[j])+2*slackOf(mostDraws).LogRatio))
		}
	}
	return least
}

// UsualOrder returns the order at which the filter rdp has the most room for Gaussian noise under a
// cap.
func UsualOrder(epsilon, delta float64) float64 {
	best, at := 0.0, 2.0
	for order := 1.25; order < 1e4; order *= 1.05 {
		rounded := math.Ceil(order*4) / 4
		capacity := epsilon - math.Log1p(-1/rounded) + (math.Log(delta)+math.Log(rounded))/(rounded-1)
		if room := capacity / rounded; room > best {
			best, at = room, rounded
		}
	}
	return at
}
