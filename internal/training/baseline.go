package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// baselineRidge is the default Λ of a baseline's penalty (Λ/2)·‖w‖², which is added to the sum of
// the losses.
const baselineRidge = 1

// Converge makes a baseline converge to the minimum of losses and ridge if no flag describes its
// descent. The ridge is a default unless ridgeGiven.
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

// writeBaseline writes the description of a baseline that converges, and nothing else.
func (r *Run) writeBaseline(w io.Writer) {
	if r.Options.Optimizer == option.OptimizerLBFGS && r.Other == nil && r.Network == nil {
		fmt.Fprintf(w, "baseline   not private: the minimum of mean loss and ridge %.4g, without clipping\n", r.Options.Ridge)
	}
}
