package erm

import (
	"math"
	"runtime"
	"slices"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
)

// objective is the mean loss of the rows plus a ridge, in float64, without privacy.
type objective struct {
	*fitting
	ridge float64
	// at is the point where loss and slope were evaluated.
	at, slope []float64
	loss      float64
	err       error
}

func newObjective(f *fitting) *objective {
	return &objective{fitting: f, ridge: f.Plan.Reference.SumRidge}
}

// move evaluates the objective at w, unless it was last evaluated at w.
func (o *objective) move(w []float64) {
	if slices.Equal(w, o.at) {
		return
	}
	o.at = append(o.at[:0], w...)
	n := o.rows.Len()
	workers := min(runtime.GOMAXPROCS(0), n)
	parts := make([]*objectivePart, workers)
	parallel.Each(workers, func(k int) {
		parts[k] = &objectivePart{objective: o, slope: make([]float64, len(w)), row: make([]float64, o.Model.Dim), narrow: make([]int16, o.Model.Dim),
			scores: make([]float64, o.Model.Columns), residuals: make([]float64, o.Model.Columns)}
		from, to := n*k/workers, n*(k+1)/workers
		parts[k].err = o.rows.Each(o.rows.First()+from, to-from, parts[k].add)
	})
	o.slope, o.loss = make([]float64, len(w)), 0
	for _, p := range parts {
		o.loss += p.loss
		for j, g := range p.slope {
			o.slope[j] += g
		}
		if p.err != nil {
			o.err = p.err
		}
	}
	o.penalize(w)
	o.loss /= float64(n)
	for j := range o.slope {
		o.slope[j] /= float64(n)
	}
}

// penalize adds the ridge penalty for all weights except the intercepts.
func (o *objective) penalize(w []float64) {
	for j, v := range w {
		if o.Features.Intercept > 0 && j%o.Model.Dim == o.Model.Dim-1 {
			continue
		}
		o.loss += o.ridge / 2 * v * v
		o.slope[j] += o.ridge * v
	}
}

// objectivePart is one goroutine's part of the sum.
type objectivePart struct {
	*objective
	loss                   float64
	slope                  []float64
	row, scores, residuals []float64
	narrow                 []int16
	err                    error
}

func (p *objectivePart) add(b release.Block) error {
	for i, label := range b.Labels() {
		y := float64(label)
		if math.IsNaN(y) {
			continue
		}
		clear(p.row)
		b.AddTo(p.row, i, []float64{1}, p.narrow)
		p.Model.Scores(p.scores, p.row, p.at)
		p.loss += p.Model.Loss.Value(p.scores, y)
		p.Model.Loss.Residuals(p.residuals, p.scores, y)
		b.AddTo(p.slope, i, p.residuals, p.narrow)
	}
	return nil
}
