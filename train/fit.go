package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// Options are the settings that cannot change privacy. Negative or NaN numbers are refused.
type Options struct {
	// LearningRate is η, the largest learning rate of the run. 0 means the rule that needs no
	// tuning.
	LearningRate float64
	// Schedule is the course of the learning rate after the first WarmUp steps, in which it rises.
	// It is "constant" (or ""), "linear", "cosine" or "inverse-sqrt". "linear" and "cosine" end at
	// 0.
	Schedule string
	WarmUp   int
	// Optimizer turns released gradients into steps. It is "momentum" (or ""), "nesterov", "adam",
	// "adam-corrected" or "l-bfgs". "adam-corrected" subtracts the known variance of the noise from
	// Adam's squares. "l-bfgs" is for baselines only.
	Optimizer string
	// Momentum is β in [0, 1). For Adam it is the share of the mean gradient that a step keeps.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖², on every weight.
	Ridge float64
	// L1 is the factor of the penalty Σ|w_j|, on every weight.
	L1 float64
	// Temperature, if positive, makes the run a sampler. The plan's noise at the run's learning
	// rate is then the noise of Langevin dynamics at this temperature. A temperature of 1/records
	// samples the posterior under a normal prior with variance 1/(records·Ridge).
	Temperature float64
	// Output names the weights to return. "last", "uniform-average" and "tail-average" are rules
	// over the iterates. "all-iterates" returns the last iterate and all earlier ones. "" leaves
	// the choice to Average.
	Output string
	// Average says whether the mean of the last 40 % of the iterates is returned instead of the
	// last one. Auto averages private runs of at least 20 steps.
	Average Tristate
	// FeatureBits is the number of bits that a feature is rounded to. It is 16 (or 0), or 8, which
	// halves the memory. Features with values 0 and 1 take one bit.
	FeatureBits int
	// Progress, if not nil, is called after every finished part. The parts are the preparation
	// (step 0) and each step. The call holds the cost at the plan's delta if the run ended there.
	Progress func(Progress)
}

// Progress is the public state of a run: the steps taken and their cost so far.
type Progress struct {
	Step, Steps int
	Epsilon     float64
}

// Result is a fitted model with its numbers. Everything in it was released.
type Result struct {
	Model *model.Model
	// LearningRate is the learning rate that was used. Divisor is the declared or noisy number of
	// records.
	LearningRate, Divisor float64
	// Output names the rule that made the weights from the iterates.
	Output string
	// Iterates are the weights after each step under the rule "all-iterates", nil otherwise. Like
	// the model's weights, they apply to the prepared rows.
	Iterates [][]float64
	// Evaluation holds the released numbers about the held-out records, nil without a holdout.
	// Function evaluate.Measures turns them into measures.
	Evaluation []float64
	// Inference holds intervals for linear regression by released sums of products (see package
	// erm). It is nil for other methods.
	Inference *Inference
}

// Validate returns an error that names a number that makes no sense.
func (o Options) Validate() error {
	for name, v := range map[string]float64{"learning rate": o.LearningRate, "momentum": o.Momentum, "ridge": o.Ridge, "l1": o.L1, "temperature": o.Temperature} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("train: %s is %v, want 0 or a positive finite number", name, v)
		}
	}
	if o.Momentum >= 1 {
		return fmt.Errorf("train: momentum is %v, want less than 1", o.Momentum)
	}
	if err := o.validateSteps(); err != nil {
		return err
	}
	return checkFeatureBits(o.FeatureBits)
}

// Fit reserves the plan's event, pays for the preparation and learns it, and descends. Errors after
// the reservation do not depend on values of records, and the reserved cost stays spent. There may
// be at most MaxRecords records. A record that the schema drops is not counted; it contributes
// zero.
func Fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options) (*Result, error) {
	if err := s.check(o); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("train: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("train: stopped before anything was spent: %w", err)
	}
	if s.Plan.Holdout != nil {
		return s.fitHoldout(ctx, l, d, o)
	}
	s, t, grant, err := s.begin(l, d, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	return s.descendPaid(ctx, grant, t, o)
}

// Check returns the error with which Fit would refuse the plan or the options. It reads no record.
func (s Setup) Check(o Options) error { return s.check(o) }

func (s Setup) check(o Options) error {
	if err := s.Plan.Validate(); err != nil {
		return err
	}
	if err := s.checkLastIterate(o); err != nil {
		return err
	}
	if err := s.checkOutput(o); err != nil {
		return err
	}
	if err := s.checkTemperature(o); err != nil {
		return err
	}
	if err := s.checkConverges(o); err != nil {
		return err
	}
	if err := s.checkLearns(); err != nil {
		return err
	}
	return o.Validate()
}

// fit is Fit for an encoded table.
func (s Setup) fit(ctx context.Context, l *ledger.Ledger, t table, o Options) (*Result, error) {
	grant, err := l.Reserve(s.Plan.Event(), s.Plan.Method())
	if err != nil {
		return nil, err
	}
	return s.descendPaid(ctx, grant, t, o)
}

// descendPaid trains on an encoded table with a grant from the ledger.
func (s Setup) descendPaid(ctx context.Context, grant *ledger.Grant, t table, o Options) (*Result, error) {
	ready, err := s.prepare(grant, t)
	if err != nil {
		return nil, err
	}
	s = ready.setup
	if s.Plan.LastIterate != nil {
		return s.runLastIterate(ctx, grant, t, ready, o)
	}
	rows, err := s.descend(t, ready)
	if err != nil {
		return nil, err
	}
	ready.forget()
	run, err := newDescent(s, o, grant, rows, t.persons, ready)
	if err != nil {
		return nil, err
	}
	return run.fit(ctx)
}
