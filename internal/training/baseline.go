package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// baselineRidge is what a baseline adds to the sum of the losses unless --ridge says otherwise, times half of the
// squared norm of the weights.
const baselineRidge = 1

// Converge makes a baseline whose descent nobody described the minimum of losses and ridge, which is a default unless
// ridgeGiven.
func Converge(r *train.Request, o *train.Options, s *data.Schema, ridgeGiven bool) {
	o.Optimizer, o.Momentum, r.Steps = option.OptimizerLBFGS, 0, option.ConvergedSteps
	if !ridgeGiven {
		records := s.Records
		if records == 0 {
			records = s.MaxRecords
		}
		o.Ridge = baselineRidge / float64(records)
	}
}

// writeBaseline writes what a baseline that converges is, and nothing of another run.
func (r *Run) writeBaseline(w io.Writer) {
	if r.Options.Optimizer == option.OptimizerLBFGS && r.Other == nil && r.Network == nil {
		fmt.Fprintf(w, "baseline   not private: the minimum of mean loss and ridge %.4g, without clipping\n", r.Options.Ridge)
	}
}
