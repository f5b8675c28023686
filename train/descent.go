package train

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

// descent is one run of gradient descent over prepared rows.
type descent struct {
	Setup
	options   Options
	payer     mechanism.Payer
	rows      *release.Rows
	ready     prepared
	samples   *samples
	rate      float64
	optimizer optimizer.Optimizer
	output    *output
	weights   []float64
	taken     int        // steps
	persons   *ofPersons // nil: a record is a row
}

// newDescent returns a run before its first step.
func newDescent(s Setup, o Options, payer mechanism.Payer, rows *release.Rows, t table, ready prepared) (*descent, error) {
	weighted := ready.divisor * ready.weight()
	rate := o.LearningRate
	switch {
	case o.Temperature > 0:
		var err error
		if rate, err = s.temperatureRate(o); err != nil {
			return nil, err
		}
	case rate == 0:
		rate = s.rate(o, weighted, curvature(ready.features, ready.whitened))
	}
	var people *ofPersons
	records := rows.Len()
	if s.Plan.Person != nil {
		people, records = &ofPersons{rows: rows, persons: t.persons}, len(t.persons)
	}
	drawn, err := s.newSamples(payer, records)
	divisor := weighted * s.Plan.Share() // the expected batch size, from public numbers
	return &descent{Setup: s, options: o, payer: payer, rows: rows, persons: people, ready: ready, samples: drawn, weights: make([]float64, s.Model.Weights()),
		rate: rate, optimizer: s.optimizer(o, rate, divisor), output: s.newOutput(o)}, err
}

func (r *descent) fit(ctx context.Context) (*Result, error) {
	r.report(0)
	for step := range r.Plan.Steps {
		if r.converged() {
			break
		}
		if ctx.Err() != nil {
			return nil, stopped(ctx, step, r.Plan.Steps)
		}
		noisy, err := r.gradient()
		if err != nil {
			return nil, err
		}
		r.advance(step, noisy)
	}
	return r.result()
}

func stopped(ctx context.Context, step, steps int) error {
	return fmt.Errorf("train: stopped after step %d of %d: %w", step, steps, context.Cause(ctx))
}

// advance takes a step along the released gradient and reports progress.
func (r *descent) advance(step int, noisy release.Noisy) {
	r.move(step, noisy)
	r.report(step + 1)
}

// converged reports whether further steps would change nothing.
func (r *descent) converged() bool {
	search, ok := r.optimizer.(*optimizer.LBFGS)
	return ok && search.Converged()
}

// move takes a step along the released gradient.
func (r *descent) move(step int, noisy release.Noisy) {
	r.output.before(step, r.weights)
	r.optimizer.Step(r.weights, noisy)
	r.Plan.Clipping.project(r.weights)
	r.output.after(step, r.weights)
	r.taken++
}

// result returns the model after the last step.
func (r *descent) result() (*Result, error) {
	if search, ok := r.optimizer.(*optimizer.LBFGS); ok {
		search.End(r.weights)
	}
	out := &Result{LearningRate: r.rate, Divisor: r.ready.divisor, Output: r.output.rule, Iterates: r.output.all, Path: r.output.path}
	out.WeightNoise = r.Plan.weightNoise(r.options, out)
	if err := out.serve(r.Setup, &r.ready, r.output.weights(r.weights), r.options.Temperature > 0); err != nil {
		return nil, fmt.Errorf("train: the run did not stay finite; lower the learning rate: %w", err)
	}
	out.Model.Provenance.Private = !r.Plan.NonPrivate
	return out, nil
}

// serve makes the model of a result from the weights of a descent. The weight of the constant is not moved if the
// weights are a sample of a distribution: a moved sample would be none.
func (out *Result) serve(s Setup, ready *prepared, weights []float64, sample bool) (err error) {
	served, moved := ready.evident(s.Plan, weights, out.WeightNoise)
	if served != ready.features {
		out.Unshrunk = ready.features
	}
	if out.Iterates != nil || sample { // iterates must end in the weights of the model
		moved = weights
	} else if out.Unshrunk != nil {
		out.UnshrunkWeights = weights
	}
	out.Model, err = model.New(s.Schema, served, s.Model.Loss, moved)
	return err
}

// gradient releases the noisy sum of the clipped gradients of the step's sample, which may be
// empty.
func (r *descent) gradient() (release.Noisy, error) {
	if r.persons != nil {
		return r.personGradient()
	}
	sample, err := r.samples.draw()
	if err != nil {
		return release.Noisy{}, err
	}
	sum, err := r.newSum(sample)
	if err != nil {
		return release.Noisy{}, err
	}
	scorer := r.scorer()
	propose := func(c *kernel.Contributions, b release.Block) {
		r.propose(c, b, func(dst []float32) { scorer.Scores(dst, b) })
	}
	if r.Plan.Sampling != samplingFull {
		err = pass.Sample(sum, r.rows, sample, propose)
	} else {
		err = pass.All(sum, r.rows, propose)
	}
	if err != nil {
		return release.Noisy{}, err
	}
	return release.Release(r.payer, r.noise(), sum.Seal())
}

// noise returns the noise of the next step.
func (r *descent) noise() mechanism.Noise { return r.Plan.noiseOf(r.taken) }

// newSum returns the empty sum of a step.
func (r *descent) newSum(sample release.Sample) (*release.Sum, error) {
	return release.NewSum(sample, r.rows, release.SumOptions{Noise: r.noise(), Columns: r.Plan.Columns, Bound: r.Plan.Clipping.Bound, MaxRecords: r.Plan.MaxRecords, Coarse: true})
}

// scorer returns what computes the scores of a step. The search for a minimum uses exact weights:
// with rounded weights the slope jumps along a line.
func (r *descent) scorer() *release.Scorer {
	if _, search := r.optimizer.(*optimizer.LBFGS); search {
		return r.rows.Scorer(r.weights, r.Plan.Columns)
	}
	return r.rows.RoundedScorer(r.weights, r.Plan.Columns)
}

// propose fills c with the clipped residuals of the records of a block. The function multiply
// writes the records' scores.
func (r *descent) propose(c *kernel.Contributions, b release.Block, multiply func(dst []float32)) {
	if n := b.Len(); cap(c.Norms) < n {
		c.Norms = make([]float64, n)
	}
	norms := c.Norms[:b.Len()]
	b.Norms(norms)
	r.proposeOf(c, &b, norms, multiply)
}

// proposeOf is propose with the given norms of rows.
func (r *descent) proposeOf(c *kernel.Contributions, b *release.Block, norms []float64, multiply func(dst []float32)) {
	r.Model.Propose(c, b.Labels(), multiply)
	r.ready.applyWeights(c, b.Labels())
	r.ready.weighRows(c, b)
	r.Plan.Clipping.clip(c, norms)
}

// report tells what was released so far, and the cost if the run ended here. A long run reports
// each hundredth of its steps.
func (r *descent) report(step int) {
	steps := r.Plan.Steps
	if r.options.Progress == nil || !hundredth(step, steps) {
		return
	}
	now := r.Plan
	now.Steps, now.Holdout = step, nil
	if step < steps {
		now.Calibration = nil
	}
	if len(now.NoiseMultipliers) > 0 {
		now.NoiseMultipliers = now.NoiseMultipliers[:step]
	}
	event := now.Event()
	a := account.For(event)
	if a == account.PLD && step < steps {
		a = account.PLD.WithWidth(1e-2) // a wider interval is enough for progress
	}
	cost, err := a.Epsilon(event, now.Delta, now.Neighboring)
	if err != nil {
		return
	}
	r.options.Progress(Progress{step, steps, cost.Upper})
}

// hundredth reports whether a step is reported: every step of at most 100, and one in each
// hundredth of more.
func hundredth(step, steps int) bool {
	const parts = 100
	return steps <= parts || step >= steps || step == 0 || step*parts/steps != (step-1)*parts/steps
}
