package evaluate

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/model"
)

// Dataset returns exact measures of a model on a data set with targets. The result is a
// classification or a regression, and the other pointer is nil. If g is not nil, the result also
// contains measures for each group. Rows that the schema drops are left out. The numbers have no
// noise, so publish them only for public records. It is an error if the data set was read without
// its target, or if the context ends.
func Dataset(ctx context.Context, m *model.Model, d *data.Dataset, g *Grouping) (*Classification, *Regression, error) {
	if d.Target() == nil {
		return nil, nil, fmt.Errorf("evaluate: the table was read without its target, want the column %q", m.Schema().Target.Column)
	}
	kept, err := keep(ctx, m, d, g)
	if err != nil {
		return nil, nil, err
	}
	if m.Schema().Target.Regression() {
		r, regressErr := Regress(kept.targets, kept.predictions, kept.grouping)
		return nil, &r, regressErr
	}
	labels := make([]int, len(kept.targets))
	for i, v := range kept.targets {
		labels[i] = int(v)
	}
	c, err := Classify(m.Schema().Target.Levels, labels, kept.predictions, m.Threshold(), kept.grouping)
	return &c, nil, err
}

// RecordsOf returns the rows of a data set together with the model's predictions. The result is an
// argument of Release. It is an error if the data set was read without its target or without a
// column of the plan. It is an error if the context ends.
func RecordsOf(ctx context.Context, m *model.Model, p Plan, d *data.Dataset) (Records, error) {
	if d.Target() == nil {
		return Records{}, fmt.Errorf("evaluate: the table was read without its target, want the column %q", m.Schema().Target.Column)
	}
	kept, err := keep(ctx, m, d, nil)
	if err != nil {
		return Records{}, err
	}
	out := Records{Targets: kept.targets, Predictions: kept.predictions}
	if k := m.Outputs(); k == 2 { // the probability of the second level alone
		out.Predictions = make([]float64, len(kept.targets))
		for i := range out.Predictions {
			out.Predictions[i] = kept.predictions[2*i+1]
		}
	}
	if p.GroupColumn != "" {
		codes, _, groupErr := d.Group(p.GroupColumn)
		if groupErr != nil {
			return Records{}, groupErr
		}
		out.Groups = undropped(d, codes)
	}
	if p.Person != nil {
		codes, known, groupErr := d.Texts(p.Person.Column)
		if groupErr != nil {
			return Records{}, groupErr
		}
		out.Persons = pick.PersonsOf(undropped(d, codes), len(known), p.Person.MaxRows, nil)
	}
	return out, nil
}

// undropped returns the codes of the rows that the schema keeps, as keep lists them.
func undropped(d *data.Dataset, codes []int32) []int32 {
	out := make([]int32, 0, len(codes))
	for row, code := range codes {
		if !d.Dropped(row) {
			out = append(out, code)
		}
	}
	return out
}

// keptRows are the rows of a data set that the schema keeps.
type keptRows struct {
	targets     []float64
	predictions []float64 // shape [len(targets), Outputs]
	grouping    *Grouping
}

// keep returns predictions for the rows that the schema keeps, with their targets and groups.
func keep(ctx context.Context, m *model.Model, d *data.Dataset, g *Grouping) (keptRows, error) {
	k := m.Outputs()
	out := keptRows{targets: make([]float64, 0, d.Records()), predictions: make([]float64, 0, d.Records()*k)}
	if g != nil {
		out.grouping = &Grouping{Column: g.Column, Levels: g.Levels, Codes: make([]int32, 0, d.Records())}
	}
	err := m.PredictAll(ctx, d, func(first int, predictions []float64) error {
		for i := 0; i < len(predictions); i += k {
			row := first + i/k
			if d.Dropped(row) {
				continue
			}
			out.targets = append(out.targets, float64(d.Target()[row]))
			out.predictions = append(out.predictions, predictions[i:i+k]...)
			if g != nil {
				out.grouping.Codes = append(out.grouping.Codes, g.Codes[row])
			}
		}
		return nil
	})
	return out, err
}
