package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
)

const (
	// tailShare is the share of the last iterates that the tail average takes.
	tailShare = 0.4
)

// average is the average of a run so far.
type average struct {
	rule  string
	decay float64 // of the exponential average
	first int     // the first step whose iterate counts
	// count is the number of iterates in sum, which is nil before the first.
	count int
	sum   []float64
}

// newAverage returns the average of a run before its first step.
func (o Options) newAverage(steps int) (*average, error) {
	a := &average{rule: o.Average, decay: o.AverageDecay}
	if a.rule == "" {
		a.rule = option.AverageNone
	}
	if a.decay == 0 {
		a.decay = option.DefaultAverageDecay
	}
	if !slices.Contains(option.Averages(), a.rule) || !(a.decay > 0 && a.decay < 1) || o.AverageDecay != 0 && a.rule != option.AverageExponential {
		return nil, fmt.Errorf("neural: average is %q with decay %v, want one of %v, and a decay between 0 and 1 with %s alone", o.Average, o.AverageDecay, option.Averages(), option.AverageExponential)
	}
	if a.rule == option.AverageTail {
		a.first = int(float64(steps) * (1 - tailShare))
	}
	return a, nil
}

// add records the weights after a step, counted from 0.
func (a *average) add(step int, weights []float64) {
	if a.rule == option.AverageNone || step < a.first {
		return
	}
	if a.sum == nil {
		a.sum = make([]float64, len(weights))
	}
	keep, take := 1.0, 1.0
	if a.rule == option.AverageExponential {
		keep, take = a.decay, 1-a.decay
	}
	optimizer.EachPart(len(weights), func(from, to int) {
		sum := a.sum[from:to]
		for j, w := range weights[from:to] {
			sum[j] = keep*sum[j] + take*w
		}
	})
	a.count++
}

// weights returns the rule's weights, given the last iterate.
func (a *average) weights(last []float64) []float64 {
	if a.count == 0 {
		return last
	}
	whole := float64(a.count)
	if a.rule == option.AverageExponential {
		whole = 1 - math.Pow(a.decay, float64(a.count))
	}
	out := make([]float64, len(a.sum))
	for j, v := range a.sum {
		out[j] = v / whole
	}
	return out
}
