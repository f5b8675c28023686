package train

import (
	"fmt"
	"slices"
)

// OutputRule says which weights a run returns. All iterates are functions of what was released, so
// that every rule costs the same.
type OutputRule string

const (
	// OutputLast is the last iterate.
	OutputLast OutputRule = "last"
	// OutputUniformAverage is the mean of the iterates at which gradients were taken: from the first,
	// which is zero, to the one before the last.
	OutputUniformAverage OutputRule = "uniform-average"
	// OutputTailAverage is the mean of the last 40 % of the iterates.
	OutputTailAverage OutputRule = "tail-average"
	// OutputAllIterates is the last iterate as the model, and also the iterate after every step.
	OutputAllIterates OutputRule = "all-iterates"
)

// OutputRules lists the rules.
func OutputRules() []OutputRule {
	return []OutputRule{OutputLast, OutputUniformAverage, OutputTailAverage, OutputAllIterates}
}

// maxIterates bounds the numbers of all iterates that are kept in memory.
const maxIterates = 1 << 27

// output is the rule that was asked for, or that the default calls for.
func (s Setup) output(o Options) OutputRule {
	switch {
	case o.Output != "":
		return o.Output
	case s.averages(o):
		return OutputTailAverage
	}
	return OutputLast
}

func (s Setup) checkOutput(o Options) error {
	if numbers := s.Model.Weights(); o.Output == OutputAllIterates && s.Plan.Steps > maxIterates/numbers {
		return fmt.Errorf("train: output rule is %s with %d steps of %d weights, want at most %d numbers in all", o.Output, s.Plan.Steps, numbers, maxIterates)
	}
	return nil
}

// output keeps of the iterates what the rule returns.
type output struct {
	rule  OutputRule
	first int // of the iterates that are averaged
	sum   []float64
	count int
	all   [][]float64
}

func (s Setup) newOutput(o Options) *output {
	out := &output{rule: s.output(o)}
	if out.rule == OutputTailAverage {
		out.first = int(float64(s.Plan.Steps) * (1 - tailAverageShare))
	}
	return out
}

// before shows the weights at which the gradient of a step, from 0, was taken.
func (o *output) before(_ int, weights []float64) {
	if o.rule == OutputUniformAverage {
		o.add(weights)
	}
}

// after shows the weights after a step, from 0.
func (o *output) after(step int, weights []float64) {
	switch {
	case o.rule == OutputTailAverage && step >= o.first:
		o.add(weights)
	case o.rule == OutputAllIterates:
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

// weights returns what the rule makes of the iterates, the last of which is given.
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
