package train

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
)

// maxIterates bounds how many numbers all iterates in memory hold.
const maxIterates = 1 << 27

// mostPath bounds how many numbers of a path are kept.
const mostPath = 1 << 22

// output returns the requested rule, or the rule that the default implies.
func (s Setup) output(o Options) string {
	switch {
	case o.Output != "":
		return o.Output
	case s.averages(o):
		return option.OutputTailAverage
	}
	return option.OutputLast
}

func (s Setup) checkOutput(o Options) error {
	if numbers := s.Model.Weights(); o.Output == option.OutputAllIterates && s.Plan.Steps > maxIterates/numbers {
		return fmt.Errorf("train: output rule is %s with %d steps of %d weights, want at most %d numbers in all", o.Output, s.Plan.Steps, numbers, maxIterates)
	}
	return nil
}

// output keeps the iterates that the rule needs.
type output struct {
	rule  string
	first int // the first iterate that is averaged
	sum   []float64
	count int
	all   [][]float64
	path  [][]float64 // of a run whose noise is measured later
	keeps bool
}

func (s Setup) newOutput(o Options) *output {
	out := &output{rule: s.output(o), keeps: s.keepsPath()}
	if out.rule == option.OutputTailAverage {
		out.first = int(float64(s.Plan.Steps) * (1 - tailAverageShare))
	}
	return out
}

// keepsPath reports whether a run keeps its weights after each step.
func (s Setup) keepsPath() bool {
	l := s.Model.Loss
	return l != nil && l.Name() == model.Huber(0).Name() && !s.Plan.NonPrivate && s.Plan.Steps <= mostPath/s.Model.Weights()
}

// before records the weights at which the gradient of a step, from 0, is taken.
func (o *output) before(_ int, weights []float64) {
	if o.rule == option.OutputUniformAverage {
		o.add(weights)
	}
}

// after records the weights after a step, counted from 0.
func (o *output) after(step int, weights []float64) {
	if o.keeps {
		o.path = append(o.path, slices.Clone(weights))
	}
	switch {
	case o.rule == option.OutputTailAverage && step >= o.first:
		o.add(weights)
	case o.rule == option.OutputAllIterates:
		o.all = append(o.all, slices.Clone(weights))
	}
}

func (o *output) add(weights []float64) {
	if o.sum == nil {
		o.sum = make([]float64, len(weights))
	}
	for j, w := range weights {
		o.sum[j] += w
	}
	o.count++
}

// weights returns the rule's weights, given the last iterate.
func (o *output) weights(last []float64) []float64 {
	if o.count == 0 {
		return last
	}
	out := make([]float64, len(o.sum))
	for j, v := range o.sum {
		out[j] = v / float64(o.count)
	}
	return out
}
