package train

import (
	"fmt"

	"github.com/ditherml/dither/internal/option"
)

// checkConverges refuses options that the search for a minimum does not support.
func (s Setup) checkConverges(o Options) error {
	if o.Optimizer != option.OptimizerLBFGS {
		return nil
	}
	p := s.Plan
	if !p.NonPrivate || p.Sampling != samplingFull || p.Clipping.Mode != option.ClipGradient {
		return fmt.Errorf("train: optimizer is %s for a plan with noise, samples or clipping %s, want a baseline on all records with clipping %s; noise hides the slopes that it follows", option.OptimizerLBFGS, p.Clipping.Mode, option.ClipGradient)
	}
	if o.L1 != 0 || o.WarmUp != 0 || o.Temperature != 0 || o.Schedule != "" && o.Schedule != option.ScheduleConstant || o.Average == Yes || o.Output != "" && o.Output != option.OutputLast {
		return fmt.Errorf("train: optimizer is %s with l1, a warm-up, a schedule, a temperature or iterates to keep, want none; it returns the minimum alone", option.OptimizerLBFGS)
	}
	return nil
}
