package neural

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// run is one training run over encoded rows.
type run struct {
	Setup
	options Options
	// shared is what a resumed run must share, if the run writes checkpoints.
	shared  settings
	grant   mechanism.Payer // pays for the steps before a checkpoint
	payer   mechanism.Payer // pays for the other steps: the grant, or all ranks together
	rows    *release.Rows
	persons [][]int // the rows of each person; nil: a record is a row
	samples *samples
	series  *release.Series // the series of releases, if noise is correlated
	divisor float64
	rates   optimizer.Rates
	noises  []mechanism.Noise
	groups  []groupOf
	levels  []level
	workers []*worker
	spot    *spotted // nil if the network drops numbers at random
	average *average
	// weights are the trained numbers. The network's numbers are a copy in float32, with the frozen
	// ones after it.
	weights []float64
	numbers []float32
	by      []float64 // the factors of a released sum
	taken   int       // steps, over all runs
}

// records are the records of a run.
type records struct {
	rows *release.Rows
	// persons are the rows of each person, nil if a record is a row.
	persons [][]int
	// slots is the number of places that samples are drawn from.
	slots int
}

// groupOf is the state of a group of blocks.
type groupOf struct {
	// first and end bound the group's blocks. The bounds of its numbers are from and to.
	first, end, from, to int
	blocks               []release.ProductBlock
	optimizer            optimizer.Resumable
}

// newRun returns a run before its next step. That step is the first, or the one after a checkpoint.
func newRun(s Setup, o Options, grant, payer mechanism.Payer, of records, from *Checkpoint) (*run, error) {
	r := &run{Setup: s, options: o, grant: grant, payer: payer, rows: of.rows, persons: of.persons, levels: s.Plan.Clipping.levels(), numbers: make([]float32, s.Network.Weights())}
	if !drops(s.Network.Layers()) {
		r.spot = &spotted{}
	}
	var err error
	if o.Checkpoint != nil {
		if r.shared, err = s.settings(o); err != nil {
			return nil, err
		}
	}
	if r.samples, err = s.Plan.newSamples(payer, of.slots); err != nil {
		return nil, err
	}
	if r.noises, err = s.Plan.noises(s.Plan.NoiseMultiplier); err != nil {
		return nil, err
	}
	if r.average, err = o.newAverage(s.Plan.Steps); err != nil {
		return nil, err
	}
	r.rates = optimizer.Rates{LearningRate: s.rate(o), Schedule: o.schedule(), WarmUp: o.WarmUp, Steps: s.Plan.Steps}
	if from != nil {
		return r, r.resume(from)
	}
	if r.divisor, err = r.count(); err != nil {
		return nil, err
	}
	r.begin(o.Initial)
	return r, r.group()
}

// begin fills in the weights before the first step. Random weights come from a seed that is not
// kept, and depend on no record.
func (r *run) begin(initial []float32) {
	if initial != nil {
		copy(r.numbers, initial)
	} else {
		r.Network.Init(r.numbers, newSeed())
	}
	r.weights = make([]float64, r.Network.Trained())
	for j := range r.weights {
		r.weights[j] = float64(r.numbers[j])
	}
}

// newSeed returns a seed from the random numbers of the system.
func newSeed() uint64 {
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails
	return binary.LittleEndian.Uint64(seed[:])
}

// group lays out the groups of blocks and gives each its own optimizer. Every optimizer works
// coordinate by coordinate.
func (r *run) group() error {
	blocks, at, number := r.Network.Blocks(), 0, 0
	for k, g := range r.Plan.Clipping.Groups {
		own := groupOf{first: at, from: number}
		for range g.Blocks {
			b := blocks[at]
			own.blocks = append(own.blocks, release.ProductBlock{Right: b.Right, Left: b.Left, Bias: b.Bias, Sparse: b.Sparse})
			number += b.Numbers()
			at++
		}
		own.end, own.to = at, number
		var err error
		if own.optimizer, err = r.options.newOptimizer(r.rates, r.stepDivisor(), r.noiseOf(k), own.blocks); err != nil {
			return err
		}
		r.groups = append(r.groups, own)
	}
	return nil
}

// stepDivisor returns the divisor of the sum of a step. It is the expected number of records in it,
// or of micro-batches of the declared size. It follows from public and released numbers.
func (r *run) stepDivisor() float64 {
	batch := r.divisor * r.Plan.Share()
	if m := r.Plan.Clipping.MicroBatch; m != nil {
		return batch / m.Size
	}
	return batch
}

func (r *run) fit(ctx context.Context) (*Result, error) {
	r.report()
	for r.taken < r.Plan.Steps {
		if ctx.Err() != nil {
			return nil, r.stopped(ctx)
		}
		if err := r.checkpoint(false); err != nil {
			return nil, err
		}
		if err := r.step(); err != nil {
			return nil, err
		}
		r.report()
	}
	_ = r.checkpoint(true) // the earlier checkpoint counts every step, and the result is paid for
	return r.result()
}

// stopped leaves a checkpoint and returns where the run ended.
func (r *run) stopped(ctx context.Context) error {
	if err := r.checkpoint(true); err != nil {
		return err
	}
	return fmt.Errorf("neural: stopped after step %d of %d: %w", r.taken, r.Plan.Steps, context.Cause(ctx))
}

// step releases the noisy sum of one sample, which may be empty, and moves the weights.
func (r *run) step() error {
	noisy, err := r.release()
	if err != nil {
		return err
	}
	for k, g := range r.groups {
		g.optimizer.Step(r.weights[g.from:g.to], r.levelled(k, noisy[k]))
	}
	if a := r.Plan.Clipping.Adaptive; a != nil {
		r.adapt(*a, noisy[len(r.groups)].Values())
	}
	r.copyWeights(r.weights)
	r.average.add(r.taken, r.weights)
	r.taken++
	return nil
}

// levelled returns the released sum of a group, rescaled to the norm of the first step. An adaptive
// norm scales gradients and noise alike, and a step should not follow that scale. The result is a
// function of released numbers.
func (r *run) levelled(k int, sum release.Noisy) release.Noisy {
	first, now := r.Plan.Clipping.Groups[k].Norm, r.levels[k].norm
	if first == now {
		return sum
	}
	if r.by = r.by[:0]; cap(r.by) < len(sum.Values()) {
		r.by = make([]float64, 0, len(sum.Values()))
	}
	for range sum.Values() {
		r.by = append(r.by, first/now)
	}
	return sum.Scaled(r.by)
}

// adapt moves the levels by the released counts Σ(b - ½).
func (r *run) adapt(a adaptivity, counts []float64) {
	used, err := ruleOf(r.Plan.Clipping.Rule)
	adapts, ok := used.(adapting)
	if err != nil || !ok {
		return // Validate refuses it
	}
	for k, count := range counts {
		r.levels[k] = adapts.adapt(r.levels[k], count/(r.divisor*r.Plan.Share())+0.5, a)
	}
}

// copyWeights copies these trained numbers into the network.
func (r *run) copyWeights(weights []float64) {
	optimizer.EachPart(len(weights), func(from, to int) {
		for j, w := range weights[from:to] {
			r.numbers[from+j] = float32(w)
		}
	})
}

// release draws a sample, adds up its proposals and releases the sums together.
func (r *run) release() ([]release.Noisy, error) {
	if r.Plan.Correlated != nil {
		return r.releaseCorrelated()
	}
	sample, err := r.samples.draw()
	if err != nil {
		return nil, err
	}
	sealed, err := r.gather(sample)
	if err != nil {
		return nil, err
	}
	if len(sealed) == 1 {
		noisy, failed := release.Release(r.payer, r.noises[0], sealed[0])
		return []release.Noisy{noisy}, failed
	}
	joined, err := release.Join(sealed...)
	if err != nil {
		return nil, err
	}
	return joined.Release(r.payer)
}

// result returns the result after the last step.
func (r *run) result() (*Result, error) {
	r.copyWeights(r.average.weights(r.weights))
	weights := slices.Clone(r.numbers)
	m, err := model.NewNetwork(r.Schema, r.Features, r.Loss, r.Network, weights)
	if err != nil {
		return nil, fmt.Errorf("neural: the run did not stay finite, or the network is too large; lower the learning rate of %v: %w", r.rates.LearningRate, err)
	}
	m.Provenance.Private = !r.Plan.NonPrivate
	levels := make([]float64, len(r.levels))
	for k, l := range r.levels {
		if levels[k] = l.norm; l.threshold > 0 {
			levels[k] = l.threshold
		}
	}
	return &Result{Model: m, Weights: weights,
		LearningRate: r.rates.LearningRate, Divisor: r.divisor, Levels: levels, Plan: r.Plan}, nil
}

// report tells what was released so far, and the cost if the run ended here. A long run reports
// each hundredth of its steps.
func (r *run) report() {
	steps := r.Plan.Steps
	if r.options.Progress == nil || !hundredth(r.taken, steps) {
		return
	}
	event := r.Plan.upTo(r.taken).Event()
	a := account.For(event)
	if a == account.PLD && r.taken < steps {
		a = account.PLD.WithWidth(1e-2) // a wider interval is enough for progress
	}
	cost, err := a.Epsilon(event, r.Plan.Delta, r.Plan.Neighboring)
	if err != nil {
		return
	}
	r.options.Progress(train.Progress{Step: r.taken, Steps: steps, Epsilon: cost.Upper})
}

// hundredth reports whether a step is reported: every step of at most 100, and one in each
// hundredth of more.
func hundredth(step, steps int) bool {
	const parts = 100
	return steps <= parts || step >= steps || step == 0 || step*parts/steps != (step-1)*parts/steps
}
