package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
)

// isAdam reports whether steps are divided by the size of gradients.
func isAdam(n string) bool { return n == option.OptimizerAdam || n == option.OptimizerAdamCorrected }

// validateSteps refuses unknown optimizers, schedules and output rules.
func (o Options) validateSteps() error {
	switch {
	case o.Schedule != "" && !slices.Contains(option.Schedules(), o.Schedule):
		return fmt.Errorf("train: schedule is %q, want one of %v", o.Schedule, option.Schedules())
	case o.Optimizer != "" && !slices.Contains(option.Optimizers(), o.Optimizer):
		return fmt.Errorf("train: optimizer is %q, want one of %v", o.Optimizer, option.Optimizers())
	case o.WarmUp < 0 || o.WarmUp > maxSteps:
		return fmt.Errorf("train: warm-up is %d steps, want 0 to %d", o.WarmUp, maxSteps)
	case o.Output != "" && !slices.Contains(option.OutputRules(), o.Output):
		return fmt.Errorf("train: output rule is %q, want one of %v", o.Output, option.OutputRules())
	case o.Output != "" && o.Average != Auto:
		return fmt.Errorf("train: output rule is %s with the average said to be %v, want one of them", o.Output, o.Average == Yes)
	}
	return nil
}

// rate returns the learning rate that the optimizer's rule gives for the number of records and the
// curvature of the rows.
func (s Setup) rate(o Options, divisor, curvature float64) float64 {
	switch {
	case isAdam(o.Optimizer):
		// A step moves a weight by about the rate. Steps in random directions move a score of a row
		// of norm 1 by about rate·√steps: by noiseInScore.
		return noiseInScore / math.Sqrt(float64(s.Plan.Steps))
	case o.Optimizer == option.OptimizerNesterov:
		// The stable rates of a quadratic of curvature h are below 2(1+β)/((1+2β)·h).
		stable := stabilityMargin * 2 * (1 + o.Momentum) / (s.Model.Loss.Smoothness()*curvature + o.Ridge)
		return min(s.learningRate(o, divisor, curvature), stable/(1+2*o.Momentum))
	}
	return s.learningRate(o, divisor, curvature)
}

// optimizer returns the requested optimizer; divisor is the expected divisor of a step.
func (s Setup) optimizer(o Options, rate, divisor float64) optimizer.Optimizer {
	objective := optimizer.Objective{Divisor: divisor, Ridge: o.Ridge, L1: o.L1, Rates: optimizer.Rates{LearningRate: rate, Schedule: o.Schedule, WarmUp: o.WarmUp, Steps: s.Plan.Steps}}
	switch o.Optimizer {
	case option.OptimizerLBFGS:
		return &optimizer.LBFGS{Objective: objective}
	case option.OptimizerNesterov:
		return &optimizer.Nesterov{Objective: objective, Momentum: o.Momentum}
	case option.OptimizerAdam:
		return &optimizer.Adam{Objective: objective, MeanDecay: o.Momentum, SquareDecay: optimizer.SquareDecay}
	case option.OptimizerAdamCorrected:
		noise := s.Plan.NoiseMultiplier * s.Plan.Clipping.Bound / divisor
		return &optimizer.Adam{Objective: objective, MeanDecay: o.Momentum, SquareDecay: optimizer.SquareDecay, NoiseVariance: noise * noise}
	}
	return &optimizer.Momentum{Objective: objective, Momentum: o.Momentum}
}
