package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// limitless is a limit that refuses nothing: the records of a reproduction are public.
func limitless(n privacy.Neighboring, row string, rowsPerPerson int) (privacy.Guarantee, error) {
	return privacy.NewGuarantee(math.Inf(1), 1e-6, n, privacy.Unit{Row: row, RowsPerPerson: rowsPerPerson})
}

// unlimited returns a ledger without a limit, for several plans in full batch.
func unlimited(n privacy.Neighboring, row string, rowsPerPerson int) (*ledger.Ledger, error) {
	g, err := limitless(n, row, rowsPerPerson)
	if err != nil {
		return nil, err
	}
	return ledger.New(g)
}

// fitMany trains a model for each setup, several at a time in one pass over the records.
func fitMany(ctx context.Context, jobs []train.Run, d *data.Dataset) ([]*model.Model, error) {
	const together = 60
	var models []*model.Model
	for len(jobs) > 0 {
		some := jobs[:min(together, len(jobs))]
		jobs = jobs[len(some):]
		p := some[0].Setup.Plan
		budget, err := unlimited(p.Neighboring, p.Unit, p.RowsPerPerson)
		if err != nil {
			return nil, err
		}
		results, err := train.FitMany(ctx, budget, some, d)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			models = append(models, r.Model)
		}
	}
	return models, nil
}

// fitOne trains one model, of a plan of any kind.
func fitOne(ctx context.Context, s train.Setup, o train.Options, d *data.Dataset) (*train.Result, error) {
	g, err := limitless(s.Plan.Neighboring, s.Plan.Unit, s.Plan.RowsPerPerson)
	if err != nil {
		return nil, err
	}
	budget, err := ledger.NewSingle(g)
	if err != nil {
		return nil, err
	}
	return train.Fit(ctx, budget, s, d, o)
}

// copies returns the same run several times, each with fresh noise.
func copies(j train.Run, runs int) []train.Run {
	jobs := make([]train.Run, runs)
	for i := range jobs {
		jobs[i] = j
	}
	return jobs
}

// classify measures a model on a public data set.
func classify(m *model.Model, d *data.Dataset) (evaluate.Classification, error) {
	k, scratch := m.Outputs(), m.NewScratch()
	row := make([]float32, len(m.Schema().Features()))
	labels, predictions := make([]int, d.Records()), make([]float64, d.Records()*k)
	for i := range labels {
		labels[i] = int(d.Target()[i])
		m.Predict(predictions[i*k:(i+1)*k], d.Row(row, i), scratch)
	}
	c, err := evaluate.Classify(m.Schema().Target.Levels, labels, predictions, 0.5, nil)
	if err == nil && !c.Accuracy.Defined() {
		return c, fmt.Errorf("reproduce: the accuracy is not defined, want labelled records")
	}
	return c, err
}

// accuracies measures several models side by side.
func accuracies(models []*model.Model, d *data.Dataset) (sample, error) {
	out, errs := make(sample, len(models)), make([]error, len(models))
	parallel.Items(len(models), func(i int) {
		c, err := classify(models[i], d)
		out[i], errs[i] = float64(c.Accuracy), err
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// free pays for releases on public or made-up records.
type free struct{}

// Pay pays.
func (free) Pay(mechanism.Event) error { return nil }
