package canary

import (
	"context"
	"sync"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// minimizer returns the request for a method of package erm, under this relation.
func (k kind) minimizer(relation privacy.Neighboring) erm.Request {
	r := erm.Request{Method: k.method, Epsilon: 4, Delta: delta, Neighboring: relation, Solver: k.clipping, Intercept: -1, Center: train.No}
	switch k.method {
	case option.MethodExponential:
		r.Choice = k.noise
	case option.MethodFrankWolfe:
		r.Choice, r.Steps = k.noise, 1
	case option.MethodZeroth:
		r.Noise, r.Steps = k.noise, 20
	default:
		r.Noise = k.noise
	}
	return r
}

// numeric reports whether a method needs a target that is a number.
func numeric(method string) bool {
	return method == option.MethodSufficientStatistics || method == "adassp"
}

// minimizers is a training by another method than gradient descent. Each canary has a run of its
// own, with one other row. The score is the weight of its level: what anyone sees who has the model.
func minimizers(r erm.Request) plan {
	return func(canaries int) (planned, error) {
		w, err := newWorld(shape{canaries: 1, rows: 1, relation: r.Neighboring, numeric: numeric(r.Method), others: 1})
		if err != nil {
			return planned{}, err
		}
		setup, err := erm.NewSetup(r, w.schema)
		if err != nil {
			return planned{}, err
		}
		c, err := setup.Plan.Certificate()
		if err != nil {
			return planned{}, err
		}
		limit, err := w.limit(c)
		purse := auditing.NewPurse(limit)
		return planned{event: setup.Plan.Event(), relation: r.Neighboring, delta: float64(c.Delta), independent: true, run: func(ctx context.Context) (audit.Scores, error) {
			return each(ctx, canaries, func() (audit.Scores, error) { return alone(ctx, w.again(), setup, purse) })
		}}, err
	}
}

// each makes this many runs of one canary each, side by side.
func each(ctx context.Context, canaries int, one func() (audit.Scores, error)) (audit.Scores, error) {
	var lock sync.Mutex
	var all audit.Scores
	failed := error(nil)
	parallel.Items(canaries, func(int) {
		scores, err := audit.Scores{}, ctx.Err()
		if err == nil {
			scores, err = one()
		}
		lock.Lock()
		defer lock.Unlock()
		if err != nil && failed == nil {
			failed = err
		}
		all.Included, all.LeftOut = append(all.Included, scores.Included...), append(all.LeftOut, scores.LeftOut...)
	})
	return all, failed
}

// alone runs a training for one canary.
func alone(ctx context.Context, w *world, setup erm.Setup, purse *auditing.Purse) (audit.Scores, error) {
	table, err := w.draw()
	if err != nil {
		return audit.Scores{}, err
	}
	var weights []float64
	err = purse.Train(func(l *ledger.Ledger) error {
		fitted, failed := erm.Fit(ctx, l, setup, table, erm.Options{})
		if failed == nil {
			weights = fitted.Model.Weights()
		}
		return failed
	})
	if err != nil {
		return audit.Scores{}, err
	}
	return w.scores(func(j int) float64 { return weights[j] }), nil
}
