package audit

import (
	"math"
	"sort"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/privacy"
)

// wanted is the probability of refutation that Detectable states.
const wanted = 0.9

// attacker is the best attack on mechanisms of one kind, which a parameter from 0 on makes less private.
type attacker struct {
	// hits returns, for a parameter, the rate of true positives at a rate of false positives.
	hits func(parameter float64) func(rate float64) float64
	// epsilon returns the ε at a parameter and a δ, and most is the largest parameter.
	epsilon func(parameter, delta float64) float64
	most    float64
}

// normal is the best attack on normal noise of deviation 1, and laplace that on Laplace noise of scale 1. The
// parameter shifts included scores.
var (
	normal = attacker{
		func(shift float64) func(float64) float64 {
			return func(u float64) float64 { return special.NormalCDF(special.NormalQuantile(u) + shift) }
		},
		epsilonOfMu, 64,
	}
	laplace = attacker{
		func(shift float64) func(float64) float64 {
			return func(u float64) float64 {
				x := -math.Log(2*u) - shift
				if u > 0.5 {
					x = math.Log(2-2*u) - shift
				}
				if x > 0 {
					return math.Exp(-x) / 2
				}
				return 1 - math.Exp(x)/2
			}
		},
		func(shift, _ float64) float64 { return shift }, 64,
	}
)

// ofCurves returns the best attack on the mechanisms of a family of curves.
func ofCurves(c Claim) attacker {
	return attacker{
		func(parameter float64) func(float64) float64 {
			curve := c.Curve(parameter)
			return func(u float64) float64 {
				return special.Crossing(u, 1, 1e-12, func(r float64) float64 { return curve(r) - u })
			}
		},
		func(parameter, _ float64) float64 { return c.EpsilonAt(parameter) }, 64,
	}
}

// muOf returns the μ of normal noise that is as private as (epsilon, delta), and 0 where there is none.
func muOf(epsilon, delta float64) float64 {
	g, err := privacy.NewGuarantee(epsilon, delta, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil || math.IsInf(account.MuOf(g), 1) {
		return 0
	}
	return account.MuOf(g)
}

// detectable returns the smallest ε at which the attack has the wanted power, +Inf for none. Power grows with
// the parameter.
func (t task) detectable(power func(hits func(rate float64) float64) float64) float64 {
	reached := func(parameter float64) bool { return power(t.model.hits(parameter)) >= wanted }
	low, high := 0.0, t.model.most
	if !reached(high) {
		return math.Inf(1)
	}
	for range 24 {
		if mid := (low + high) / 2; reached(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return t.model.epsilon(high, t.claim.Delta)
}

// detectableByGuesses is the detectable ε of guesses by rules. It takes ranks for
// thresholds and right guesses for binomial, and the best rule for all of them.
func (t task) detectableByGuesses(list []rule, refutes func(Guesses) bool) float64 {
	n := len(t.Included) + len(t.LeftOut)
	needed := make([]int, len(list))
	for i, r := range list {
		made := r.top + r.bottom
		needed[i] = made/2 + 1 + sort.Search(made-made/2, func(more int) bool { return refutes(Guesses{n, made, made/2 + 1 + more}) })
	}
	return t.detectable(func(hits func(float64) float64) float64 {
		best := 0.0
		for i, r := range list {
			if made := r.top + r.bottom; needed[i] <= made {
				best = max(best, special.BinomialTail(made, right(hits, float64(r.top)/float64(n)), needed[i]))
			}
		}
		return best
	})
}

// right returns the probability that a canary among this share of the highest scores is included.
func right(hits func(rate float64) float64, share float64) float64 {
	const fewest = -700.0 // the logarithm of the smallest rate
	beyond := func(logarithm float64) float64 {
		u := math.Exp(logarithm)
		return (hits(u)+u)/2 - share
	}
	if beyond(fewest) >= 0 {
		return 1 - 1e-15
	}
	miss := math.Exp(special.Crossing(fewest, math.Log(share), 1e-12, beyond))
	hit := 2*share - miss
	return min(1-1e-15, max(0.5, hit/(hit+miss)))
}

// atRank is a threshold among left-out scores, with the most misses that still refute and the places where
// it may be.
type atRank struct {
	misses int
	rates  []float64
}

// rankNodes is the number of places of a threshold over which power is averaged.
const rankNodes = 15

// detectableByRanks is the detectable ε of thresholds at ranks of left-out scores. By symmetry ranks of
// included scores do as well where the kinds are equally many.
func (t task) detectableByRanks(share float64, refutes func(limits) bool) float64 {
	n0, n1 := len(t.LeftOut), len(t.Included)
	var all []atRank
	for _, r := range ranks(n0) {
		k, alarm := r.beyond, share*r.weight/weightOfRanks()
		a := atRank{misses: sort.Search(n1+1, func(misses int) bool { return !refutes(Counts{n0, k - 1, n1, misses}.limitsAt(alarm)) }) - 1}
		for i := 0; i < rankNodes && a.misses >= 0; i++ {
			a.rates = append(a.rates, special.BinomialLimit(n0, k, (float64(i)+0.5)/rankNodes))
		}
		all = append(all, a)
	}
	return t.detectable(func(hits func(float64) float64) float64 {
		best := 0.0
		for _, a := range all {
			sum := 0.0
			for _, u := range a.rates {
				sum += t.found(hits(u), a.misses) / rankNodes
			}
			best = max(best, sum)
		}
		return best
	})
}

// found returns the probability of at most this number of misses at a rate of true positives.
func (t task) found(hit float64, misses int) float64 {
	return special.BinomialHead(len(t.Included), min(1-1e-15, max(1e-300, 1-hit)), misses)
}

// eventShares are the rates of false positives of the events that detectableByEvents tries.
var eventShares = []float64{0.5, 0.25, 0.1, 1.0 / 30, 0.01, 0.003, 0.001, 0.0003}

// detectableByEvents is the detectable ε of the best event, as if it were known. Its false positives are
// taken at their 0.95 quantile, and its misses leave the rest of the wanted probability.
func (t task) detectableByEvents(alarm float64) float64 {
	n0, n1 := len(t.LeftOut), len(t.Included)
	if n0 == 0 || n1 == 0 {
		return math.Inf(1)
	}
	type known struct {
		rate   float64
		misses int
	}
	var all []known
	for _, rate := range eventShares {
		taken := sort.Search(n0, func(k int) bool { return special.BinomialHead(n0, rate, k) >= 0.95 })
		misses := sort.Search(n1+1, func(misses int) bool {
			return eventEpsilon(n1-misses, n1, taken, n0, t.claim.Delta, alarm) <= t.claim.Epsilon
		}) - 1
		all = append(all, known{rate, misses})
	}
	return t.detectable(func(hits func(float64) float64) float64 {
		best := 0.0
		for _, k := range all {
			best = max(best, 0.95*t.found(hits(k.rate), k.misses))
		}
		return best
	})
}
