package reproduce

import (
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// strongComposition returns the ε of runs of an ε-private algorithm by advanced composition:
// √(2T·log(1/slack))·ε + Tε(e^ε-1). The slack is in addition to the δ of the runs. Source: theorem
// 3.20 of Dwork & Roth.
func strongComposition(epsilon, runs, slack float64) float64 {
	return math.Sqrt(2*runs*-math.Log(slack))*epsilon + runs*epsilon*math.Expm1(epsilon)
}

// closedComposition is strongComposition by the closed form of optimal composition. Source: theorem
// 3.4 of Kairouz, Oh & Viswanath.
func closedComposition(epsilon, runs, slack float64) float64 {
	squares, drift := runs*epsilon*epsilon, runs*epsilon*math.Tanh(epsilon/2)
	log := min(-math.Log(slack), math.Log(math.E+math.Sqrt(squares)/slack))
	return min(runs*epsilon, drift+math.Sqrt(2*squares*log))
}

// optimalComposition returns the smallest ε that holds at a δ for runs of every (epsilon,
// delta)-private algorithm. It is +Inf if none holds. Source: theorem 3.3 of Kairouz, Oh &
// Viswanath, which the accountant follows for equal statements.
func optimalComposition(epsilon, delta float64, runs int, target float64) float64 {
	one := mechanism.AssumedDP{Epsilon: epsilon, Delta: delta, Neighboring: privacy.AddOrRemoveOne}
	v, err := account.Advanced.Epsilon(mechanism.Repeat{Event: one, Count: runs}, target, privacy.AddOrRemoveOne)
	if err != nil {
		return math.Inf(1)
	}
	return v.Upper
}
