package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/train"
)

// Average says which weights a run returns. All iterates follow from what was released, so that every rule
// costs the same.
type Average string

const (
	// AverageNone returns the last iterate; "" means it.
	AverageNone Average = "none"
	// AverageExponential returns the moving average that keeps AverageDecay of itself in each step, corrected for
	// its start (De, Berrada, Hayes, Smith & Balle, "Unlocking High-Accuracy Differentially Private Image
	// Classification through Scale", 2022, section 3.5, https://arxiv.org/abs/2204.13650).
	AverageExponential Average = "exponential"
	// AverageUniform returns the mean of the iterates after each step (Polyak & Juditsky, "Acceleration of
	// Stochastic Approximation by Averaging", SIAM Journal on Control and Optimization 1992).
	AverageUniform Average = "uniform"
	// AverageTail returns the mean of the last 40 % of the iterates.
	AverageTail Average = "tail"
)

// Averages lists the rules.
func Averages() []Average {
	return []Average{AverageNone, AverageExponential, AverageUniform, AverageTail}
}

const (
	// DefaultAverageDecay is how much of itself the exponential average keeps in a step.
	DefaultAverageDecay = 0.99
	// tailShare is the share of the last iterates that the tail average takes.
	tailShare = 0.4
)

// average is the average of a run so far.
type average struct {
	rule  Average
	decay float64 // of the exponential average
	first int     // step from which iterates count
	// count is how many iterates are in sum, which is nil before the first.
	count int
	sum   []float64
}

// newAverage returns the average of a run before its first step.
func (o Options) newAverage(steps int) (*average, error) {
	a := &average{rule: o.Average, decay: o.AverageDecay}
	if a.rule == "" {
		a.rule = AverageNone
	}
	if a.decay == 0 {
		a.decay = DefaultAverageDecay
	}
	if !slices.Contains(Averages(), a.rule) || !(a.decay > 0 && a.decay < 1) || o.AverageDecay != 0 && a.rule != AverageExponential {
		return nil, fmt.Errorf("neural: average is %q with decay %v, want one of %v, and a decay between 0 and 1 with %s alone", o.Average, o.AverageDecay, Averages(), AverageExponential)
	}
	if a.rule == AverageTail {
		a.first = int(float64(steps) * (1 - tailShare))
	}
	return a, nil
}

// add shows the weights after a step, from 0.
func (a *average) add(step int, weights []float64) {
	if a.rule == AverageNone || step < a.first {
		return
	}
	if a.sum == nil {
		a.sum = make([]float64, len(weights))
	}
	keep, take := 1.0, 1.0
	if a.rule == AverageExponential {
		keep, take = a.decay, 1-a.decay
	}
	train.EachPart(len(weights), func(from, to int) {
		sum := a.sum[from:to]
		for j, w := range weights[from:to] {
			sum[j] = keep*sum[j] + take*w
		}
	})
	a.count++
}

// weights returns what the rule makes of the iterates, the last of which is given.
func (a *average) weights(last []float64) []float64 {
	if a.count == 0 {
		return last
	}
	whole := float64(a.count)
	if a.rule == AverageExponential {
		whole = 1 - math.Pow(a.decay, float64(a.count))
	}
	out := make([]float64, len(a.sum))
	for j, v := range a.sum {
		out[j] = v / whole
	}
	return out
}
