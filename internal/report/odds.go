package report

import "math"

// The bounds that an (epsilon, delta) guarantee implies on any attackers who must tell two
// neighboring data sets apart from the model. All are upper bounds, and tight for the pair
// (epsilon, delta). Source: P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for
// Differential Privacy", ICML 2015, section 2 (the privacy region of an (epsilon, delta)
// mechanism).

// claimedFalsePositives is the false-positive rate at which the page states
// the attacker's true-positive rate.
const claimedFalsePositives = 0.01

// oddsFactor bounds the change of anyone's odds, e^epsilon.
func oddsFactor(epsilon float64) float64 { return math.Exp(epsilon) }

// bestAccuracy bounds the probability of the right answer when a fair coin
// decides which of the two data sets was used: (e^epsilon + delta) /
// (1 + e^epsilon), written so that it does not overflow.
func bestAccuracy(epsilon, delta float64) float64 {
	return 1 - (1-delta)/(1+math.Exp(epsilon))
}

// bestTruePositives bounds the true-positive rate at a false-positive rate:
// min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)), at most 1.
func bestTruePositives(falsePositives, epsilon, delta float64) float64 {
	if math.IsInf(epsilon, 1) {
		return 1
	}
	steep := delta
	if falsePositives > 0 { // e^epsilon may be +Inf, and +Inf times 0 is NaN
		steep += math.Exp(epsilon) * falsePositives
	}
	flat := 1 - math.Exp(-epsilon)*(1-delta-falsePositives)
	return min(steep, flat, 1)
}

// accuracy bounds the probability of the right answer about one record when a fair coin decides.
func (g Guarantee) accuracy() float64 {
	if g.Attacker == nil {
		return bestAccuracy(g.Epsilon, g.Delta)
	}
	return min(bestAccuracy(g.Epsilon, g.Delta), (1+g.Attacker.Advantage())/2)
}

// truePositives bounds the share of records that are recognized at a share of false accusations.
func (g Guarantee) truePositives(falsePositives float64) float64 {
	if g.Attacker == nil {
		return bestTruePositives(falsePositives, g.Epsilon, g.Delta)
	}
	return min(bestTruePositives(falsePositives, g.Epsilon, g.Delta), g.Attacker.TruePositives(falsePositives))
}

// point is a false-positive rate and the best true-positive rate there.
type point struct{ falsePositives, truePositives float64 }

// tradeOff returns the corners of the curve of bestTruePositives, from a
// false-positive rate of 0 to 1. Between them the curve is straight.
func tradeOff(epsilon, delta float64) []point {
	corner := 1 - bestAccuracy(epsilon, delta)
	return []point{{0, bestTruePositives(0, epsilon, delta)}, {corner, 1 - corner}, {1 - delta, 1}, {1, 1}}
}
