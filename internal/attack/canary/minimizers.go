package canary

import (
	"context"
	"sync"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// minimizer is a training by another method than gradient descent. Each canary has a run of its
// own, with one other row. The score is the weight of its level: what anyone sees who has the model.
func minimizer(r erm.Request, numeric bool) run {
	return func(ctx context.Context, canaries int) (outcome, error) {
		w, err := newWorld(shape{canaries: 1, rows: 1, relation: r.Neighboring, numeric: numeric, others: 1})
		if err != nil {
			return outcome{}, err
		}
		r := r
		r.Delta, r.Intercept, r.Center = delta, -1, train.No
		setup, err := erm.NewSetup(r, w.schema)
		if err != nil {
			return outcome{}, err
		}
		c, err := setup.Plan.Certificate()
		if err != nil {
			return outcome{}, err
		}
		out := outcome{event: setup.Plan.Event(), relation: r.Neighboring, delta: float64(c.Delta)}
		var lock sync.Mutex
		failed := error(nil)
		parallel.Items(canaries, func(int) {
			scores, err := alone(ctx, w, setup, c)
			lock.Lock()
			defer lock.Unlock()
			if err != nil && failed == nil {
				failed = err
			}
			out.scores.Included, out.scores.LeftOut = append(out.scores.Included, scores.Included...), append(out.scores.LeftOut, scores.LeftOut...)
		})
		return out, failed
	}
}

// alone runs a training for one canary.
func alone(ctx context.Context, of *world, setup erm.Setup, c certificate.Certificate) (audit.Scores, error) {
	if err := ctx.Err(); err != nil {
		return audit.Scores{}, err
	}
	w := &world{shape: of.shape, schema: of.schema, included: make([]bool, 1)}
	l, err := w.budget(c)
	if err != nil {
		return audit.Scores{}, err
	}
	table, err := w.draw()
	if err != nil {
		return audit.Scores{}, err
	}
	fitted, err := erm.Fit(ctx, l, setup, table, erm.Options{})
	if err != nil {
		return audit.Scores{}, err
	}
	weights := fitted.Model.Weights()
	return w.scores(func(i int) float64 { return w.difference(func(j int) float64 { return weights[j] }, i) }), nil
}
