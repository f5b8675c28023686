package audit

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Curve is a trade-off curve, which bounds every attack on one record. For a true positive rate it
// returns the least false positive rate of an attack with that true positive rate. The function
// must be convex, must never fall, and must be 0 at 0. It must be at most the true positive rate.
// It must hold in both directions of the neighboring relation.
type Curve func(truePositives float64) (falsePositives float64)

// Gaussian returns the trade-off curve of μ-Gaussian differential privacy, for mu ≥ 0. At the true
// positive rate r the curve is Φ(Φ⁻¹(r) - μ), where Φ is the standard normal distribution function
// (Dong, Roth & Su, "Gaussian Differential Privacy", JRSS B 2022,
// https://arxiv.org/abs/1905.02383).
func Gaussian(mu float64) Curve {
	return func(r float64) float64 {
		switch {
		case r <= 0:
			return 0
		case r >= 1 || mu == 0:
			return min(r, 1)
		}
		return special.NormalCDF(special.NormalQuantile(r) - mu)
	}
}

// Parameter returns a lower bound on the parameter t for which family(t) is the true trade-off
// curve of the run. Parameters are at least 0, and a larger parameter must give a lower curve. The
// bound holds with this confidence, which is at least ½ and less than 1. Each parameter below the
// bound is refuted by the guesses. The bound is at most 512, and 0 if the guesses refute no
// parameter. It is rounded down by at most 1e-6 (Mahloujifar, Melis & Chaudhuri, "Auditing
// f-Differential Privacy in One Run", 2024, https://arxiv.org/abs/2410.22235). Negative or
// contradictory counts are an error. A family whose curves do not fall as the parameter grows is
// also an error.
func (g Guesses) Parameter(family func(parameter float64) Curve, confidence float64) (float64, error) {
	return g.parameterFrom(0, family, confidence)
}

// parameterFrom is Parameter where it is above low, and low elsewhere.
func (g Guesses) parameterFrom(low float64, family func(parameter float64) Curve, confidence float64) (float64, error) {
	if err := g.check(); err != nil {
		return 0, err
	}
	alarm, err := alarmOf(confidence)
	if err != nil {
		return 0, err
	}
	falls := monotone{}
	falls.at(low+1, family)
	found := largest(low, 1e-6, func(t float64) bool { return g.refutesCurve(falls.at(t, family), alarm) })
	return found, falls.err
}

// monotone watches that curves fall as the parameter grows.
type monotone struct {
	seen []seenCurve
	err  error
}

type seenCurve struct {
	parameter float64
	values    [len(watchedRates)]float64
}

// watchedRates are the rates at which curves are compared.
var watchedRates = [...]float64{1e-6, 1e-3, 0.05, 0.3, 0.7, 0.95}

// at returns the curve at a parameter, after comparing it with those before.
func (m *monotone) at(t float64, family func(float64) Curve) Curve {
	curve := family(t)
	now := seenCurve{parameter: t}
	for i, r := range watchedRates {
		now.values[i] = curve(r)
	}
	for _, other := range m.seen {
		for i, v := range other.values {
			if rises := (t-other.parameter)*(now.values[i]-v) > 0; rises && math.Abs(now.values[i]-v) > 1e-9*v {
				m.err = fmt.Errorf("audit: the curve at parameter %v is not on the side of that at %v where it should be, want curves that fall as the parameter grows", t, other.parameter)
			}
		}
	}
	m.seen = append(m.seen, now)
	return curve
}

// refutesCurve reports whether at least Right right guesses have a probability of at most alarm under every
// mechanism with this curve.
//
// Let p_i be the probability of exactly i right guesses, of c guesses on m canaries. For i ≥ j put
// r_j = Σ i/m·p_i and h_j = Σ (c-i)/m·p_i, so r_j + h_j = c/m·P(at least j). Take a canary at
// random. That its guess is right and at least j are, has probability r_j. Flip its coin, which the
// mechanism hides: the same outputs make it wrong with at least j-1 right. So h_{j-1} ≥ curve(r_j),
// because the curve is convex. Suppose that P(at least Right) is alarm. Then r and h begin as below
// or with a larger r. For j = Right, …, 1 the least mass that obeys this is added. If the masses
// exceed the whole probability, the claim is refuted. Masses that come later or with more right
// guesses only raise the sum.
func (g Guesses) refutesCurve(curve Curve, alarm float64) bool {
	if g.Right == 0 {
		return false
	}
	m, c := float64(g.Canaries), float64(g.Made)
	whole := c / m * (1 + margin)
	r, h := alarm*float64(g.Right)/m, alarm*float64(g.Made-g.Right)/m
	for i := g.Right - 1; i >= 0 && r+h <= whole; i-- {
		next := curve(min(1, r)) * (1 - margin)
		if !(next > h) { // and so for all smaller i
			return false
		}
		r += float64(i) / (c - float64(i)) * (next - h)
		h = next
	}
	return r+h > whole
}
