package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// Options cannot change privacy. Negative or NaN numbers are refused.
type Options struct {
	// LearningRate is η, the largest of the run; 0 means the rule that needs no tuning.
	LearningRate float64
	// Schedule is how the learning rate goes over the steps, after the first WarmUp ones, in which
	// it rises: "constant" (or ""), "linear" and "cosine", which end at 0, or "inverse-sqrt".
	Schedule string
	WarmUp   int
	// Optimizer makes steps of released gradients; "momentum" (or ""), "nesterov", "adam", "adam-corrected" or "l-bfgs".
	// "adam-corrected" takes the known variance of the noise off its squares. "l-bfgs" is for baselines alone.
	Optimizer string
	// Momentum is β in [0, 1); of Adam how much of the mean gradient a step keeps.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖², on every weight.
	Ridge float64
	// L1 is the factor of the penalty Σ|w_j|, on every weight.
	L1 float64
	// Temperature, if positive, makes the run a sampler: the learning rate is the one at which the noise
	// of the plan is that of Langevin dynamics at this temperature. 1 over the number of records is that
	// of the posterior whose prior is normal with variance 1/(records·Ridge).
	Temperature float64
	// Output says which weights are returned: "last", "uniform-average" and "tail-average" of the iterates, or
	// "all-iterates", the last one and those before it; "" leaves it to Average.
	Output string
	// Average says whether the mean of the last 40 % of the iterates is returned instead of the
	// last one. Auto averages private runs of 20 steps or more.
	Average Tristate
	// FeatureBits is to how many bits a feature is rounded: 16 (or 0), or 8, which takes half of the
	// memory. Features that are 0 or 1 take one bit.
	FeatureBits int
	// Progress, if not nil, is told of every finished part: of the preparation (step 0) and of each
	// step, with the cost at the plan's delta if the run ended there.
	Progress func(Progress)
}

// Progress is public: it says how far a run is and what it has cost.
type Progress struct {
	Step, Steps int
	Epsilon     float64
}

// Result is a fitted model's parts; everything in it was released.
type Result struct {
	Model *model.Model
	// LearningRate is the one that was used, Divisor the declared or noisy number of records.
	LearningRate, Divisor float64
	// Output is the rule by which weights were made of the iterates.
	Output string
	// Iterates are the weights after each step of the rule "all-iterates", nil otherwise. They are those of
	// the prepared rows, as the weights of the model are.
	Iterates [][]float64
	// Evaluation is what was released about the held-out records, nil without any; evaluate.Measures makes
	// measures of it.
	Evaluation []float64
	// Inference is nil but for linear regression by released sums of products, see package erm.
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

// Fit reserves the plan's event, pays for and learns the preparation, and descends. Errors
// after the reservation do not depend on values of records, and what was reserved stays
// spent. There may be at most MaxRecords records; a record that the schema drops is not
// among them and counts as one that contributes zero.
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

// Check returns the error with which Fit would refuse the plan or the options, before it looks at a
// record.
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

// descendPaid trains on an encoded table under a grant.
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

// Effective returns, for each score, the weight of each encoded feature before whitening:
// how the score moves with that feature, up to the row's normalization. The last entry is
// the intercept's when the map has one. A network has none: it returns nil.
func Effective(m *model.Model) [][]float64 {
	if m.Network() != nil {
		return nil
	}
	f := m.Features()
	d := f.Pipeline.Dim()
	out := make([][]float64, m.Linear().Columns)
	for k := range out {
		w := m.Weights()[k*f.Dim() : (k+1)*f.Dim()]
		out[k] = append([]float64(nil), w...)
		if f.Whitening != nil {
			f.Whitening.Multiply(out[k][:d], w[:d])
		}
	}
	return out
}
