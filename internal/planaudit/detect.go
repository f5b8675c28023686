package planaudit

import (
	"context"
	"math"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/train/neural"
)

// run trains once on canaries and scores them by the released sum of every step.
func (g *directions) run(ctx context.Context, of *pool) (audit.Scores, error) {
	included := coins(len(of.canaries))
	var products [][]float64 // of each step's sum and every direction
	s := steps{directions: g}
	o := networkOptions(g.start)
	o.CheckpointEvery = 1
	o.Checkpoint = s.take(func(sum []float32) {
		row := make([]float64, len(g.all))
		if len(row)*len(sum) < 1<<18 {
			for i := range row {
				row[i] = dot(g.all[i], sum)
			}
		} else {
			parallel.Items(len(row), func(i int) { row[i] = dot(g.all[i], sum) })
		}
		products = append(products, row)
	})
	err := g.purse.Train(func(l *ledger.Ledger) error {
		_, failed := neural.Fit(ctx, l, g.setup, of.table(included), o)
		return failed
	})
	if err != nil {
		return audit.Scores{}, failure.Running(err)
	}
	return divide(g.scores(products, len(of.canaries)), included), nil
}

// scores returns the score of each canary from the products of steps with directions. The other
// canaries of a step count as normal noise of the variance that coins and samples give them (the
// linear detector of least mean squared error; Verdú, "Multiuser Detection", 1998, section 6.2).
func (g *directions) scores(products [][]float64, canaries int) []float64 {
	products, taking := g.uncorrelated(products, takingOf(g.setup.Plan))
	gram := g.gram
	if taking.kind == option.SamplingFull {
		products, gram = together(products, gram)
	}
	n := len(g.all)
	present := 0.5 * taking.share // the probability that a direction is in a step
	if taking.parts > 0 {
		present /= float64(taking.parts)
	}
	d, ok := newDetector(gram, present)
	if !ok {
		return make([]float64, canaries) // the same for all, which shows nothing
	}
	ratios := make([][]float64, n)
	for i := range ratios {
		ratios[i] = make([]float64, len(products))
	}
	for t, row := range products {
		for i, v := range d.ratios(row) {
			ratios[i][t] = v
		}
	}
	out := make([]float64, canaries)
	for i := range out {
		if out[i] = taking.score(ratios[i]); n > canaries {
			out[i] -= taking.score(ratios[canaries+i])
		}
	}
	return out
}

// together adds up steps that say the same of every record: one step with √T times the directions.
func together(products [][]float64, gram dense.Matrix) ([][]float64, dense.Matrix) {
	sum := make([]float64, len(products[0]))
	for _, row := range products {
		for i, v := range row {
			sum[i] += v
		}
	}
	gram = dense.Clone(gram)
	for i := range gram.Data {
		gram.Data[i] *= float64(len(products))
	}
	return [][]float64{sum}, gram
}

// uncorrelated returns statistics of a run with correlated noise, and how a record takes part in
// them. A record is in one step of every round.
//
// Of a banded series, the coefficients a_k of length 1 make the noise of y_t = Σ a_k·g_(t-k)
// independent. A record of step t then moves y_(t+k) by a_k times its gradient, so its statistic is
// Σ a_k·y_(t+k). Of a tree, whole rounds are taken.
func (g *directions) uncorrelated(products [][]float64, taking sampling) ([][]float64, sampling) {
	c := g.setup.Plan.Correlated
	switch {
	case c == nil:
		return products, taking
	case c.Kind == option.CorrelatedTree:
		rounds := make([][]float64, (len(products)+taking.parts-1)/taking.parts)
		for t, row := range products {
			addTo(&rounds[t/taking.parts], row, 1)
		}
		return rounds, sampling{kind: option.SamplingFull, share: 1}
	}
	length := 0.0
	for _, v := range c.Coefficients {
		length = math.Hypot(length, float64(v))
	}
	white, out := make([][]float64, len(products)), make([][]float64, len(products))
	for t := range products {
		for k, v := range c.Coefficients[:min(t+1, len(c.Coefficients))] {
			addTo(&white[t], products[t-k], float64(v)/length)
		}
	}
	for t := range products {
		for k, v := range c.Coefficients[:min(len(products)-t, len(c.Coefficients))] {
			addTo(&out[t], white[t+k], float64(v)/length)
		}
	}
	return out, taking
}

// addTo adds a multiple of a vector to one that begins as nil.
func addTo(dst *[]float64, v []float64, factor float64) {
	if *dst == nil {
		*dst = make([]float64, len(v))
	}
	for i, x := range v {
		(*dst)[i] += factor * x
	}
}

// detector scores the steps of one kind.
type detector struct {
	inverse *dense.Cholesky
	center  []float64 // what all directions add to the products in the mean
	square  []float64 // of each direction, against noise and the other directions
	rest    []float64 // the share of each direction that is not its own noise
	present float64
}

// newDetector returns a detector of directions that are in a step with a probability.
func newDetector(gram dense.Matrix, present float64) (*detector, bool) {
	n := gram.Rows
	variance := present * (1 - present)
	noise := dense.New(n, n)
	ones := make([]float64, n)
	for i := range noise.Data {
		noise.Data[i] = variance * gram.Data[i]
	}
	for i := range n {
		noise.Data[i*n+i] += 1 + 1e-6*noise.Data[i*n+i] // products are rounded
		ones[i] = present
	}
	inverse, ok := dense.NewCholesky(noise)
	if !ok {
		return nil, false
	}
	d := &detector{inverse: inverse, center: dense.Apply(gram, ones), present: present}
	whole := inverse.Solve(gram)
	for i := range n {
		own := whole.Data[i*n+i]
		d.rest = append(d.rest, 1-variance*own)
		d.square = append(d.square, own/(1-variance*own))
	}
	return d, true
}

// ratios returns the log likelihood ratios of all directions in a step. Noise that includes a
// direction's own is corrected by the formula of Sherman and Morrison.
func (d *detector) ratios(products []float64) []float64 {
	moved := make([]float64, len(products))
	for i, v := range products {
		moved[i] = v - d.center[i]
	}
	out := d.inverse.SolveVector(moved)
	for i := range out {
		out[i] = ratio(out[i]/d.rest[i]+d.present*d.square[i], d.square[i])
	}
	return out
}
