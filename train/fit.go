package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/linalg"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/query"
)

// Options cannot change privacy. Negative or NaN numbers are refused.
type Options struct {
	// LearningRate is η; 0 means the rule that needs no tuning.
	LearningRate float64
	// Momentum is β in [0, 1).
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖², on every weight.
	Ridge float64
	// Average says whether the mean of the last 40 % of the iterates is returned instead
	// of the last one; Auto averages private runs of 20 steps or more.
	Average Choice
	// FeatureBits is to how many bits a feature is rounded: 16 (or 0), or 8, which takes half of the
	// memory. Features that are 0 or 1 take one bit.
	FeatureBits int
	// Progress, if not nil, is told of every finished part: of the preparation (step 0) and
	// of each step, with what would be the cost so far at the plan's delta.
	Progress func(Progress)
}

// DefaultMomentum is the momentum of the tool.
const DefaultMomentum = 0.9

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
	Averaged              bool
}

// Validate returns an error that names a number that makes no sense.
func (o Options) Validate() error {
	for name, v := range map[string]float64{"learning rate": o.LearningRate, "momentum": o.Momentum, "ridge": o.Ridge} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("train: %s is %v, want 0 or a positive finite number", name, v)
		}
	}
	if o.Momentum >= 1 {
		return fmt.Errorf("train: momentum is %v, want less than 1", o.Momentum)
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
	t, err := s.encode(d, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	return s.fit(ctx, l, t, o)
}

func (s Setup) check(o Options) error {
	if err := s.Plan.Validate(); err != nil {
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
	ready, err := s.prepare(grant, t)
	if err != nil {
		return nil, err
	}
	rows, err := s.descend(t, ready)
	if err != nil {
		return nil, err
	}
	run := &descent{Setup: s, options: o, payer: grant, rows: rows, ready: ready}
	return run.fit(ctx)
}

// descent is one run of gradient descent over prepared rows.
type descent struct {
	Setup
	options Options
	payer   mechanism.Payer
	rows    *mechanism.Rows
	ready   prepared
	samples *samples
}

func (r *descent) fit(ctx context.Context) (*Result, error) {
	rate := r.options.LearningRate
	if rate == 0 {
		rate = r.learningRate(r.options, r.ready.divisor, curvature(r.ready.features, r.ready.whitened))
	}
	divisor := r.ready.divisor * r.Plan.Share() // the expected batch, from public numbers
	optimizer := &Momentum{LearningRate: rate, Momentum: r.options.Momentum, Ridge: r.options.Ridge, Divisor: divisor}
	average := &TailAverage{First: int(float64(r.Plan.Steps) * (1 - tailAverageShare))}
	weights := make([]float64, r.Model.Weights())
	var err error
	if r.samples, err = r.Plan.newSamples(r.rows.Len()); err != nil {
		return nil, err
	}
	r.report(0)
	for step := range r.Plan.Steps {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("train: stopped after step %d of %d: %w", step, r.Plan.Steps, context.Cause(ctx))
		}
		noisy, failed := r.gradient(weights)
		if failed != nil {
			return nil, failed
		}
		optimizer.Step(weights, noisy)
		average.Add(step, weights)
		r.report(step + 1)
	}
	averaged := r.averages(r.options)
	if averaged {
		weights = average.Mean()
	}
	m, err := model.New(r.Schema, r.ready.features, r.Model.Loss, weights)
	if err != nil {
		return nil, fmt.Errorf("train: the run did not stay finite; lower the learning rate: %w", err)
	}
	return &Result{Model: m, LearningRate: rate, Divisor: r.ready.divisor, Averaged: averaged}, nil
}

// gradient releases the noisy sum of the clipped gradients of the step's sample, which may be
// empty.
func (r *descent) gradient(weights []float64) (mechanism.Noisy, error) {
	sample, err := r.samples.draw()
	if err != nil {
		return mechanism.Noisy{}, err
	}
	noise := r.Plan.noise(r.Plan.NoiseMultiplier)
	sum, err := mechanism.NewSum(sample, r.rows, mechanism.SumOptions{Noise: noise, Columns: r.Plan.Columns, Bound: r.Plan.Clipping.Bound, MaxRecords: r.Plan.MaxRecords})
	if err != nil {
		return mechanism.Noisy{}, err
	}
	scorer := r.rows.Scorer(weights, r.Plan.Columns)
	propose := func(c *linalg.Contributions, b mechanism.Block) { r.propose(c, scorer, b) }
	if r.Plan.Sampling != samplingFull {
		err = query.AddSample(sum, r.rows, sample, propose)
	} else {
		err = query.AddAll(sum, r.rows, propose)
	}
	if err != nil {
		return mechanism.Noisy{}, err
	}
	return mechanism.Release(r.payer, noise, sum.Seal())
}

// propose fills c with the clipped residuals of the records of a block.
func (r *descent) propose(c *linalg.Contributions, scorer *mechanism.Scorer, b mechanism.Block) {
	r.Model.Propose(c, b.Labels(), func(dst []float32) { scorer.Scores(dst, b) })
	for i := range b.Len() {
		residual := c.Coefficients[i*c.Columns : (i+1)*c.Columns]
		if w := r.Plan.Clipping.weight(b.Norm(i) * linalg.Norm(residual)); w != 1 {
			for k := range residual {
				residual[k] *= w
			}
		}
	}
}

// report tells what was released so far and what it would cost if the run ended here. A long
// run is told of in hundredths.
func (r *descent) report(step int) {
	const parts = 100
	steps := r.Plan.Steps
	if r.options.Progress == nil || steps > parts && step < steps && step*parts/steps == (step-1)*parts/steps && step > 0 {
		return
	}
	now := r.Plan
	now.Steps = step
	event := now.Event()
	a := account.For(event)
	if _, certified := a.(account.PLD); certified && step < steps {
		a = account.PLD{Width: 1e-2} // on the way a wider interval will do
	}
	cost, err := a.Epsilon(event, now.Delta, now.Neighboring)
	if err != nil {
		return
	}
	r.options.Progress(Progress{step, steps, cost.Upper})
}

// Effective returns, for each score, the weight of each encoded feature before whitening:
// how the score moves with that feature, up to the row's normalization. The last entry is
// the intercept's when the map has one.
func Effective(m *model.Model) [][]float64 {
	f := m.Features()
	d := f.Encoder.Dim()
	out := make([][]float64, m.Linear().Columns)
	for k := range out {
		w := m.Weights()[k*f.Dim() : (k+1)*f.Dim()]
		out[k] = append([]float64(nil), w...)
		if f.Whitening != nil {
			linalg.MultiplyRows(out[k][:d], w[:d], f.Whitening, d)
		}
	}
	return out
}
