package dither

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Answer is the result of Query. All fields are released and may be published.
type Answer struct {
	// Rows are the answers with their intervals. There is one row, or one row for each level, bin,
	// quantile or pair of columns. A quantile or another selected number has no interval.
	Rows []query.Row
	// Plan is the question with all its public numbers, including the noise.
	Plan query.Plan
	// Certificate states the guarantee of the answer.
	Certificate certificate.Certificate
}

// Query returns the noisy answer to one question about the records. It spends the whole remaining
// budget, or the amount of WithEpsilon. The questions are:
//
//	count                           radius age, bmi
//	sum age                         aggregate age
//	mean age                        categories town
//	variance age                    covariance age, bmi
//	histogram age                   correlation age, bmi
//	quantiles age                   bounds age
//
// A column name may be replaced by an expression of package query. The options Where and By select
// rows and split the answer; Asking sets details. "quantiles age" returns the median. With
// Asking(query.Plan{Quantiles: []float64{0.25, 0.75}}) it returns quartiles. A histogram of a
// column without declared bins needs Edges. Records are given as for Train. The schema needs no
// target if data.ReadTableSchema read it. If too little budget is left, the error wraps
// ledger.ErrOverBudget, and no record has been read.
//
// Several questions can spend from one budget if their noise is Gaussian. Quantiles, bounds,
// radius, aggregate and categories are not Gaussian: each of them needs an unspent budget and
// spends all of it.
func Query(ctx context.Context, b *Budget, s *data.Schema, records any, question string, options ...Option) (*Answer, error) {
	if err := b.check(s); err != nil {
		return nil, err
	}
	asked, err := settled(ctx, options)
	if err != nil {
		return nil, err
	}
	if err = asked.only("Query", "WithEpsilon", "PerPerson", "Where", "By", "Asking"); err != nil {
		return nil, err
	}
	b.calls.Lock()
	defer b.calls.Unlock()
	plan := b.plan(asked.plan, question)
	if err = unasked(plan); err != nil {
		return nil, err
	}
	epsilon, err := b.asked(ctx, asked.epsilon)
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
	draft.ComeFrom(&c, tableOf(records))
	purpose := "a " + string(plan.Statistic)
	limit, err := b.open(ctx, s.Name, purpose, q.Plan().Event(), unit)
	if err != nil {
		return nil, err
	}
	defer b.settle(ctx, nil)
	b.note(&c)
	d, err := read(ctx, q.Schema(), records, q.ReadOptions())
	if err != nil {
		return nil, err
	}
	if err = unspent(ctx); err != nil {
		return nil, err
	}
	grant, err := limit.Reserve(q.Plan().Event(), purpose)
	if err != nil {
		return nil, err
	}
	rows, err := q.Ask(grant, d)
	if err != nil {
		return nil, err
	}
	return &Answer{Rows: rows, Plan: q.Plan(), Certificate: c}, nil
}

// plan returns p with the statistic and columns that a question names. Its noise is Gaussian where
// the statistic has Gaussian noise, so that answers add up.
func (b *Budget) plan(p query.Plan, question string) query.Plan {
	statistic, rest, _ := strings.Cut(strings.TrimSpace(question), " ")
	p.Statistic, p.Expressions, p.Neighboring, p.Delta = query.Statistic(statistic), nil, b.neighboring, b.delta
	for part := range strings.SplitSeq(rest, ",") {
		if part = strings.TrimSpace(part); part != "" {
			p.Expressions = append(p.Expressions, part)
		}
	}
	switch p.Statistic {
	case "quantiles", "bounds", "radius", "aggregate", "categories":
	default:
		p.Noise = cmp.Or(p.Noise, "gaussian")
	}
	return p
}

// unasked returns an error that names a field of Asking that the statistic does not take. Such a
// field would change nothing.
func unasked(p query.Plan) error {
	for _, f := range []struct {
		name  string
		given bool
		of    []query.Statistic
	}{
		{"Edges", len(p.Edges) > 0, []query.Statistic{"histogram"}},
		{"Quantiles", len(p.Quantiles) > 0, []query.Statistic{"quantiles", "bounds"}},
		{"Points", p.Points != 0, []query.Statistic{"quantiles", "bounds", "radius", "aggregate"}},
		{"Of", p.Of != "", []query.Statistic{"aggregate"}},
		{"Blocks", p.Blocks != 0, []query.Statistic{"aggregate"}},
		{"ThresholdDelta", p.ThresholdDelta != 0, []query.Statistic{"categories"}},
	} {
		if known := slices.Contains(query.Statistics(), p.Statistic); known && f.given && !slices.Contains(f.of, p.Statistic) {
			return fmt.Errorf("dither: plan of Asking has %s for %s, want it for %q alone", f.name, p.Statistic, f.of)
		}
	}
	return nil
}

// tableOf returns the table of a database that records come from, or nil.
func tableOf(records any) database.Table {
	source, _ := records.(data.Source)
	return source.Database
}
