package canary

import (
	"context"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// clip is the clipping norm of models under attack: far below the length of a canary's gradient,
// which stays above it while the weights are small.
const clip = 0.01

// rate is the learning rate. It is so small that a run leaves the weights near 0.
const rate = 1e-6

// personRows is how many rows a canary has where a record is a person.
const personRows = 3

// descent returns the request for gradient descent of a kind, under this relation.
func (k kind) descent(relation privacy.Neighboring, canaries int) train.Request {
	r := train.Request{Epsilon: 4, Neighboring: relation, Steps: k.steps(), ClippingMode: k.clipping, Accounting: k.noise}
	switch k.sampling {
	case option.SamplingPoisson:
		r.SamplingProbability = 0.25
	case option.SamplingFixedSize:
		r.BatchSize = max(1, canaries/4)
	case option.SamplingPartition:
		r.Parts = parts
	}
	if k.persons {
		r.Person = &train.PersonUnit{Column: "who", MaxRows: personRows}
	}
	switch r.ClippingNorm = clip; k.clipping {
	case option.ClipDataAndParameter:
		r.ParameterRadius, r.ClippingNorm = 1, 0
	case option.ClipExample:
		r.ClippingNorm = 0.5 // of rows, whose norm is 1
	}
	if k.noise == option.AccountingLastIterate {
		r.LearningRate, r.Ridge = 0.1, 1
	}
	return r
}

// linear is a training of a linear model by gradient descent, of this many steps and ε.
func linear(request func(canaries int) train.Request) plan {
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
		r.Delta, r.Center, r.Whiten, r.Intercept = delta, train.No, train.No, -1
		setup, err := train.NewPlan(r, w.schema)
		if err != nil {
			return planned{}, err
		}
		c, err := setup.Plan.Certificate()
		out := planned{event: setup.Plan.Event(), relation: r.Neighboring, delta: float64(c.Delta), independent: setup.Plan.BatchSize == 0}
		score := func(t trace) func(j int) float64 { return t.scores(takesOf(setup.Plan)) }
		if setup.Plan.LastIterate != nil {
			score = func(t trace) func(j int) float64 { return func(j int) float64 { return t.moves[0][j] } }
		}
		return out.train(training{w, func(ctx context.Context, fresh *world) (trace, error) { return fresh.descend(ctx, setup, c) }, score}), err
	}
}

// descend trains a linear model by gradient descent. Of a last iterate the trace has one step, whose moves
// are in units of what one record adds to one step.
func (w *world) descend(ctx context.Context, setup train.Setup, c certificate.Certificate) (trace, error) {
	l, table, err := w.start(c)
	if err != nil {
		return trace{}, err
	}
	o := train.Options{LearningRate: rate, Schedule: option.ScheduleConstant, Output: option.OutputAllIterates}
	last := setup.Plan.LastIterate
	if last != nil {
		o.LearningRate, o.Ridge, o.Output = last.LearningRate, last.Ridge, option.OutputLast
	}
	fitted, err := train.Fit(ctx, l, setup, table, o)
	if err != nil {
		return trace{}, err
	}
	if last != nil {
		fitted.Iterates = [][]float64{fitted.Model.Weights()}
	}
	return traceOf(setup.Plan, fitted), nil
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

// traceOf returns what the steps of a run let out. Step t moves its weight by the learning rate, over
// the expected size of a batch, times what it adds and noise.
func traceOf(p train.Plan, r *train.Result) trace {
	out, unit := trace{z: multipliers(p)}, r.Divisor*p.Share()/(r.LearningRate*p.Clipping.Bound)
	before := make([]float64, len(r.Iterates[0]))
	for _, weights := range r.Iterates {
		moves := make([]float64, len(weights))
		for j, w := range weights {
			moves[j] = (w - before[j]) * unit
		}
		out.moves, before = append(out.moves, moves), weights
	}
	return out
}

// takesOf returns which steps take a record.
func takesOf(p train.Plan) takes {
	switch {
	case p.SamplingProbability > 0:
		return takes{q: p.SamplingProbability}
	case p.BatchSize > 0:
		return takes{q: p.Share()}
	}
	return takes{q: 1, parts: p.Parts}
}
