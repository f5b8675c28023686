package account

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// RDP is the accountant of Rényi differential privacy at given orders. Nil Orders mean the default
// grid, which grows roughly geometrically from 1.05 to about 2000. RDP prices every event that has
// a proof under the relation.
//
// RDP with a single order is a valid filter: the divergences of an order that is fixed in advance
// add up, even if a release is chosen after earlier outputs.
//
// Sources:
//
//   - Gaussian releases and composition: Mironov, "Rényi Differential Privacy", CSF 2017,
//     https://arxiv.org/abs/1702.07476
//   - Gaussian releases on Poisson samples: Mironov, Talwar & Zhang, "Rényi Differential Privacy of
//     the Sampled Gaussian Mechanism", 2019, https://arxiv.org/abs/1908.10530. Section 3.3 has the
//     integer orders. Theorem 4 shows that one of the two directions is always the larger: the
//     divergence of the mixture from the normal distribution.
//   - conversion to (ε, δ): Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential
//     Privacy", NeurIPS 2020, proposition 12, https://arxiv.org/abs/2004.00010
//   - filters: Feldman & Zrnic, "Individual Privacy Accounting via a Rényi Filter", NeurIPS 2021,
//     https://arxiv.org/abs/2008.11193
type RDP struct {
	// Orders are the Rényi orders, each more than 1 and finite. Nil means the default grid.
	Orders []float64
}

var _ Accountant = RDP{}

// rdpError bounds the relative error of a computed divergence.
const rdpError = 1e-9

// defaultOrders are the orders of an RDP without orders, fractional where ε is large.
var defaultOrders = func() []float64 {
	orders := []float64{1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9}
	for order := 2.0; order < 12; order += 0.25 {
		orders = append(orders, order)
	}
	for order := 12.0; order <= 2048; order = math.Ceil(order * 1.06) {
		orders = append(orders, order)
	}
	return orders
}()

// Name returns "rdp".
func (RDP) Name() string { return "rdp" }

func (a RDP) orders() []float64 {
	if a.Orders == nil {
		return defaultOrders
	}
	return a.Orders
}

// Curve returns an upper bound on the Rényi divergence of the event at each order, in nats. All
// bounds are +Inf if the event can disclose a record with positive probability. An example is an
// assumed (ε, δ)-private release with δ > 0.
func (a RDP) Curve(e mechanism.Event, n privacy.Neighboring) ([]float64, error) {
	if all, err := ways(e); isParallel(e) && mechanism.CheckEvent(e) == nil {
		return a.largest(all, n, err)
	}
	all, err := terms(e, n)
	if err != nil {
		return nil, err
	}
	curve, disclosed, err := a.curve(all, n, 1, newMoments())
	if disclosed > 0 {
		for i := range curve {
			curve[i] = math.Inf(1)
		}
	}
	return curve, err
}

// largest returns the largest divergence over several events at each order. It bounds the
// divergence of a mixture of the events with the same shares on both sides.
func (a RDP) largest(events []mechanism.Event, n privacy.Neighboring, err error) ([]float64, error) {
	largest := make([]float64, len(a.orders()))
	for _, e := range events {
		curve, failed := a.Curve(e, n)
		if failed != nil {
			return nil, failed
		}
		for i, v := range curve {
			largest[i] = max(largest[i], v)
		}
	}
	return largest, err
}

// curve returns the divergences when every statement of (ε, δ)-differential privacy is replaced by
// its ε. That fails with the probability disclosed, over all statements together.
func (a RDP) curve(all []term, n privacy.Neighboring, stride int, cache moments) (curve []float64, disclosed float64, err error) {
	curve = make([]float64, len(a.orders()))
	if a.Orders != nil {
		stride = 1 // named orders are not refined
	}
	for _, order := range a.orders() {
		if !(order > 1) || math.IsInf(order, 1) {
			return nil, 0, fmt.Errorf("account: Rényi order is %v, want more than 1 and finite", order)
		}
	}
	var lost pair.Disclosure
	for _, t := range all {
		if d, ok := t.event.(mechanism.AssumedDP); ok && d.Delta > 0 {
			lost.Add(d.Delta, t.count)
			t.event = mechanism.AssumedDP{Epsilon: d.Epsilon, Neighboring: d.Neighboring}
		}
		one, failed := cache.divergences(t.event, a.orders(), n, stride)
		if failed != nil {
			return nil, 0, failed
		}
		for i, v := range one {
			if !(v >= 0) { // also NaN
				v = math.Inf(1)
			}
			v = max(v, math.SmallestNonzeroFloat64) // a value too small for float64 is not 0
			curve[i] += t.count * v * (1 + rdpError)
		}
	}
	_, disclosed = lost.Bounds()
	return curve, disclosed, nil
}

// Epsilon returns an interval for epsilon, in nats. Upper is the least upper bound over the orders.
// Lower is 0, because the accountant proves upper bounds only.
func (a RDP) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	epsilon, _, err := a.Best(e, delta, n)
	return Interval{0, epsilon, epsilon}, err
}

// dearest returns Best of the most expensive event.
func (a RDP) dearest(events []mechanism.Event, delta float64, n privacy.Neighboring, err error) (epsilon, order float64, failed error) {
	for _, e := range events {
		v, alpha, wrong := a.Best(e, delta, n)
		if wrong != nil {
			return 0, 0, wrong
		}
		if order == 0 || v > epsilon {
			epsilon, order = v, alpha
		}
	}
	return epsilon, order, err
}

// Best returns the least upper bound on epsilon over the orders, in nats, and the order that
// attains the bound.
func (a RDP) Best(e mechanism.Event, delta float64, n privacy.Neighboring) (epsilon, order float64, err error) {
	if all, failed := ways(e); isParallel(e) && mechanism.CheckEvent(e) == nil {
		return a.dearest(all, delta, n, failed)
	}
	all, err := terms(e, n)
	if err != nil {
		return 0, 0, err
	}
	if a.Orders == nil {
		all, _ = gather(all, true)
	}
	cache := newMoments()
	curve, disclosed, err := a.curve(all, n, momentStride, cache)
	if err != nil {
		return 0, 0, err
	}
	if err = checkDelta(delta); err != nil {
		return 0, 0, err
	}
	epsilon, order = a.convert(curve, delta-disclosed*(1+1e-12))
	if a.Orders == nil && epsilon > 0 && !math.IsInf(epsilon, 1) {
		refine(all, order, n, cache, func(one RDP, curve []float64) float64 {
			v, alpha := one.convert(curve, delta-disclosed*(1+1e-12))
			if v < epsilon {
				epsilon, order = v, alpha
			}
			return v
		})
	}
	return epsilon, order, nil
}

// refine tries orders near the best one of the grid by golden sections of log(α-1). try gets the
// curve at one order and returns the number to minimize. Every order gives a valid bound.
func refine(all []term, best float64, n privacy.Neighboring, cache moments, try func(one RDP, curve []float64) float64) {
	at := slices.Index(defaultOrders, best)
	low := math.Log(defaultOrders[max(0, at-momentStride)] - 1)
	high := math.Log(defaultOrders[min(len(defaultOrders)-1, at+momentStride)] - 1)
	value := func(x float64) float64 {
		one := RDP{Orders: []float64{1 + math.Exp(x)}}
		curve, _, err := one.curve(all, n, 1, cache)
		if err != nil {
			return math.Inf(1)
		}
		return try(one, curve)
	}
	special.GoldenSection(low, high, refinements, value)
}

// refinements is the number of times that the interval of orders shrinks.
const refinements = 16

// convert returns the least epsilon that a curve proves at delta, and its order.
func (a RDP) convert(curve []float64, delta float64) (epsilon, order float64) {
	epsilon, order = math.Inf(1), a.orders()[0]
	if delta < 0 {
		return epsilon, order
	}
	for i, alpha := range a.orders() {
		v := 0.0
		if curve[i] != 0 {
			v = curve[i] + math.Log1p(-1/alpha) - (special.Log(delta)+math.Log(alpha))/(alpha-1)
			v = max(0, v) * (1 + 1e-12)
		}
		if v < epsilon {
			epsilon, order = v, alpha
		}
	}
	return epsilon, order
}

// Delta returns an interval for delta. Upper is the least of exp((α-1)(R-ε))·(1-1/α)^α/(α-1) over
// the orders α, with R the divergence of order α. Lower is 0, because the accountant proves upper
// bounds only.
func (a RDP) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Delta(w, epsilon, n) }); several {
		return v, err
	}
	epsilon = within(epsilon)
	all, err := terms(e, n)
	if err != nil {
		return Interval{}, err
	}
	if a.Orders == nil {
		all, _ = gather(all, true)
	}
	cache := newMoments()
	curve, disclosed, err := a.curve(all, n, momentStride, cache)
	if err != nil {
		return Interval{}, err
	}
	if err = checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	best, order := a.delta(curve, epsilon)
	if a.Orders == nil && best > 0 && best < 1 {
		refine(all, order, n, cache, func(one RDP, curve []float64) float64 {
			v, _ := one.delta(curve, epsilon)
			best = min(best, v)
			return v
		})
	}
	best = min(1, best+disclosed*(1+1e-12))
	return positive(Interval{0, best, best}, all, epsilon, n), nil
}

// delta returns the least delta that a curve proves at epsilon, and its order.
func (a RDP) delta(curve []float64, epsilon float64) (best, order float64) {
	best, order = 1.0, a.orders()[0]
	for i, alpha := range a.orders() {
		if curve[i] == 0 || math.IsInf(epsilon, 1) {
			return 0, alpha
		}
		logDelta := (alpha-1)*(curve[i]-epsilon) + alpha*math.Log1p(-1/alpha) - math.Log(alpha-1)
		if v := upward(math.Exp(logDelta) * (1 + 1e-9)); v < best {
			best, order = v, alpha
		}
	}
	return best, order
}
