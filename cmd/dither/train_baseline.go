package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/train"
	"github.com/spf13/pflag"
)

// descends lists the flags that say how descent goes: with any of them a baseline descends as a private run does,
// without them it converges.
var descends = []string{"sampling-probability", "batch-size", "parts", "steps", "clipping", "clipping-norm", "parameter-radius", "learning-rate", "momentum", "average",
	"optimizer", "schedule", "warm-up", "l1", "temperature", "output-rule", "noise-contraction", "accounting", "holdout"}

// baselineRidge is what a baseline adds to the sum of the losses unless --ridge says otherwise, times half of the
// squared norm of the weights.
const baselineRidge = 1

// converge makes a baseline whose descent nobody described the minimum of losses and ridge.
func (p *planFlags) converge(r *train.Request, o *train.Options, s *data.Schema) {
	asked := false
	p.flags.Visit(func(f *pflag.Flag) { asked = asked || slices.Contains(descends, f.Name) })
	if asked {
		return
	}
	o.Optimizer, o.Momentum, r.Steps = train.OptimizerLBFGS, 0, train.ConvergedSteps
	if !p.flags.Changed("ridge") {
		records := s.Records
		if records == 0 {
			records = s.MaxRecords
		}
		o.Ridge = baselineRidge / float64(records)
	}
}

// convergedWords says what a baseline is the minimum of.
func convergedWords(p train.Plan, o train.Options) string {
	return fmt.Sprintf("%s without noise: %s on exact gradients of all rows, at most %d, until no entry of the mean gradient is above %v; ridge %.4g beside the mean loss",
		p.Method(), train.OptimizerLBFGS, p.Steps, train.ConvergedGradient, o.Ridge)
}

// writeBaseline writes what a baseline that converges is, and nothing of another run.
func (f trainRun) writeBaseline(w io.Writer) {
	if f.options.Optimizer == train.OptimizerLBFGS && f.other == nil && f.network == nil {
		fmt.Fprintf(w, "baseline   not private: the minimum of mean loss and ridge %.4g, without clipping\n", f.options.Ridge)
	}
}

// setupClippingWords says how a record's gradient is bounded, if it is.
func setupClippingWords(s train.Setup) string {
	if s.Clips() {
		return clippingWords(s.Plan.Clipping)
	}
	return fmt.Sprintf("none; one record's gradient is at most %.4g by the slope of the loss", s.Plan.Clipping.Bound)
}
