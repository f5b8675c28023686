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

// location is the distribution of the scores of left-out canaries. Included scores are shifted.
type location struct {
	// tail returns P(score > x), and beyond its inverse.
	tail, beyond func(float64) float64
	// epsilon returns the ε of a shift at a δ.
	epsilon func(shift, delta float64) float64
}

// normal is normal noise of deviation 1, and laplace Laplace noise of scale 1.
var (
	normal = location{
		func(x float64) float64 { return special.NormalCDF(-x) },
		func(u float64) float64 { return -special.NormalQuantile(u) },
		epsilonOfMu,
	}
	laplace = location{
		func(x float64) float64 {
			if x > 0 {
				return math.Exp(-x) / 2
			}
			return 1 - math.Exp(x)/2
		},
		func(u float64) float64 {
			if u < 0.5 {
				return -math.Log(2 * u)
			}
			return math.Log(2 - 2*u)
		},
		func(shift, _ float64) float64 { return shift },
	}
)

// muOf returns the μ of normal noise that is as private as (epsilon, delta), and 0 where there is none.
func muOf(epsilon, delta float64) float64 {
	g, err := privacy.NewGuarantee(epsilon, delta, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil || math.IsInf(account.MuOf(g), 1) {
		return 0
	}
	return account.MuOf(g)
}

// detectable returns the smallest ε whose shift reaches the wanted power, +Inf for none. Power grows with
// the shift.
func (t task) detectable(power func(shift float64) float64) float64 {
	const mostShift = 64.0
	if !(power(mostShift) >= wanted) {
		return math.Inf(1)
	}
	low, high := 0.0, mostShift
	for range 24 {
		if mid := (low + high) / 2; power(mid) >= wanted {
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
	return t.detectable(func(shift float64) float64 {
		best := 0.0
		for i, r := range list {
			if made := r.top + r.bottom; needed[i] <= made {
				best = max(best, special.BinomialTail(made, t.model.right(shift, float64(r.top)/float64(n)), needed[i]))
			}
		}
		return best
	})
}

// right returns the probability that a canary among this share of the highest scores is included.
func (l location) right(shift, share float64) float64 {
	at := special.Crossing(64+shift, -64, 1e-9, func(x float64) float64 { return (l.tail(x)+l.tail(x-shift))/2 - share })
	hit, miss := l.tail(at-shift), l.tail(at)
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
	return t.detectable(func(shift float64) float64 {
		best := 0.0
		for _, a := range all {
			sum := 0.0
			for _, u := range a.rates {
				sum += t.found(u, shift, a.misses) / rankNodes
			}
			best = max(best, sum)
		}
		return best
	})
}

// found returns the probability of at most this number of misses at a threshold. Left-out scores exceed the
// threshold at this rate.
func (t task) found(rate, shift float64, misses int) float64 {
	missed := 1 - t.model.tail(t.model.beyond(rate)-shift)
	return special.BinomialHead(len(t.Included), min(1-1e-15, max(1e-300, missed)), misses)
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
	return t.detectable(func(shift float64) float64 {
		best := 0.0
		for _, k := range all {
			best = max(best, 0.95*t.found(k.rate, shift, k.misses))
		}
		return best
	})
}
