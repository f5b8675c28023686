package contour

import (
	"fmt"
	"math"
)

// point is a place where δ is wanted: ε, the saddle point of the integrand for it, and an
// approximation of log δ.
type point struct{ epsilon, saddle, logDelta float64 }

// probe is a real order s with the exponent κ(s) + log M(s) of the bound
//
//	log δ(x) ≤ κ(s) + log M(s) - s·x, where κ(s) = s·log s - (s+1)·log(s+1),
//
// which holds for every real x: 1 - e^{-y} ≤ e^{sy+κ(s)} for y > 0, with equality at one y.
type probe struct{ order, exponent float64 }

// probes returns the bound around a saddle point and, at ever larger spacing, down to 0. It also
// returns 1 over the standard deviation of the loss there.
func (i *Integral) probes(saddle float64) (list []probe, width float64) {
	width = 1 / math.Sqrt(i.cumulants(saddle).with(saddle).variance)
	orders := make([]float64, 0, 32)
	for _, c := range [...]float64{-8, -4, -2, -0.9, -0.6, -0.3, 0.3, 0.6, 1, 2, 4, 8} {
		orders = append(orders, saddle+c*width)
	}
	for k := range 12 {
		orders = append(orders, math.Ldexp(saddle, -k))
	}
	list = []probe{{0, 0}} // δ is at most 1
	for _, s := range orders {
		if bound := i.cumulants(s).value; s > 0 && !math.IsNaN(bound) {
			list = append(list, probe{s, bound + s*math.Log(s/(s+1)) - math.Log1p(s)})
		}
	}
	return list, width
}

// aliases returns bounds for a line at λ, as logarithms of parts of δ. They bound the error that
// the trapezoid rule with a period adds from the left and from the right.
//
// The sum of step/(2π) times the integrand over all multiples of the step is given by Poisson's
// summation formula. It is the sum of δ(ε + m·period)·e^{λ·m·period} over all integers m. The
// summands with m ≠ 0 are the error. Each probe bounds the summands m = -1 or m = 1; the others are
// far smaller.
func aliases(list []probe, lambda, period float64, p point) (left, right float64) {
	left, right = math.Inf(1), math.Inf(1)
	for _, b := range list {
		e := b.exponent - b.order*p.epsilon - p.logDelta - math.Abs(b.order-lambda)*period
		if b.order < lambda {
			left = min(left, e)
		} else if b.order > lambda {
			right = min(right, e)
		}
	}
	return left, right
}

// periodFor returns the least period for which both aliases stay below e^-27.6 = 1e-12. It has a
// margin for a log δ that is known roughly.
func periodFor(list []probe, lambda float64, p point) float64 {
	const need = 27.6 + 2
	left, right := math.Inf(1), math.Inf(1)
	for _, b := range list {
		period := (b.exponent - b.order*p.epsilon - p.logDelta + need) / math.Abs(b.order-lambda)
		if b.order < lambda {
			left = min(left, period)
		} else if b.order > lambda {
			right = min(right, period)
		}
	}
	return max(left, right)
}

// The logarithms of the integrand's size over δ from which a line is held to lose digits, and from
// which it is not used.
const losing, lost = 9, 16

// place returns λ, at or below the saddle point, and the period. The saddle point is best as long
// as the tilted distribution there has one hump. Where M begins to explode beyond it, by a rare and
// large loss, the distribution is broad. Such a saddle point needs a far smaller step than a point
// to its left, where the integrand is larger and cancels more.
func (i *Integral) place(p point) (lambda, period float64, list []probe, err error) {
	var width float64
	list, width = i.probes(p.saddle)
	lambda, period = p.saddle, periodFor(list, p.saddle, p)
	best := period
	if period*width < 20 {
		return lambda, period, list, nil
	}
	least := float64(losing)
	for k := range 14 {
		s := p.saddle * math.Exp2(-float64(k)/2)
		size := i.cumulants(s).value - s*p.epsilon - math.Log1p(s) - p.logDelta
		if k == 0 {
			least = max(least, size)
			continue
		}
		other := periodFor(list, s, p)
		if cost := other * (1 + math.Exp(size-least)); size < lost && cost < best {
			lambda, period, best = s, other, cost
		}
	}
	if !(period > 0) || math.IsInf(period, 0) {
		return 0, 0, nil, fmt.Errorf("%w: no step is small enough at λ = %v", ErrUnsuited, lambda)
	}
	return lambda, period, list, nil
}
