package release

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Scores are sealed scores of candidates. If one record is added or removed, each score changes by
// at most 1. No code can read the scores except a paid choice. Choose returns an error for the zero
// value.
type Scores struct{ state *scores }

type scores struct {
	sample Sample
	// loss of a candidate is what its score is below 0, in units of 1/unit.
	loss   []int64
	unit   int64
	faulty bool // the scores are not what was to be summed: nothing is ever chosen by them
}

const (
	// epsilonBits: a choice is executed with its epsilon rounded down to a multiple of
	// 2^-epsilonBits.
	epsilonBits = 32
	// maxChoiceEpsilon keeps the exponents within 64 bits, for losses of at most 2^51 units.
	maxChoiceEpsilon = 1 << 10
	// maxUnit is the largest unit of one row, and maxRankedRows how many rows one record has at
	// most.
	maxUnit       = 1000
	maxRankedRows = 1 << 10
)

// Choose pays for the event c and returns the index of the candidate that the event selects. No
// floating-point number affects the choice: losses are integers. The probabilities are exact for
// the epsilon of c, rounded down to a multiple of 2^-32. The duration of Choose depends on the
// scores.
func Choose(p mechanism.Payer, c mechanism.Choice, s Scores) (int, error) {
	switch {
	case p == nil:
		return 0, fmt.Errorf("release: the choice has no payer, want a grant of a ledger")
	case s.state == nil || c == nil:
		return 0, fmt.Errorf("release: there is nothing to choose from, want sealed scores and a choice of this package")
	}
	if err := mechanism.CheckEvent(c); err != nil {
		return 0, err
	}
	var epsilon float64
	var draw func(*sample.Stream, exponents) int
	switch c := c.(type) {
	case mechanism.Exponential:
		epsilon, draw = c.Epsilon, exponential
	case mechanism.PermuteAndFlip:
		epsilon, draw = c.Epsilon, permuteAndFlip
	}
	if !(epsilon >= math.Ldexp(1, -epsilonBits) && epsilon <= maxChoiceEpsilon) {
		return 0, fmt.Errorf("release: epsilon of %v is %v, want 2^-%d to %d", c, epsilon, epsilonBits, maxChoiceEpsilon)
	}
	if s.state.faulty {
		return 0, ErrComputation
	}
	if err := s.state.sample.drawn.pay(p, []mechanism.Event{c}); err != nil {
		return 0, err
	}
	return draw(sample.NewStream(), newExponents(*s.state, epsilon)), nil
}

// exponential is a choice by the exponential mechanism (McSherry & Talwar, "Mechanism Design via
// Differential Privacy", FOCS 2007, https://doi.org/10.1109/FOCS.2007.66). It draws candidates
// uniformly until a coin of probability exp(Epsilon·(score - best)/2) keeps one, so that each has a
// probability in proportion to its coin. The best is always kept.
func exponential(s *sample.Stream, e exponents) int {
	for {
		if i := int(s.Below(uint64(len(e.loss)))); e.coin(s, i) {
			return i
		}
	}
}

// permuteAndFlip is a choice by permute-and-flip (McKenna & Sheldon 2020, algorithm 1): it goes
// through the candidates in a random order and takes the first that such a coin keeps. The expected
// loss is at most that of the exponential mechanism (the same, theorem 2).
func permuteAndFlip(s *sample.Stream, e exponents) int {
	order := make([]int, len(e.loss))
	for i := range order {
		order[i] = i
	}
	for at := range order {
		other := at + int(s.Below(uint64(len(order)-at)))
		order[at], order[other] = order[other], order[at]
		if e.coin(s, order[at]) {
			return order[at]
		}
	}
	panic("release: no candidate was kept, although the best always is")
}

// exponents turn losses into coins of probability exp(-(loss-least)·numerator/denominator).
type exponents struct {
	loss                   []int64
	least                  int64
	numerator, denominator uint64
}

// newExponents states Epsilon/2 for one unit of score as a fraction: numerator ≤ 2^42 and
// 2^33 ≤ denominator ≤ 2^53.
func newExponents(s scores, epsilon float64) exponents {
	e := exponents{loss: s.loss, least: s.loss[0], numerator: uint64(math.Floor(math.Ldexp(epsilon, epsilonBits))), denominator: uint64(s.unit) << (epsilonBits + 1)}
	for _, l := range s.loss {
		e.least = min(e.least, l)
	}
	return e
}

// coin is true with the probability of candidate i, relative to the best. The exponent is an
// integer and a rest below 1. The product is below unit·2^93, and the denominator unit·2^33: so the
// integer fits 64 bits.
func (e exponents) coin(s *sample.Stream, i int) bool {
	high, low := bits.Mul64(uint64(e.loss[i]-e.least), e.numerator)
	whole, rest := bits.Div64(high, low, e.denominator)
	return s.BernoulliExp(whole, 1) && s.BernoulliExp(rest, e.denominator)
}
