package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

func rank() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "rank", Title: "The excess loss of noisy descent: a bound that grows with the rank, and measurements",
		Source:  thirteenthLecture + ", theorem 4.1; S. Song, T. Steinke, O. Thakkar and A. Thakurta, \"Evading the Curse of Dimensionality in Unconstrained Private GLMs\", AISTATS 2021",
		Minutes: 1, Linear: true, Run: runRank,
	}
}

// This is the theorem's setting: n records, and ε with n²ε² steps.
const (
	rankEpsilon = 0.5
	rankDelta   = 1e-5
)

var rankRecords = []int{50, 100, 200, 400}

// rankRun is one number of records.
type rankRun struct {
	health
	found *erm.NonPrivateDiagnosis
	steps int
}

func runRank(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var t table
	var bounds, averaged, last, better []figure.Point
	for i, n := range rankRecords {
		l.Report(fmt.Sprintf("%d records", n), float64(i*i)/float64(len(rankRecords)*len(rankRecords)))
		r, err := newRankRun(ctx, n)
		if err != nil {
			return experiment.Outcome{}, err
		}
		x, bound := float64(n), r.found.Bound(rankEpsilon, rankDelta)
		mean, final, err := r.measure(ctx, repeats(l, 5))
		if err != nil {
			return experiment.Outcome{}, err
		}
		tuned, err := r.defaults(ctx, repeats(l, 5))
		if err != nil {
			return experiment.Outcome{}, err
		}
		bounds, averaged, last, better = append(bounds, figure.Value(x, bound)), append(averaged, mean.point(x, 1)), append(last, final.point(x, 1)), append(better, tuned.point(x, 1))
		t.row(r, n, bound, mean, final, tuned)
	}
	series := []figure.Series{{Name: "bound of the theorem", Points: bounds, Dashed: true}, {Name: "averaged iterate", Points: averaged}, {Name: "last iterate", Points: last}, {Name: "dither's defaults, exact noise", Points: better}}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{{Name: "excess-over-records", Title: "Excess of the mean logistic loss over its minimum, epsilon 0.5", Command: "dither reproduce rank",
		Panels: []figure.Panel{{X: figure.Axis{Label: "records", Log: true}, Y: figure.Axis{Label: "excess loss, nats", Log: true}, Series: series}}}}, Notes: []string{
		"The records are n rows of norm 1 of different persons in the built-in data set. T is the number of steps, and θ* the minimizer of the sum of losses with a ridge of 0.01. Without the ridge, the loss of a small number of records would have no minimizer.",
		"The learning rate is taken from the proof. It depends on the norm of the minimizer, which is not private. The noise is taken from claim 3.2, and is slightly too small for the stated ε.",
	}}, nil
}

func newRankRun(ctx context.Context, n int) (rankRun, error) {
	h, err := readHealth(ctx, n)
	if err != nil {
		return rankRun{}, err
	}
	found, err := erm.DiagnoseNonPrivate(ctx, erm.Request{Neighboring: privacy.ReplaceOne, Delta: rankDelta, Intercept: -1, Center: train.No}, h.schema, h.training)
	return rankRun{h, found, int(math.Round(float64(n*n) * rankEpsilon * rankEpsilon))}, err
}

// measure returns the excess of the average of the iterates, and of the last iterate, in the
// theorem's setting.
func (r rankRun) measure(ctx context.Context, runs int) (averaged, last sample, err error) {
	setup, err := train.NewPlan(train.Request{Epsilon: rankEpsilon, Delta: rankDelta,
		Neighboring: privacy.ReplaceOne, Steps: r.steps, ClippingNorm: 1, Intercept: -1, Center: train.No,
		Whiten: train.No}, r.schema)
	if err != nil {
		return nil, nil, err
	}
	setup.Plan.NoiseMultiplier = oneConstantNoise(rankEpsilon, rankDelta, r.steps)
	rate := r.found.ProjectedNorm / math.Sqrt(float64(r.steps)*(1+2*float64(r.found.Rank)*-math.Log(rankDelta)))
	for out, rule := range map[*sample]string{&averaged: option.OutputUniformAverage, &last: option.OutputLast} {
		if *out, err = r.excess(ctx, train.Run{Setup: setup, Options: train.Options{LearningRate: rate, Output: rule}}, runs); err != nil {
			return nil, nil, err
		}
	}
	return averaged, last, nil
}

// defaults returns the excess of the tool's defaults on the same rows.
func (r rankRun) defaults(ctx context.Context, runs int) (sample, error) {
	setup, err := train.NewPlan(train.Request{Epsilon: rankEpsilon, Delta: rankDelta, Neighboring: privacy.ReplaceOne, Intercept: -1, Center: train.No, Whiten: train.No}, r.schema)
	if err != nil {
		return nil, err
	}
	return r.excess(ctx, train.Run{Setup: setup, Options: train.Options{Momentum: option.DefaultMomentum}}, runs)
}

// excess trains several times and returns the mean losses minus their minimum.
func (r rankRun) excess(ctx context.Context, j train.Run, runs int) (sample, error) {
	models, err := fitMany(ctx, copies(j, runs), r.training)
	if err != nil {
		return nil, err
	}
	var out sample
	for _, m := range models {
		v, failed := r.found.Excess(m)
		if failed != nil {
			return nil, failed
		}
		out = append(out, v)
	}
	return out, nil
}

// row adds one number of records.
func (t *table) row(r rankRun, n int, bound float64, averaged, last, tuned sample) {
	where := fmt.Sprintf("n = %d, ε = %v, T = n²ε² = %d, rank %d, ‖θ*‖ = %.3g", n, rankEpsilon, r.steps, r.found.Rank, r.found.ProjectedNorm)
	published := fmt.Sprintf("at most %.3g", bound)
	t.random(where+": excess loss of the averaged iterate", published, averaged, 1, "", "no difference: the bound is for the worst data of this rank; an excess above log 2 is worse than zero weights")
	t.random(where+": excess loss of the last iterate", "", last, 1, "", "the bound is for the averaged iterate; the last iterate has more noise than the average")
	t.random(fmt.Sprintf("n = %d, ε = %v, dither's defaults: excess loss", n, rankEpsilon), "", tuned, 1, "", "not in the lecture; dither takes fewer and longer steps with exact noise, and averages the last iterates")
}
