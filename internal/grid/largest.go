package grid

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/sweep"
)

// largestRun returns approximately the largest epsilon of a run with which a private choice costs
// at most whole. It bisects the logarithm of epsilon from a thousandth of whole to whole. The
// function plan makes a candidate for an epsilon of a run; the cost must grow with it. If there is
// no such epsilon because runs have no price, the error wraps the reason.
func largestRun(l sweep.RunCountDistribution, whole float64, plan func(epsilon float64) (sweep.Candidate, error)) (float64, error) {
	low, high := math.Log(whole/1000), math.Log(whole)
	var refused error
	costs := func(logarithm float64) float64 {
		price, err := priceOf(l, plan, math.Exp(logarithm))
		refused = err
		return price
	}
	if price := costs(low); !(price <= whole) {
		return 0, errors.Join(refused, fmt.Errorf("--epsilon is %v, want more for a choice among a mean of %d runs; fewer runs cost less", whole, l.Mean))
	}
	for range 14 {
		if middle := (low + high) / 2; costs(middle) <= whole {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low), nil
}

// priceOf returns the epsilon of a choice whose runs have this epsilon, or +Inf without one.
func priceOf(l sweep.RunCountDistribution, plan func(epsilon float64) (sweep.Candidate, error), epsilon float64) (float64, error) {
	c, err := plan(epsilon)
	if err != nil {
		return math.Inf(1), err
	}
	s, err := sweep.NewSelection([]sweep.Candidate{c}, l)
	if err != nil {
		return math.Inf(1), err
	}
	whole, err := s.Certificate(&c)
	if err != nil {
		return math.Inf(1), err
	}
	return max(float64(whole.Epsilon), whole.Charge()), nil
}
