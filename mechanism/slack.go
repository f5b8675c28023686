package mechanism

import "math"

// SlackBits is that of one drawn number: every event has under the drawn distribution at most exp(2^-SlackBits)
// times its probability under the accounted one, plus 2^-TailBits, and the other way round.
const SlackBits = 100

// TailBits is that of one drawn number; see SlackBits.
const TailBits = 180

// Slack is the statistical distance between the noise that is drawn and the rounded
// continuous Gaussian that is accounted, over all draws of a plan.
type Slack struct {
	// LogRatio is a and Tail is t: over all draws every event has under one distribution at most
	// e^a times its probability under the other, plus t. Both are far below what float64 can add to
	// an epsilon near 1: results are moved by at least one unit in the last place.
	LogRatio, Tail float64
}

// SlackOf returns the slack of this many draws of noise, rounded upward.
func SlackOf(draws int) Slack {
	n := float64(draws) * (1 + 1e-15)
	return Slack{LogRatio: math.Ldexp(n, -SlackBits), Tail: math.Ldexp(n, -TailBits)}
}

// Widen turns an (epsilon, delta) pair that holds for the accounted distribution into one that
// holds for the executed distribution.
//
// If for every event P̃(E) ≤ e^a·P(E) + t and P(E) ≤ e^a·P̃(E) + t, on both of two
// neighbors, and P(E) ≤ e^ε·P'(E) + δ, then
// P̃(E) ≤ e^(ε+2a)·P̃'(E) + e^a·δ + (1 + e^(ε+a))·t. The draws of an adaptive plan are
// independent given the past, so the per-draw ratios multiply.
func (s Slack) Widen(epsilon, delta float64) (float64, float64) {
	if s == (Slack{}) {
		return epsilon, delta
	}
	widened := math.Nextafter(epsilon+2*s.LogRatio, math.Inf(1))
	return widened, (math.Exp(s.LogRatio)*delta + (1+math.Exp(widened))*s.Tail) * (1 + 1e-15)
}

// Narrow is the other way round: the pair to aim at under the accounted distribution so that the
// executed distribution has (epsilon, delta). The delta left may be 0 or less, and the epsilon too,
// when the slack is larger than the target.
func (s Slack) Narrow(epsilon, delta float64) (float64, float64) {
	if s == (Slack{}) {
		return epsilon, delta
	}
	narrowed := math.Nextafter(epsilon-2*s.LogRatio, math.Inf(-1))
	return narrowed, (delta - (1+math.Exp(epsilon))*s.Tail) * math.Exp(-s.LogRatio) * (1 - 1e-15)
}
