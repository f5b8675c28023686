package audit

import (
	"fmt"
	"math"
	"sort"

	"github.com/ditherml/dither/internal/special"
)

// Guesses counts an attacker's guesses about which canaries were included in one run. The field
// Canaries is the number of canaries. An independent fair coin decided whether each of them was
// included. The field Made is the number of canaries about which the attacker guessed. The field
// Right is the number of correct guesses. Made was fixed before the run. The rule that chose the
// guesses used only the outputs of the run.
type Guesses struct{ Canaries, Made, Right int }

const (
	// mostCanaries bounds all counts.
	mostCanaries = 1 << 24
	// margin is above the relative error of every tail that a bound compares with its error probability.
	margin = 1e-8
	// most is the largest ε, μ or scale that a bound reports.
	most = 512.0
)

// check returns an error unless the counts belong together.
func (g Guesses) check() error {
	if g.Canaries < 1 || g.Canaries > mostCanaries || g.Made < 0 || g.Made > g.Canaries || g.Right < 0 || g.Right > g.Made {
		return fmt.Errorf("audit: %d canaries, %d guesses and %d right ones are given, want 1 to 2^24 canaries, at most as many guesses, and at most as many right ones", g.Canaries, g.Made, g.Right)
	}
	return nil
}

// alarmOf returns the error probability of a confidence.
func alarmOf(confidence float64) (float64, error) {
	if !(confidence >= 0.5 && confidence < 1) {
		return 0, fmt.Errorf("audit: confidence is %v, want at least 0.5 and less than 1", confidence)
	}
	return 1 - confidence, nil
}

// checkDelta returns an error unless δ is one.
func checkDelta(delta float64) error {
	if !(delta >= 0 && delta < 1) {
		return fmt.Errorf("audit: delta is %v, want at least 0 and less than 1", delta)
	}
	return nil
}

// Epsilon returns a lower bound on ε at delta, in nats. The bound holds with this confidence, which
// is at least ½ and less than 1. The bound is rounded down, and is 0 if the guesses refute no ε.
// The run may be any mechanism. The scores of canaries may depend on each other (theorem 5.2 of
// Steinke, Nasr & Jagielski, "Privacy Auditing with One (1) Training Run", NeurIPS 2023,
// https://arxiv.org/abs/2305.08846). Negative or contradictory counts are an error.
func (g Guesses) Epsilon(delta, confidence float64) (float64, error) {
	if err := g.check(); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	alarm, err := alarmOf(confidence)
	if err != nil {
		return 0, err
	}
	return largest(0, 1e-12, func(epsilon float64) bool { return g.refutes(epsilon, delta, alarm) }), nil
}

// largest returns the largest number, from low to most, at which a predicate is true that turns from
// true to false. It returns a number at which the predicate is true, and low where it is nowhere.
func largest(low, tolerance float64, ok func(float64) bool) float64 {
	if !ok(low) {
		return low
	}
	high := max(1, 2*low)
	for ; high < most && ok(high); high *= 2 {
		low = high
	}
	high = min(high, most)
	for i := 0; i < 200 && high-low > tolerance*high && high > 1e-12; i++ {
		if mid := low + (high-low)/2; ok(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// refutes reports whether at least Right right guesses have a probability of at most alarm under every
// (epsilon, delta)-private run.
func (g Guesses) refutes(epsilon, delta, alarm float64) bool {
	return g.oneRunP(epsilon, delta)*(1+margin) <= alarm
}

// oneRunP returns an upper bound on the probability of at least g.Right right guesses. With W the wrong
// guesses of binomial(Made, 1/(1+e^ε)), it is
//
//	P(W ≤ Made-Right) + 2·Canaries·δ·max over i of P(Made-Right < W ≤ Made-Right+i)/i.
//
// It grows in ε wherever it is below ½. Let v be Right, m Canaries, q the probability of a right guess, b
// the masses of binomial(Made-1, q), and i the best window. The derivative in q has the sign of
// b(v-1) + 2mδ/i·(b(v-i-1) - b(v-1)). It is negative only if i < 2mδ and b(v-i-1) < b(v-1). By the first,
// the sum is at least P(right ≥ v-i). By the second, v-i is at most the mode of b, which is at most the
// median of right guesses. So the sum is at least ½.
func (g Guesses) oneRunP(epsilon, delta float64) float64 {
	n, wrong := g.Made, g.Made-g.Right
	if g.Right == 0 {
		return 1
	}
	q := 1 / (1 + math.Exp(epsilon))
	p := special.BinomialHead(n, q, wrong)
	if delta > 0 {
		p += 2 * float64(g.Canaries) * delta * bestAverage(n, q, wrong)
	}
	return min(1, p)
}

// bestAverage returns the largest average of P(W = wrong+1), …, P(W = wrong+i) over i, for W binomial(n, q).
// Masses rise and then fall, so the average grows until the next mass is below it, and falls from there on.
// Short windows are summed. A window that is longer than any near the mode has its sum from tails.
func bestAverage(n int, q float64, wrong int) float64 {
	sum, mass, odds := 0.0, 0.0, q/(1-q)
	best := 0.0
	short := min(n, wrong+100+int(8*math.Sqrt(float64(n))))
	for k := wrong + 1; k <= short; k++ {
		if mass > 1e-290 {
			mass *= float64(n-k+1) / float64(k) * odds
		} else {
			mass = special.BinomialMass(n, q, k)
		}
		sum += mass
		average := sum / float64(k-wrong)
		if average < best {
			return best
		}
		best = average
	}
	before := special.BinomialHead(n, q, wrong)
	average := func(k int) float64 { return (special.BinomialHead(n, q, k) - before) / float64(k-wrong) }
	last := short + sort.Search(n-short, func(more int) bool { return special.BinomialMass(n, q, short+more+1) < average(short+more) })
	return max(best, average(last))
}
