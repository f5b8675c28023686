// Package slack bounds how far the noise that is drawn is from the noise that is accounted.
package slack

import "math"

// Bits bounds how far the drawn distribution of one number is from the accounted one. Under
// either distribution every event has at most exp(2^-Bits) times its probability under the
// other, plus 2^-TailBits.
const Bits = 100

// TailBits bounds the probability that the ratio of Bits does not cover.
const TailBits = 180

// Distance bounds how far the noise that is drawn is from the rounded continuous Gaussian that is
// accounted, over all draws of a plan.
type Distance struct {
	// LogRatio is a and Tail is t. Over all draws every event has under one distribution at most
	// e^a times its probability under the other, plus t. Both are far below what float64 can add to
	// an epsilon near 1: results are moved by at least one unit in the last place.
	LogRatio, Tail float64
}

// Of returns the slack of this many draws of noise, rounded up.
func Of(draws int) Distance {
	n := float64(draws) * (1 + 1e-15)
	return Distance{LogRatio: math.Ldexp(n, -Bits), Tail: math.Ldexp(n, -TailBits)}
}

// Widen returns an (epsilon, delta) pair that holds for the executed distribution, given one that
// holds for the accounted distribution.
//
// Suppose that for every event P̃(E) ≤ e^a·P(E) + t and P(E) ≤ e^a·P̃(E) + t, on both of two
// neighbors, and that P(E) ≤ e^ε·P'(E) + δ. Then P̃(E) ≤ e^(ε+2a)·P̃'(E) + e^a·δ + (1 + e^(ε+a))·t.
// The draws of an adaptive plan are independent given the past, so the ratios of the draws
// multiply.
func (s Distance) Widen(epsilon, delta float64) (float64, float64) {
	if s == (Distance{}) {
		return epsilon, delta
	}
	widened := math.Nextafter(epsilon+2*s.LogRatio, math.Inf(1))
	return widened, (math.Exp(s.LogRatio)*delta + (1+math.Exp(widened))*s.Tail) * (1 + 1e-15)
}

// Narrow is the inverse of Widen. It returns the pair to aim at under the accounted distribution so
// that the executed distribution has (epsilon, delta). Either may be 0 or less when the slack is
// larger than the target.
func (s Distance) Narrow(epsilon, delta float64) (float64, float64) {
	if s == (Distance{}) {
		return epsilon, delta
	}
	narrowed := math.Nextafter(epsilon-2*s.LogRatio, math.Inf(-1))
	return narrowed, (delta - (1+math.Exp(epsilon))*s.Tail) * math.Exp(-s.LogRatio) * (1 - 1e-15)
}
