package canary

import (
	"context"
	"math"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// clip is the clipping norm of models under attack: far below the length of a canary's gradient,
// which stays above it while the weights are small.
const clip = 0.01

// rate is the learning rate. It is so small that a run leaves the weights near 0.
const rate = 1e-6

// linear is a training of a linear model by gradient descent.
func linear(r train.Request, rows int) run {
	return func(ctx context.Context, canaries int) (outcome, error) {
		w, err := newWorld(shape{canaries: canaries, rows: rows, relation: r.Neighboring})
		if err != nil {
			return outcome{}, err
		}
		setup, err := train.NewPlan(forCanaries(r, rows, canaries), w.schema)
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
		fitted, err := train.Fit(ctx, l, setup, table, train.Options{LearningRate: rate, Schedule: option.ScheduleConstant, Output: option.OutputAllIterates})
		if err != nil {
			return outcome{}, err
		}
		score := stepScores(setup.Plan, fitted)
		return outcome{event: setup.Plan.Event(), relation: r.Neighboring, delta: float64(c.Delta), scores: w.scores(func(i int) float64 { return score(w, i) })}, nil
	}
}

// forCanaries returns a request that leaves rows as they are, and clips all canaries.
func forCanaries(r train.Request, rows, canaries int) train.Request {
	r.Delta, r.Center, r.Whiten, r.Intercept = delta, train.No, train.No, -1
	if r.ClippingMode == "" {
		r.ClippingNorm = clip
	}
	if rows > 1 {
		r.Person = &train.PersonUnit{Column: "who", MaxRows: rows}
	}
	if r.BatchSize > 0 {
		r.BatchSize = max(1, canaries/4)
	}
	return r
}

// multipliers returns the noise multiplier of each step.
func multipliers(p train.Plan) []float64 {
	if len(p.NoiseMultipliers) > 0 {
		return p.NoiseMultipliers
	}
	m := make([]float64, p.Steps)
	for t := range m {
		m[t] = p.NoiseMultiplier
	}
	return m
}

// stepScores returns the score of a canary. Step t moves its weight by the learning rate, over the
// divisor, times what it adds and noise. In units of the bound these are 1 and noise of deviation
// z_t. The score is the log likelihood ratio of a canary that each step has with the sampling's
// probability.
func stepScores(p train.Plan, r *train.Result) func(w *world, i int) float64 {
	q := 1.0
	if p.SamplingProbability > 0 {
		q = p.SamplingProbability
	}
	m, unit := multipliers(p), r.Divisor/(r.LearningRate*p.Clipping.Bound)
	return func(w *world, i int) float64 {
		sum := 0.0
		for t, z := range m {
			moved := func(j int) float64 {
				before := 0.0
				if t > 0 {
					before = r.Iterates[t-1][j]
				}
				return (r.Iterates[t][j] - before) * unit
			}
			sum += math.Log1p(q * math.Expm1((2*w.difference(moved, i)-1)/(2*z*z)))
		}
		return sum
	}
}
