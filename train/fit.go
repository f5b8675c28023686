package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// Options are settings that do not affect the guarantee. Negative or NaN numbers are errors.
type Options struct {
	// LearningRate is η, the largest learning rate of the run. 0 means a default rule without
	// tuning.
	LearningRate float64
	// Schedule is the schedule of the learning rate after a linear increase over WarmUp steps. It
	// is "constant" (or ""), "linear", "cosine" or "inverse-sqrt". "linear" and "cosine" end at 0.
	Schedule string
	WarmUp   int
	// Optimizer computes steps from released gradients. It is "momentum" (or ""), "nesterov",
	// "adam", "adam-corrected" or "l-bfgs". "adam-corrected" subtracts the known variance of the
	// noise from Adam's second moments. "l-bfgs" is for baselines only.
	Optimizer string
	// Momentum is β in [0, 1). For Adam it is the decay of the mean gradient.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖² on all weights.
	Ridge float64
	// L1 is the factor of the penalty Σ|w_j| on all weights.
	L1 float64
	// Temperature, if positive, makes the run a sampler. The plan's noise at the run's learning
	// rate is then the noise of Langevin dynamics at this temperature. A temperature of 1/records
	// samples the posterior under a normal prior with variance 1/(records·Ridge).
	Temperature float64
	// Output selects the returned weights. "last", "uniform-average" and "tail-average" are rules
	// over the iterates. "all-iterates" returns the last iterate and all earlier ones. "" means
	// that Average decides.
	Output string
	// Average selects the mean of the last 40 % of the iterates instead of the last one. Auto
	// averages private runs of at least 20 steps.
	Average Tristate
	// FeatureBits is the number of bits that a feature is rounded to. It is 16 (or 0), or 8, which
	// halves the memory. Features with values 0 and 1 take one bit.
	FeatureBits int
	// Progress, if not nil, is called after the preparation (step 0) and after each step. Its
	// argument includes the cost, at the plan's delta, of a run that ends there.
	Progress func(Progress)
}

// Progress is the public state of a run: the steps taken and their cost so far.
type Progress struct {
	Step, Steps int
	Epsilon     float64
}

// Result is a fitted model with its numbers. All fields are released.
type Result struct {
	Model *model.Model
	// LearningRate is the learning rate that was used. Divisor is the declared or noisy number of
	// records.
	LearningRate, Divisor float64
	// Output is the name of the rule that computed the weights from the iterates.
	Output string
	// Iterates are the weights after each step if Output is "all-iterates", else nil. Like the
	// model's weights, they apply to prepared rows.
	Iterates [][]float64
	// Evaluation contains the released numbers about the held-out records, or nil without a
	// holdout. evaluate.Measures computes measures from them.
	Evaluation []float64
	// Inference contains intervals for linear regression by released sums of products (see package
	// erm). It is nil for other methods.
	Inference *Inference
}

// Validate returns an error for an invalid number.
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

// Fit reserves the plan's event, releases the preparation, and descends. Errors after the
// reservation do not depend on values of records, and the reserved cost stays spent. More than
// MaxRecords records are an error. Records that the schema drops contribute nothing and do not
// count.
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

// Check returns the error that Fit would return for the plan and the options. It reads no record.
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
