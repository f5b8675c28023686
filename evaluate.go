package dither

import (
	"context"
	"errors"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Evaluation is the result of Evaluate. All fields are released and may be published.
type Evaluation struct {
	// Measures are estimates with confidence intervals. They describe a classification if the
	// target has levels, else a regression.
	Measures evaluate.Private
	// Plan lists the public numbers of the release.
	Plan evaluate.Plan
	// Certificate states the guarantee of the release.
	Certificate certificate.Certificate
}

// Evaluate returns noisy measures of a model's quality on private records. The records must not
// have been used to train the model. Evaluate spends the whole remaining budget, or the amount of
// WithEpsilon. All measures are computed from one Gaussian release. For a classification the
// release is a histogram of true levels and scores. For a regression it contains sums of residuals,
// which are clipped at the width of the target's declared range. The option By adds measures for
// each declared level of a column. Records are given as for Train, under the schema of the model.
// If too little budget is left, the error wraps ledger.ErrOverBudget, and no record has been read.
func Evaluate(ctx context.Context, b *Budget, m *model.Model, records any, options ...Option) (*Evaluation, error) {
	if m == nil || m.Schema() == nil {
		return nil, errNoModel
	}
	if err := b.check(m.Schema()); err != nil {
		return nil, err
	}
	asked, err := settled(ctx, options)
	if err != nil {
		return nil, err
	}
	if err = asked.only("Evaluate", "WithEpsilon", "PerPerson", "By"); err != nil {
		return nil, err
	}
	r := evaluate.Request{Delta: b.delta, Neighboring: b.neighboring, Noise: "gaussian", GroupColumn: asked.plan.By}
	if person := asked.plan.Person; person != nil {
		r.Person = &query.Person{Column: person.Column, MaxRows: person.MaxRows}
	}
	b.calls.Lock()
	defer b.calls.Unlock()
	if r.Epsilon, err = b.asked(ctx, asked.epsilon); err != nil {
		return nil, err
	}
	plan, c, err := measures.Draft(r, m, tableOf(records))
	if err != nil {
		return nil, err
	}
	return b.evaluate(ctx, m, records, plan, c)
}

// evaluationPurpose is what an evaluation says in a ledger that it is for.
const evaluationPurpose = "an evaluation"

// evaluate pays for a plan, and returns the measures that the plan asks for.
func (b *Budget) evaluate(ctx context.Context, m *model.Model, records any, plan evaluate.Plan, c certificate.Certificate) (*Evaluation, error) {
	limit, err := b.open(ctx, m.Schema().Name, evaluationPurpose, plan.Event(), privacy.Unit{Row: plan.Unit, RowsPerPerson: plan.RowsPerPerson})
	if err != nil {
		return nil, err
	}
	defer b.settle(ctx, nil)
	b.note(&c)
	d, err := read(ctx, m.Schema(), records, measures.ReadOptions(plan, m.Schema()))
	if err != nil {
		return nil, err
	}
	rows, err := evaluate.RecordsOf(ctx, m, plan, d)
	if err != nil {
		return nil, err
	}
	if err = unspent(ctx); err != nil {
		return nil, err
	}
	grant, err := limit.Reserve(plan.Event(), evaluationPurpose)
	if err != nil {
		return nil, err
	}
	numbers, err := evaluate.Release(grant, plan, rows)
	if err != nil {
		return nil, err
	}
	measured, err := evaluate.Measures(plan, numbers)
	return &Evaluation{measured, plan, c}, err
}

// EvaluatePublic returns exact measures of a model's quality on public records. The result is a
// classification or a regression, and the other pointer is nil. EvaluatePublic adds no noise and
// spends no budget, so never use it on private records. Rows that the schema drops are left out.
func EvaluatePublic(ctx context.Context, m *model.Model, records any) (*evaluate.Classification, *evaluate.Regression, error) {
	if _, err := settled(ctx, nil); err != nil {
		return nil, nil, err
	}
	if m == nil || m.Schema() == nil {
		return nil, nil, errNoModel
	}
	d, err := read(ctx, m.Schema(), records, data.ReadOptions{MaxRecords: mostPredicted})
	if err != nil {
		return nil, nil, err
	}
	return evaluate.Dataset(ctx, m, d, nil)
}

var errNoModel = errors.New("dither: model is nil or a zero value, want one that Train or Open returned")
