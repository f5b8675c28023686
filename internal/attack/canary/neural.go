package canary

import (
	"context"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

// networks is a training of a network with one weight for each level. A canary's gradient is in the
// weight of its level, which is its score.
func networks(r neural.Request) run {
	return func(ctx context.Context, canaries int) (outcome, error) {
		w, err := newWorld(shape{canaries: canaries, rows: 1, relation: r.Neighboring})
		if err != nil {
			return outcome{}, err
		}
		r := r
		r.Delta, r.Layers, r.Clipping.Norm = delta, network.Layers{network.SparseLinear{Outputs: 1}}, clip
		if r.Sampling.BatchSize > 0 {
			r.Sampling.BatchSize = max(1, canaries/4)
		}
		setup, err := neural.NewSetup(r, w.schema)
		if err != nil {
			return outcome{}, err
		}
		c, err := setup.Plan.Certificate()
		if err != nil {
			return outcome{}, err
		}
		l, err := w.budget(c)
		if err != nil {
			return outcome{}, err
		}
		table, err := w.draw()
		if err != nil {
			return outcome{}, err
		}
		fitted, err := neural.Fit(ctx, l, setup, table, neural.Options{LearningRate: 1e-3, Schedule: option.ScheduleConstant, Momentum: -1,
			Initial: make([]float32, setup.Plan.Network.Trained)})
		if err != nil {
			return outcome{}, err
		}
		weight := func(j int) float64 { return float64(fitted.Weights[j]) }
		return outcome{event: setup.Plan.Event(), relation: r.Neighboring, delta: float64(c.Delta), scores: w.scores(func(i int) float64 { return w.difference(weight, i) })}, nil
	}
}
