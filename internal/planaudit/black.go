package planaudit

import (
	"context"
	"errors"
	"math"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/model"
)

// margins trains once on other records and the canaries that are included, and returns the margin
// of every canary under the final model.
func (p *Plan) margins(ctx context.Context, of *pool, included []bool) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, err := p.train(ctx, of.table(included))
	if err != nil {
		return nil, err
	}
	shown, err := of.shown.Under(m.Schema())
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(included))
	for i := range out {
		out[i] = p.agreement(m, shown, i)
	}
	return out, nil
}

// trainings trains several times with fresh coins for every canary. It returns the margins of each
// run and the coins. The function done is called after each run.
func (p *Plan) trainings(ctx context.Context, of *pool, runs int, done func()) (margins [][]float64, in [][]bool, err error) {
	margins, in = make([][]float64, runs), make([][]bool, runs)
	failures := make([]error, runs)
	parallel.Items(runs, func(i int) {
		in[i] = coins(len(of.canaries))
		margins[i], failures[i] = p.margins(ctx, of, in[i])
		done()
	})
	for _, failed := range failures {
		if failed != nil {
			return nil, nil, errors.Join(failed)
		}
	}
	return margins, in, nil
}

// begin returns the margins of the canaries before a training.
func (p *Plan) begin(of *pool) ([]float64, error) {
	out := make([]float64, len(of.canaries))
	if p.network == nil {
		return out, nil
	}
	m, err := model.NewNetwork(p.network.Schema, p.network.Features, p.network.Loss, p.network.Network, p.initial)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i] = p.agreement(m, of.shown, i)
	}
	return out, nil
}

// leastReferences is how few reference runs calibrate scores.
const leastReferences = 4

// calibrated scores the margins of all runs after the first references, whose coins are not
// counted: by how many deviations a canary's margin is above its mean in these. With fewer
// references, a score is how far the margin has moved from the begin of a training.
func calibrated(margins [][]float64, in [][]bool, references int, begin []float64) (s audit.Scores) {
	for i := range begin {
		mean, deviation := begin[i], 1.0
		if references >= leastReferences {
			mean, deviation = spread(margins[:references], i)
		}
		for r := references; r < len(margins); r++ {
			join(&s, divide([]float64{(margins[r][i] - mean) / deviation}, in[r][i:i+1]))
		}
	}
	return s
}

// spread returns the mean and the deviation of a canary's margin. The deviation is above 0.
func spread(margins [][]float64, i int) (mean, deviation float64) {
	square := 0.0
	for _, m := range margins {
		mean += m[i] / float64(len(margins))
	}
	for _, m := range margins {
		square += (m[i] - mean) * (m[i] - mean) / float64(len(margins))
	}
	return mean, math.Sqrt(square + 1e-300)
}
