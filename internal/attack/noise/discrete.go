package noise

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// integerKind is a discrete noise, with the probability of a number up to a factor.
type integerKind struct {
	name   string
	noise  mechanism.Noise
	weight func(x float64) float64
}

func integerKinds() []integerKind {
	return []integerKind{
		{"discrete gaussian", mechanism.DiscreteGaussian{StandardDeviation: 3, Sensitivity: 1}, func(x float64) float64 { return math.Exp(-x * x / 18) }},
		{"discrete laplace", mechanism.DiscreteLaplace{Scale: 2, Sensitivity: 1}, func(x float64) float64 { return math.Exp(-math.Abs(x) / 2) }},
	}
}

// choiceKind is a way to choose, for ε = 2, with the probabilities of the candidates for an ε.
type choiceKind struct {
	name          string
	choice        mechanism.Choice
	probabilities func(epsilon float64) []float64
}

func choiceKinds() []choiceKind {
	return []choiceKind{
		{"exponential", mechanism.Exponential{Epsilon: 2}, exponentialChoice},
		{"permute and flip", mechanism.PermuteAndFlip{Epsilon: 2}, permuteAndFlipChoice},
	}
}

// checkIntegers releases integers with discrete noise and compares how often each comes with its
// probability, which weight gives up to a factor.
func checkIntegers(n mechanism.Noise, weight func(x float64) float64, releases int) ([]Finding, error) {
	draw := vectors(n, release.L2(), 1)
	counts, values := map[int64]int{}, make([]int64, releases)
	for i := range values {
		released, err := draw()
		if err != nil {
			return nil, err
		}
		values[i] = int64(released[0])
		if float64(values[i]) != released[0] {
			return nil, fmt.Errorf("the release %v is no integer, want one", released[0])
		}
		counts[values[i]]++
	}
	const most = 4096
	all := weight(0)
	for x := 1; x <= most; x++ {
		all += 2 * weight(float64(x))
	}
	worst, tests := Finding{LogP: 1}, 0
	for x := int64(-most); x <= most; x++ {
		// Rare ones are looked at together, by the others: what they lack, others have too much.
		if p := weight(float64(x)) / all; p*float64(releases) >= 20 {
			tests++
			if f := binomial(fmt.Sprintf("noise of %d", x), releases, p, counts[x], 1); f.LogP < worst.LogP {
				worst = f
			}
		}
	}
	worst.Test, worst.LogP, worst.Seen = "frequencies", logUnion(worst.LogP, tests), worst.Test+" in "+worst.Seen
	pairs, same := 0, 0
	collision := 0.0
	for x := -most; x <= most; x++ {
		p := weight(float64(x)) / all
		collision += p * p
	}
	for i := 1; i < releases; i += 2 {
		if pairs++; values[i] == values[i-1] {
			same++
		}
	}
	return []Finding{worst, binomial("equal neighbors", pairs, collision, same, 1)}, nil
}

// choiceLosses are what the candidates of a choice lose by one record, as fractions of its bound.
var choiceLosses = []float64{0, 0.25, 0.5, 1}

// checkChoice chooses among candidates and compares how often each is chosen with its probability.
func checkChoice(c mechanism.Choice, probabilities []float64, choices int) ([]Finding, error) {
	counts := make([]int, len(choiceLosses))
	for range choices {
		sample, err := nothing()
		if err != nil {
			return nil, err
		}
		losses, err := release.NewLosses(sample, release.LossesOptions{Candidates: len(choiceLosses), MaxRecords: maxRecords})
		if err != nil {
			return nil, err
		}
		if err = losses.Add(0, choiceLosses); err != nil {
			return nil, err
		}
		chosen, err := release.Choose(free{}, c, losses.Seal())
		if err != nil {
			return nil, err
		}
		counts[chosen]++
	}
	var findings []Finding
	for i, count := range counts {
		findings = append(findings, binomial(fmt.Sprintf("candidate of loss %v", choiceLosses[i]), choices, probabilities[i], count, 1))
	}
	return findings, nil
}

// exponentialChoice returns the probabilities of candidates in proportion to exp(-epsilon·loss): losses only
// grow with records, so that a score moves one way.
func exponentialChoice(epsilon float64) []float64 {
	probabilities, all := make([]float64, len(choiceLosses)), 0.0
	for i, l := range choiceLosses {
		probabilities[i] = math.Exp(-epsilon * l)
		all += probabilities[i]
	}
	for i := range probabilities {
		probabilities[i] /= all
	}
	return probabilities
}

// permuteAndFlipChoice returns the probabilities of candidates that stand in a random order, each
// taken with probability exp(-epsilon·loss) unless one before was (R. McKenna and D. Sheldon,
// "Permute-and-Flip", NeurIPS 2020, algorithm 1).
func permuteAndFlipChoice(epsilon float64) []float64 {
	coins, probabilities := make([]float64, len(choiceLosses)), make([]float64, len(choiceLosses))
	for i, l := range choiceLosses {
		coins[i] = math.Exp(-epsilon * l)
	}
	var walk func(left []int, reached float64)
	walk = func(left []int, reached float64) {
		for at, i := range left {
			first := reached / float64(len(left))
			probabilities[i] += first * coins[i]
			rest := append(append([]int(nil), left[:at]...), left[at+1:]...)
			walk(rest, first*(1-coins[i]))
		}
	}
	walk([]int{0, 1, 2, 3}, 1)
	return probabilities
}
