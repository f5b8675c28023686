package train

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
)

const (
	// baselineParts is the number of parts of the rows that are summed apart. It is the same on
	// every machine, so that a baseline does not depend on the number of processors.
	baselineParts = 16
	// baselinePanel is the number of rows that are multiplied together.
	baselinePanel = 128
)

// minimizes reports whether the plan is a baseline on standardized columns. Rows that are not
// normalized can be standardized by the weights alone.
func (s Setup) minimizes(o Options) bool {
	return o.Optimizer == option.OptimizerLBFGS && s.Plan.NonPrivate && s.Features.Norm == feature.NormNone && s.Features.Center == nil && s.Features.Whitening == nil
}

// baseline is the mean loss of the rows as a function of the weights of standardized columns. A
// ridge is added for all weights but the intercept. Nothing about it is private.
type baseline struct {
	Setup
	ready prepared
	rows  *release.Rows
	used  []float64 // weights of rows, nil for 1
	// mean and scale standardize the columns: (x - mean)·scale. The scale of a constant column is
	// 0. Without an intercept the means are 0.
	mean, scale []float64
	count       float64 // rows that have a label and weight
	ridge       float64 // added to the mean loss
}

// minimize pays for a baseline and returns it. It minimizes the sum of losses plus half the squared
// norm of the weights of standardized columns. The intercept is not penalized. This is what
// scikit-learn minimizes on columns of StandardScaler: LogisticRegression with C = 1, and Ridge
// with alpha = 1. For the mean loss the ridge is 1/records, which a positive Options.Ridge replaces.
func (s Setup) minimize(ctx context.Context, payer mechanism.Payer, t table, ready prepared, o Options) (*Result, error) {
	if err := payer.Pay(mechanism.NonPrivate{}); err != nil {
		return nil, err
	}
	rows, err := t.rows.Standardized(frame(before(s.Features)))
	if err != nil {
		return nil, err
	}
	b := &baseline{Setup: s, ready: ready, rows: rows, used: t.used(ready.rowWeights), ridge: o.Ridge}
	if err = b.standardize(); err != nil {
		return nil, err
	}
	if b.ridge == 0 {
		b.ridge = 1 / max(1, b.count)
	}
	weights, err := b.search(ctx, o)
	if err != nil {
		return nil, err
	}
	m, err := model.New(s.Schema, ready.features, s.Model.Loss, b.unscaled(weights))
	if err != nil {
		return nil, fmt.Errorf("train: the baseline did not stay finite, want a larger ridge: %w", err)
	}
	m.Provenance.Private = false
	return &Result{Model: m, Divisor: ready.divisor, Output: option.OutputLast}, nil
}

// search follows gradients from weights of 0 to the minimum.
func (b *baseline) search(ctx context.Context, o Options) ([]float64, error) {
	var search optimizer.LBFGS
	weights, steps := make([]float64, b.Model.Weights()), b.Plan.Steps
	for step := 0; step < steps && !search.Converged() && b.count > 0; step++ {
		if ctx.Err() != nil {
			return nil, stopped(ctx, step, steps)
		}
		gradient, err := b.gradient(weights)
		if err != nil {
			return nil, err
		}
		search.Follow(weights, gradient)
		if o.Progress != nil && hundredth(step+1, steps) {
			o.Progress(Progress{step + 1, steps, math.Inf(1)})
		}
	}
	search.End(weights)
	return weights, nil
}

// used returns the weights of rows, or nil if every row counts once. Rows that no person uses have
// weight 0.
func (t table) used(weights []float64) []float64 {
	if t.persons == nil {
		return weights
	}
	out := make([]float64, t.rows.Len())
	for _, rows := range t.persons {
		for _, i := range rows {
			out[i] = 1
			if weights != nil {
				out[i] = weights[i]
			}
		}
	}
	return out
}

// weight returns the weight of a row with a label.
func (b *baseline) weight(row int, label float32) float64 {
	w := 1.0
	switch {
	case label != label:
		return 0
	case b.used != nil && row >= len(b.used):
		return 0
	case b.used != nil:
		w = b.used[row]
	}
	if c := b.ready.classWeights; c != nil && w > 0 {
		w *= c[int(label)]
	}
	return w
}

// unscaled returns the weights of the columns as they are.
func (b *baseline) unscaled(weights []float64) []float64 {
	out, d := make([]float64, len(weights)), len(b.scale)
	for k := range b.Model.Columns {
		own, from := out[k*b.Model.Dim:(k+1)*b.Model.Dim], weights[k*b.Model.Dim:]
		for j, f := range b.scale {
			own[j] = f * from[j]
		}
		if d < b.Model.Dim {
			own[d] = (from[d] - kernel.Dot(own[:d], b.mean)) / b.Features.Intercept
		}
	}
	return out
}

// standardize measures means and deviations of the columns over the rows of positive weight, each
// row once.
func (b *baseline) standardize() error {
	d := b.rows.Dim()
	b.mean, b.scale = make([]float64, d), make([]float64, d)
	var origin []float64 // a row: the deviation of a constant column is then exactly 0
	sums, squares := make([]float64, d), make([]float64, d)
	err := b.rows.Each(b.rows.First(), b.rows.Len(), func(block release.Block) error {
		x, narrow := make([]float64, d), make([]int16, d)
		for i, label := range block.Labels() {
			if b.weight(block.Record(i), label) == 0 {
				continue
			}
			clear(x)
			block.AddTo(x, i, []float64{1}, narrow)
			if b.count++; origin == nil {
				origin = append(origin, x...)
			}
			for j, v := range x {
				v -= origin[j]
				sums[j] += v
				squares[j] += v * v
			}
		}
		return nil
	})
	for j := range sums {
		mean := sums[j] / max(1, b.count)
		if variance := squares[j]/max(1, b.count) - mean*mean; variance > 0 {
			b.scale[j] = 1 / math.Sqrt(variance)
		}
		if b.Model.Dim > d && origin != nil {
			b.mean[j] = mean + origin[j]
		}
	}
	return err
}

// gradient returns the gradient by the weights of standardized columns.
func (b *baseline) gradient(weights []float64) ([]float64, error) {
	plain, parts, errs := b.unscaled(weights), make([]*baselinePart, baselineParts), make([]error, baselineParts)
	parallel.Items(baselineParts, func(k int) {
		from, to := b.rows.Len()*k/baselineParts, b.rows.Len()*(k+1)/baselineParts
		parts[k] = b.newPart(plain)
		errs[k] = b.rows.Each(b.rows.First()+from, to-from, parts[k].add)
	})
	d, dim, sum := len(b.scale), b.Model.Dim, make([]float64, len(weights))
	for k, p := range parts {
		if errs[k] != nil {
			return nil, errs[k]
		}
		for j, v := range p.slope {
			sum[j] += v
		}
	}
	for k := range b.Model.Columns {
		own, from := sum[k*dim:(k+1)*dim], weights[k*dim:]
		total := 0.0 // of the residuals
		if d < dim {
			total = own[d]
			own[d] /= b.count
		}
		for j, f := range b.scale {
			own[j] = f*(own[j]-b.mean[j]*total)/b.count + b.ridge*from[j]
		}
	}
	return sum, nil
}

// baselinePart sums gradients by plain weights over a part of the rows. In place of the gradient by
// the intercept it has the sum of the residuals.
type baselinePart struct {
	*baseline
	weights, slope    []float64
	panel, scores     []float64 // scores and residuals have the scores' columns one after the other
	residuals, record []float64
	one, labels       []float64
	factors           []float64
	narrow            []int16
}

func (b *baseline) newPart(weights []float64) *baselinePart {
	k := b.Model.Columns
	return &baselinePart{baseline: b, weights: weights, slope: make([]float64, len(weights)), panel: make([]float64, baselinePanel*len(b.scale)), scores: make([]float64, k*baselinePanel),
		residuals: make([]float64, k), record: make([]float64, k), one: []float64{1}, labels: make([]float64, 0, baselinePanel), factors: make([]float64, 0, baselinePanel), narrow: make([]int16, len(b.scale))}
}

// add adds the rows of a block.
func (p *baselinePart) add(block release.Block) error {
	d := len(p.scale)
	for i, label := range block.Labels() {
		w := p.weight(block.Record(i), label)
		if w == 0 {
			continue
		}
		row := p.panel[len(p.labels)*d : (len(p.labels)+1)*d]
		clear(row)
		block.AddTo(row, i, p.one, p.narrow)
		if p.labels, p.factors = append(p.labels, float64(label)), append(p.factors, w); len(p.labels) == baselinePanel {
			p.flush()
		}
	}
	p.flush()
	return nil
}

// flush adds the rows of the panel.
func (p *baselinePart) flush() {
	n, d, dim := len(p.labels), len(p.scale), p.Model.Dim
	for k := range p.Model.Columns {
		scores := p.scores[k*baselinePanel : k*baselinePanel+n]
		kernel.RowProducts(scores, p.panel[:n*d], d, p.weights[k*dim:k*dim+d])
		if d < dim {
			for i := range scores {
				scores[i] += p.Features.Intercept * p.weights[k*dim+d]
			}
		}
	}
	for i, label := range p.labels {
		for k := range p.record {
			p.record[k] = p.scores[k*baselinePanel+i]
		}
		p.Model.Loss.Residuals(p.residuals, p.record, label)
		for k, r := range p.residuals {
			p.scores[k*baselinePanel+i] = p.factors[i] * r
		}
	}
	for k := range p.Model.Columns {
		residuals, own := p.scores[k*baselinePanel:k*baselinePanel+n], p.slope[k*dim:(k+1)*dim]
		kernel.AddRowProducts(own[:d], p.panel[:n*d], d, residuals)
		if d < dim {
			for _, r := range residuals {
				own[d] += r
			}
		}
	}
	p.labels, p.factors = p.labels[:0], p.factors[:0]
}
