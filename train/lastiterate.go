package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// LastIterate contains the numbers that determine the cost if only the last iterate is released. In
// this case the learning rate and the ridge penalty affect the guarantee.
type LastIterate struct {
	// LearningRate is the learning rate of every step.
	LearningRate float64 `json:"learning-rate"`
	// Ridge is λ in the penalty (λ/2)·‖w‖² on all weights w.
	Ridge float64 `json:"ridge"`
	// RowBound is the largest L2 norm of a row.
	RowBound float64 `json:"row-bound"`
	// Reach is the largest magnitude of a weight during training.
	Reach float64 `json:"reach"`
	// Loss is the name of the loss.
	Loss string `json:"loss"`
	// HuberWidth is the width of the Huber loss. It is 0 for other losses.
	HuberWidth float64 `json:"huber-width,omitempty"`
	// Contraction is an upper bound on the factor by which one step multiplies the distance between
	// two weight vectors. It follows from the other numbers.
	Contraction float64 `json:"contraction"`
}

// These losses have clipped gradients, score by score, that are gradients of convex losses.
const logisticLoss, oneVsRestLoss, huberLoss = "logistic", "one-vs-rest", "huber"

// derivative returns the derivative of the loss.
func (l LastIterate) derivative() (release.LossDerivative, error) {
	switch l.Loss {
	case logisticLoss, oneVsRestLoss:
		return release.LogisticDerivative{}, nil
	case huberLoss:
		return release.HuberDerivative{Width: l.HuberWidth}, nil
	}
	return nil, fmt.Errorf("train: the last iterate alone is priced with loss %s, want %s, %s or %s; of others the clipped gradient is not known to be that of a smooth convex loss", l.Loss, logisticLoss, oneVsRestLoss, huberLoss)
}

// recursion returns the public numbers of the recursion.
func (p Plan) recursion() (release.RecursionOptions, error) {
	l := *p.LastIterate
	derivative, err := l.derivative()
	return release.RecursionOptions{Derivative: derivative, Columns: p.Columns, Dim: p.Dim, RowStep: gridStep(l.RowBound), RowBound: l.RowBound, ClippingNorm: p.Clipping.Bound,
		LearningRate: l.LearningRate, Ridge: l.Ridge, Divisor: float64(p.Records) * p.trained(), Reach: l.Reach, MaxRecords: p.MaxRecords}, err
}

// lastIterate returns the event of the last iterate with this multiplier.
func (p Plan) lastIterate(multiplier float64) mechanism.LastIterate {
	return mechanism.LastIterate{NoiseMultiplier: multiplier, Contraction: p.LastIterate.Contraction, Steps: p.Steps}
}

// validateLastIterate returns the first reason why the price of the last iterate alone has no
// proof.
func (p Plan) validateLastIterate() error {
	if p.LastIterate == nil {
		return nil
	}
	reason := ""
	switch {
	case p.NonPrivate:
		reason = "without noise, want privacy or composition"
	case p.Sampling != samplingFull:
		reason = "with samples, want all records in every step"
	case p.Person != nil:
		reason = "with persons as records, want rows"
	case p.ClassWeights != nil || p.SampleWeights != nil || p.alike(option.LabelsStatistic) > 0:
		reason = "with weights of levels or rows, want none"
	case p.Records == 0:
		reason = "with a noisy number of records, want it declared; set records in the schema"
	case p.Calibration != nil:
		reason = "with predictions that are corrected, want none of that"
	case p.alike(option.RadiusStatistic) > 0:
		reason = "with a private radius of rows, want a declared one"
	case p.learns():
		reason = "with bounds or levels that are learned, want them declared"
	case len(p.NoiseMultipliers) > 0:
		reason = "with noise that changes over the steps, want the same in all"
	case p.Clipping.Mode != option.ClipGradient && p.Clipping.Mode != option.ClipExample:
		reason = "with clipping " + p.Clipping.Mode + ", want " + option.ClipGradient + " or " + option.ClipExample
	}
	if reason != "" {
		return fmt.Errorf("train: the last iterate alone is priced %s", reason)
	}
	o, err := p.recursion()
	if err != nil {
		return err
	}
	c, err := o.Contraction()
	if err != nil {
		return err
	}
	if c != p.LastIterate.Contraction {
		return fmt.Errorf("train: contraction is %v, want %v, which follows from the plan", p.LastIterate.Contraction, c)
	}
	return release.CheckRecursion(p.lastIterate(p.NoiseMultiplier), o)
}

// account fills in the noise and decides which releases are priced.
func (r Request) account(s *Setup) error {
	composed, alone := s.Plan, *s
	composed.Preparation, alone.Plan.Preparation = clone(s.Plan.Preparation), clone(s.Plan.Preparation)
	switch r.Accounting {
	case "", option.AccountingComposition:
		return s.Plan.calibrate(r)
	case option.AccountingLastIterate:
		if err := r.lastIterate(&alone); err != nil {
			return err
		}
		s.Plan = alone.Plan
		return nil
	case option.AccountingAuto:
		if err := composed.calibrate(r); err != nil {
			return err
		}
		if err := r.lastIterate(&alone); err == nil && alone.Plan.NoiseMultiplier < composed.NoiseMultiplier {
			s.Plan = alone.Plan
			return nil
		}
		s.Plan = composed
		return nil
	}
	return fmt.Errorf("train: accounting is %q, want one of %v", r.Accounting, option.Accountings())
}

func clone(s []PreparationStep) []PreparationStep { return append([]PreparationStep(nil), s...) }

// lastIterate changes a setup into one that prices the last iterate alone.
func (r Request) lastIterate(s *Setup) error {
	p := &s.Plan
	switch {
	case r.PerStep || r.NoiseContraction != 0:
		return fmt.Errorf("train: the last iterate alone is priced with a budget of each step or noise that changes over the steps, want a budget of the whole run and the same noise in all")
	case s.Features.Norm == feature.NormNone:
		return fmt.Errorf("train: the last iterate alone is priced with row normalization none, want unit or clip; smoothness needs rows of bounded norm")
	case r.Ridge <= 0 || p.Records == 0:
		return fmt.Errorf("train: the last iterate alone is priced with ridge %v and %d declared records, want a positive ridge and the number of records declared", r.Ridge, p.Records)
	}
	l := LastIterate{LearningRate: r.LearningRate, Ridge: r.Ridge, RowBound: s.Features.RowBound(), Reach: 1, Loss: s.Model.Loss.Name()}
	if width := s.Model.Loss.Lipschitz(1); s.Model.Loss == model.Huber(width) {
		l.HuberWidth = width
	}
	divisor := float64(p.Records) * p.trained()
	most := s.Model.Loss.Smoothness()*l.RowBound*l.RowBound*float64(p.MaxRecords)/divisor + l.Ridge
	if l.LearningRate == 0 {
		l.LearningRate = 1 / most
	}
	p.LastIterate = &l
	o, err := p.recursion()
	if err != nil {
		return err
	}
	if l.Contraction, err = o.Contraction(); err != nil {
		return fmt.Errorf("train: the last iterate alone has no bound: %w", err)
	}
	if err = p.calibrate(r); err != nil {
		return err
	}
	l.Reach = s.reach(l, divisor)
	return p.validateLastIterate()
}

// reach returns a bound on weights that is hardly ever met. A descent from zero stays within twice
// the norm of the minimizer w plus 16 standard deviations of the noise. For w, (Ridge/2)·‖w‖² is at
// most the loss at zero.
func (s Setup) reach(l LastIterate, divisor float64) float64 {
	scores := make([]float64, s.Model.Columns)
	loss := max(s.Model.Loss.Value(scores, 0), s.Model.Loss.Value(scores, 1)) * float64(s.Plan.MaxRecords) / divisor
	noise := s.Plan.NoiseMultiplier * s.Plan.Clipping.Bound * l.LearningRate / divisor / math.Sqrt(1-l.Contraction*l.Contraction)
	return 2*math.Sqrt(2*loss/l.Ridge) + 16*noise
}

// checkLastIterate refuses options that show iterates or use steps of another kind.
func (s Setup) checkLastIterate(o Options) error {
	l := s.Plan.LastIterate
	if l == nil {
		return nil
	}
	plain := o.Momentum == 0 && (o.Optimizer == "" || o.Optimizer == option.OptimizerMomentum) && (o.Schedule == "" || o.Schedule == option.ScheduleConstant) && o.WarmUp == 0 && o.L1 == 0 && o.Temperature == 0
	switch {
	case !plain:
		return fmt.Errorf("train: the last iterate alone is priced with momentum %v, optimizer %q, schedule %q, warm-up %d, l1 %v and temperature %v, want gradient descent without any of them", o.Momentum, o.Optimizer, o.Schedule, o.WarmUp, o.L1, o.Temperature)
	case o.Average == Yes || o.Output != "" && o.Output != option.OutputLast:
		return fmt.Errorf("train: the last iterate alone is priced with an average or all iterates as the output, want the last iterate")
	case o.LearningRate != 0 && o.LearningRate != l.LearningRate || o.Ridge != l.Ridge:
		return fmt.Errorf("train: learning rate is %v and ridge %v, want those of the plan, %v and %v, by which the last iterate alone is priced", o.LearningRate, o.Ridge, l.LearningRate, l.Ridge)
	case s.Model.Loss.Name() != l.Loss:
		return fmt.Errorf("train: the model's loss is %s, want %s as in the plan", s.Model.Loss.Name(), l.Loss)
	}
	return nil
}

// runLastIterate trains on prepared rows and releases the last iterate.
func (s Setup) runLastIterate(ctx context.Context, payer mechanism.Payer, t table, ready prepared, o Options) (*Result, error) {
	numbers, err := s.Plan.recursion()
	if err != nil {
		return nil, err
	}
	rows, err := s.dense(t, ready, numbers)
	if err != nil {
		return nil, err
	}
	show, err := s.showLastIterate(o)
	if err != nil {
		return nil, err
	}
	before := func(step int) error {
		if ctx.Err() != nil {
			return stopped(ctx, step, s.Plan.Steps)
		}
		show(step)
		return nil
	}
	noisy, err := release.RunRecursion(payer, s.Plan.lastIterate(s.Plan.NoiseMultiplier), release.Recursion{Rows: rows, RecursionOptions: numbers, Before: before})
	if err != nil {
		return nil, err
	}
	show(s.Plan.Steps)
	out := &Result{LearningRate: s.Plan.LastIterate.LearningRate, Divisor: ready.divisor, Output: option.OutputLast}
	out.WeightNoise = s.Plan.weightNoise(o, out)
	if err = out.serve(s, &ready, noisy.Values(), false); err != nil {
		return nil, err
	}
	out.Model.Provenance.Private = true
	return out, ready.evidentCells(s.Plan, o, out)
}

var errLastIterateFile = fmt.Errorf("train: the last iterate alone is priced with rows in a file, want the rows in memory")

// dense writes the prepared rows again in their own frame, none longer than the row bound.
func (s Setup) dense(t table, ready prepared, o release.RecursionOptions) (*release.Rows, error) {
	if t.file != nil {
		return nil, errLastIterateFile
	}
	places, steps := t.rows.Len(), o.RowBound/o.RowStep
	return release.NewRows(places, release.RowsOptions{Dim: o.Dim, Step: o.RowStep, Limit: int64(steps * steps), Labels: t.targets()}, t.mapped(ready.features))
}

// showLastIterate returns a function that reports steps: their number, and the cost of the whole
// run, which is paid before the first step.
func (s Setup) showLastIterate(o Options) (func(step int), error) {
	if o.Progress == nil {
		return func(int) {}, nil
	}
	cost, err := account.For(s.Plan.Training()).Epsilon(s.Plan.Training(), s.Plan.Delta, s.Plan.Neighboring)
	return func(step int) {
		if hundredth(step, s.Plan.Steps) {
			o.Progress(Progress{step, s.Plan.Steps, cost.Upper})
		}
	}, err
}
