package canary

import (
	"context"
	"math"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// network returns the request for a network of a kind, under this relation: one weight for each level.
// A canary's gradient is in the weight of its level.
func (k kind) network(relation privacy.Neighboring, canaries int) neural.Request {
	r := neural.Request{Epsilon: 4, Delta: delta, Neighboring: relation, Steps: k.steps(), Correlation: k.noise, Layers: network.Layers{network.SparseLinear{Outputs: 1}},
		Clipping: neural.ClippingRequest{Rule: k.clipping, Norm: clip}, Sampling: neural.Sampling{Kind: k.sampling}}
	const q = 0.25
	switch k.sampling {
	case option.SamplingPoisson:
		r.Sampling.Probability = q
	case option.SamplingTruncated: // a sample that is longer comes once in some 2,000
		r.Sampling.Probability, r.Sampling.BatchSize = q, int(q*float64(canaries)+3.5*math.Sqrt(float64(canaries)*q*(1-q)))
	case option.SamplingFixedSize:
		r.Sampling.BatchSize = max(1, canaries/4)
	case option.SamplingPartition, option.SamplingShuffle:
		r.Sampling.Parts = parts
	case option.SamplingCyclic:
		r.Sampling.Parts, r.Sampling.Probability = parts, 0.5
	}
	if k.clipping == "global" || k.clipping == "global-adaptive" {
		r.Clipping.Threshold = 0.505 // above a gradient, whose norm is 1/2 while weights are near 0
		if k.persons {
			r.Clipping.Threshold *= personRows
		}
	}
	if k.persons {
		r.Person = &train.PersonUnit{Column: "who", MaxRows: personRows}
	}
	if k.clipping == "global-adaptive" || k.clipping == "quantile" {
		r.Clipping.CountNoise = 10
	}
	return r
}

// networks is a training of a network.
func networks(request func(canaries int) neural.Request) plan {
	return func(canaries int) (planned, error) {
		r := request(canaries)
		rows := 1
		if r.Person != nil {
			rows = personRows
		}
		w, err := newWorld(shape{canaries: canaries, rows: rows, relation: r.Neighboring})
		if err != nil {
			return planned{}, err
		}
		setup, err := neural.NewSetup(r, w.schema)
		if err != nil {
			return planned{}, err
		}
		// Batches of bounded size and norms that follow counts of all records make scores depend on each other.
		p := setup.Plan
		c, err := p.Certificate()
		out := planned{event: p.Event(), relation: r.Neighboring, delta: float64(c.Delta), independent: p.Sampling.BatchSize == 0 && p.Clipping.Adaptive == nil}
		return out.train(training{w, func(ctx context.Context, fresh *world) (trace, error) { return fresh.network(ctx, setup, c) },
			func(t trace) func(j int) float64 { return t.ofNetwork(p) }}), err
	}
}

// network trains a network from weights that are 0.
func (w *world) network(ctx context.Context, setup neural.Setup, c certificate.Certificate) (trace, error) {
	l, table, err := w.start(c)
	if err != nil {
		return trace{}, err
	}
	seen, level, numbers := trace{}, clip, setup.Plan.Network.Trained
	before := make([]float64, numbers)
	_, err = neural.Fit(ctx, l, setup, table, neural.Options{LearningRate: rate, Schedule: option.ScheduleConstant, Momentum: -1,
		Initial: make([]float32, numbers), CheckpointEvery: 1, Checkpoint: func(c *neural.Checkpoint) error {
			if c.Taken == len(seen.z)+1 {
				seen.add(before, c.Weights, c.Divisor*setup.Plan.Share()/(rate*level), setup.Plan.NoiseMultiplier)
				before, level = slices.Clone(c.Weights), c.Levels[0][0]
			}
			return nil
		}})
	return seen, err
}

// add adds a step from weights to others.
func (t *trace) add(before, after []float64, unit, z float64) {
	moves := make([]float64, len(after))
	for j, w := range after {
		moves[j] = (w - before[j]) * unit
	}
	t.moves, t.z = append(t.moves, moves), append(t.z, z)
}

// ofNetwork returns the score of each level.
func (t trace) ofNetwork(p neural.Plan) func(j int) float64 {
	s := takes{q: 1, parts: p.Sampling.Parts, anew: p.Sampling.Kind == option.SamplingShuffle}
	switch {
	case p.Sampling.Probability > 0:
		s.q = p.Sampling.Probability
	case p.Sampling.BatchSize > 0:
		s.q = p.Share()
	}
	switch {
	case p.Correlated == nil:
		return t.scores(s)
	case p.Correlated.Kind == option.CorrelatedTree:
		return t.trees(p.Sampling.Parts)
	}
	return t.banded(s, p.Correlated.Coefficients)
}
