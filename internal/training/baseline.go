package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// baselineRidge is the default Λ of a baseline's penalty (Λ/2)·‖w‖², which is added to the sum of
// the losses.
const baselineRidge = 1

// Converge makes a baseline the minimum of losses and ridge if no flag describes its descent. Unless
// flags or texts need other rows, the columns are standardized. A target that is a number has the
// squared loss unless one is asked for.
func Converge(r *train.Request, o *train.Options, s *data.Schema, ridgeGiven bool) {
	o.Optimizer, o.Momentum, r.Steps = option.OptimizerLBFGS, 0, option.ConvergedSteps
	if r.Loss == nil && s.Target.Regression() {
		r.Loss = model.Squared
	}
	if r.Normalization == "" && r.Center != train.Yes && r.Whiten != train.Yes && !r.PrivateRadius && !s.HasText() {
		r.Normalization = feature.NormNone
		if r.Intercept == 0 {
			r.Intercept = 1
		}
		return
	}
	if !ridgeGiven {
		records := s.Records
		if records == 0 {
			records = s.MaxRecords
		}
		o.Ridge = baselineRidge / float64(records)
	}
}

// standardizes reports whether the run is a baseline on standardized columns.
func standardizes(s train.Setup, o train.Options) bool {
	return o.Optimizer == option.OptimizerLBFGS && s.Features.Norm == feature.NormNone
}

// objectiveWords names the function that a baseline minimizes.
func objectiveWords(s train.Setup, o train.Options) string {
	words := fmt.Sprintf("the mean loss and ridge %.4g", o.Ridge)
	if o.Ridge == 0 {
		words = fmt.Sprintf("the sum of losses and ridge %v", baselineRidge)
	}
	if standardizes(s, o) {
		words += " on standardized columns"
	}
	return words
}

// convergedWords names the search for a baseline.
func convergedWords(s train.Setup, o train.Options) string {
	return fmt.Sprintf("%s without noise: the minimum of %s by %s on all rows, at most %d gradients, until no entry of the mean gradient is above %v",
		s.Plan.Method(), objectiveWords(s, o), option.OptimizerLBFGS, s.Plan.Steps, option.ConvergedGradient)
}

// clippingWords describes how a record's gradient is bounded, if it is.
func (r *Run) clippingWords() string {
	if standardizes(r.Setup, r.Options) {
		return "none"
	}
	return setupClippingWords(r.Setup)
}

// boundWords describes how far a record moves a sum.
func (r *Run) boundWords() string {
	if standardizes(r.Setup, r.Options) {
		return ""
	}
	return fmt.Sprintf("one record moves a sum by at most %.4g", r.Setup.Plan.Clipping.Bound)
}

// writeBaseline writes the description of a baseline that converges, and nothing else.
func (r *Run) writeBaseline(w io.Writer) {
	if r.Options.Optimizer == option.OptimizerLBFGS && r.Other == nil && r.Network == nil {
		fmt.Fprintf(w, "baseline   not private: the minimum of %s, without clipping\n", objectiveWords(r.Setup, r.Options))
	}
}
