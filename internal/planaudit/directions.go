package planaudit

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/train/neural"
)

// directions are the gradients of canaries of a network, as its training clips them, in units of
// the noise's deviation. The rows that replace canaries follow the canaries.
type directions struct {
	setup neural.Setup
	purse *auditing.Purse // of the plan
	start []float32
	// unit is the inverse of the noise's deviation of each group's numbers, and ends where groups
	// end.
	unit []float64
	ends []int
	all  [][]float32
	// replaced says that canaries have rows that replace them.
	replaced bool
	gram     dense.Matrix // of all products
}

// newDirections measures the gradients of canaries by trainings on each alone, of one step without
// noise. Canaries are made up.
func newDirections(ctx context.Context, p *Plan, of *pool) (*directions, error) {
	g := &directions{setup: *p.network, purse: p.purse, start: p.initial, replaced: of.instead != nil}
	g.scales()
	plain := g.setup
	plain.Plan.NonPrivate, plain.Plan.NoiseMultiplier, plain.Plan.CountNoise, plain.Plan.Steps = true, 0, 0, 1
	plain.Plan.Sampling, plain.Plan.Correlated = neural.Sampling{Kind: option.SamplingFull}, nil
	c, err := plain.Plan.Certificate()
	if err != nil {
		return nil, err
	}
	records := append(append([][]int(nil), of.canaries...), of.instead...)
	g.all = make([][]float32, len(records))
	failures := make([]error, len(records))
	parallel.Items(len(records), func(i int) {
		if failures[i] = ctx.Err(); failures[i] != nil {
			return
		}
		l, failed := c.Ledger()
		if failed == nil {
			s := steps{directions: g}
			o := networkOptions(g.start)
			o.Checkpoint, o.CheckpointEvery = s.take(func(sum []float32) { g.all[i] = append([]float32(nil), sum...) }), 1
			_, failed = neural.Fit(ctx, l, plain, of.all.Take(records[i]), o)
		}
		if failures[i] = failed; failed == nil && g.all[i] == nil {
			failures[i] = fmt.Errorf("the training of a canary alone gave no step, want one")
		}
	})
	for _, failed := range failures {
		if failed != nil {
			return nil, failure.Running(failed)
		}
	}
	g.products()
	return g, nil
}

// scales finds the deviation of the noise of each group.
func (g *directions) scales() {
	clipping, z := g.setup.Plan.Clipping, g.setup.Plan.NoiseMultiplier
	left, at, end, blocks := 1.0, 0, 0, g.setup.Network.Blocks()
	if a := clipping.Adaptive; a != nil { // counts take a part of the budget of a step
		count := 2 * a.CountNoise / math.Sqrt(float64(len(clipping.Groups)))
		left -= (z / count) * (z / count)
	}
	for _, group := range clipping.Groups {
		for range group.Blocks {
			end += blocks[at].Numbers()
			at++
		}
		bound := group.Norm
		if clipping.MicroBatch != nil {
			bound *= 2
		}
		g.unit, g.ends = append(g.unit, math.Sqrt(group.Share*left)/(z*bound)), append(g.ends, end)
	}
}

// products fills in the matrix of products.
func (g *directions) products() {
	n := len(g.all)
	g.gram = dense.New(n, n)
	parallel.Items(n, func(i int) {
		for j := range i + 1 {
			v := dot(g.all[i], g.all[j])
			g.gram.Data[i*n+j], g.gram.Data[j*n+i] = v, v
		}
	})
}

// dot returns a product. It adds up short parts in float32, and the parts in float64.
func dot(a, b []float32) float64 {
	const part = 256
	sum := 0.0
	for len(a) > 0 {
		n := min(len(a), part)
		var s0, s1, s2, s3 float32
		x, y := a[:n], b[:n]
		for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
			s0, s1, s2, s3 = s0+x[0]*y[0], s1+x[1]*y[1], s2+x[2]*y[2], s3+x[3]*y[3]
		}
		for i, v := range x {
			s0 += v * y[i]
		}
		sum += float64(s0) + float64(s1) + float64(s2) + float64(s3)
		a, b = a[n:], b[n:]
	}
	return sum
}

// steps reads the released sums of a run from its checkpoints.
type steps struct {
	*directions
	before []float64
	sum    []float32
}

// take returns a function for checkpoints that hands out the sum of each step, in units of the
// noise's deviation.
func (s *steps) take(use func(sum []float32)) func(*neural.Checkpoint) error {
	taken := 0
	return func(c *neural.Checkpoint) error {
		if s.before == nil {
			s.before, s.sum = append([]float64(nil), c.Weights...), make([]float32, len(c.Weights))
			return nil
		}
		if c.Taken == taken {
			return nil // the end of a run, which the last step has shown
		}
		taken = c.Taken
		factor := c.Divisor / smallRate * c.Plan.Share()
		if m := c.Plan.Clipping.MicroBatch; m != nil {
			factor /= m.Size
		}
		from := 0
		for k, end := range s.ends {
			by := factor * s.unit[k]
			for j := from; j < end; j++ {
				s.sum[j] = float32((s.before[j] - c.Weights[j]) * by) // a step moves against the sum
			}
			from = end
		}
		copy(s.before, c.Weights)
		use(s.sum)
		return nil
	}
}
