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
// One order is the filter of Feldman & Zrnic (NeurIPS 2021, https://arxiv.org/abs/2008.11193). Several
// orders rest on a union bound:
//
//  1. Let V be all outputs, and V_j the outputs up to the first plan that order j alone would refuse.
//     V_j is what order j alone as a filter lets out, so its divergence of order α_j is at most B_j.
//  2. Sums never fall, and some order had room for the last plan. So V = V_J for an order J that the
//     outputs determine.
//  3. Let L be the privacy loss of V and L_j that of V_j. On J = j they are equal, and so are the
//     functions h = max(0, 1-e^(ε-L)) and h_j of them.
//  4. E h = Σ_j E h_j·[J = j] ≤ Σ_j E h_j ≤ Σ_j δ_j ≤ δ. The third step is the conversion of Canonne,
//     Kamath & Steinke (NeurIPS 2020, proposition 12, https://arxiv.org/abs/2004.00010), which bounds E h_j.
//
// Where steps that were never begun are given back, step 2 sums begun steps only. The order
// that had room for the last plan had room for everything that was begun before and after, so step 2 holds.
// Picking the best of several orders without such a split is not known to be valid, and is not offered.
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
		return nil, fmt.Errorf("budget: filter rdp has no price for %d rows of a person together, want a plan whose records are persons; plan it with --unit person:%s, or keep a ledger under gdp, zcdp or basic", p.rows, cmp.Or(f.t.Column, "COLUMN"))
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

// UsualOrder returns the one order at which rdp has most room for Gaussian noise under a cap.
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
