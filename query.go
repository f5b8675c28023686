package dither

import (
	"context"
	"errors"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Answer is what Query released.
type Answer struct {
	// Rows are the numbers with their intervals: one, or one for each cell, quantile or pair of columns.
	Rows []query.Row
	// Plan is the question with its noise, and Certificate what it guarantees.
	Plan        query.Plan
	Certificate certificate.Certificate
}

// Query answers a question about the records with Gaussian noise, and pays with what is left of the budget, or less by
// WithEpsilon. A call asks one question: "count", "sum age", "mean age", "variance age", "histogram age", "covariance
// age, bmi" or "correlation age, bmi", where an expression of package query may stand for a column. The other
// statistics of package query have other noise, and are refused. Records are those of Train. The error wraps
// ledger.ErrOverBudget when too little is left; then no record was read.
func Query(ctx context.Context, b *Budget, s *data.Schema, records any, question string, options ...Option) (*Answer, error) {
	if err := b.check(s); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := settled(options)
	if asked.folder != "" {
		return nil, errors.New("dither: option of Query is Into, want it left out; it is for Train")
	}
	statistic, rest, _ := strings.Cut(strings.TrimSpace(question), " ")
	plan := query.Plan{Statistic: query.Statistic(statistic), Where: asked.where, By: asked.by, Noise: query.NoiseGaussian, Confidence: 0.95,
		Neighboring: b.neighboring, Delta: b.delta}
	for part := range strings.SplitSeq(rest, ",") {
		if part = strings.TrimSpace(part); part != "" {
			plan.Expressions = append(plan.Expressions, part)
		}
	}
	epsilon, err := b.asked(asked.epsilon)
	if err != nil {
		return nil, err
	}
	q, err := query.NewQuestion(s, plan)
	if err != nil {
		return nil, err
	}
	unit := privacy.Unit{Row: q.Plan().Unit, RowsPerPerson: q.Plan().RowsPerPerson}
	target, err := privacy.NewGuarantee(epsilon, b.delta, b.neighboring, unit)
	if err != nil {
		return nil, err
	}
	if q, err = q.Within(target); err != nil {
		return nil, err
	}
	c, err := q.Plan().Certificate()
	if err != nil {
		return nil, err
	}
	limit, err := b.open(q.Plan().Event(), unit)
	if err != nil {
		return nil, err
	}
	d, err := read(ctx, q.Schema(), records, q.ReadOptions())
	if err != nil {
		return nil, err
	}
	if err = ctx.Err(); err != nil {
		return nil, errors.Join(errors.New("dither: stopped before anything was spent"), err)
	}
	grant, err := limit.Reserve(q.Plan().Event(), "a "+statistic)
	if err != nil {
		return nil, err
	}
	rows, err := q.Ask(grant, d)
	if err != nil {
		return nil, err
	}
	return &Answer{Rows: rows, Plan: q.Plan(), Certificate: c}, nil
}
