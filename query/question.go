package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/related"
	"github.com/ditherml/dither/mechanism"
)

// Question is a plan that NewQuestion has checked against a schema.
type Question struct {
	plan        Plan
	schema      *data.Schema
	expressions []expression
	where       *expression
	cells       division
}

// Row is one answer to a question.
type Row struct {
	// Name is the name of the level, bin, quantile or pair of columns to which the answer belongs.
	Name string
	Answer
}

// NewQuestion returns a question for a plan and a schema. It sets the bounds, the cells, the unit
// and the maximum number of records of the plan from the schema. Zero fields of the plan get these
// defaults:
//
//   - Points: 1000
//   - Edges: the declared bins of the column
//   - Noise: the default noise of the statistic
//   - Confidence: 0.95
//   - Quantiles: 0.5; for the statistic bounds, 0.025 and 0.975
//   - ThresholdDelta: half of delta
//   - Of: mean
//   - Blocks: 40
//
// Other fields keep their values. If NoiseMultiplier is 0, call WithNoise or Within before Ask. A
// plan that does not fit the schema is an error.
func NewQuestion(s *data.Schema, p Plan) (*Question, error) {
	if err := s.ValidateTable(); err != nil {
		return nil, err
	}
	if s.Tainted() {
		return nil, fmt.Errorf("query: the schema says that %s was copied out of records, want declared bounds and levels; declare them from public knowledge", listed(s.FromData))
	}
	f, known := forms[p.Statistic]
	if !known {
		return nil, unknownStatistic(p.Statistic)
	}
	if n := len(p.Expressions); n < f.least || n > f.most {
		return nil, fmt.Errorf("query: %s has %d expressions, want %s", p.Statistic, n, f.wants())
	}
	p.Unit, p.RowsPerPerson, p.MaxRecords = p.Person.unit(s.Row), s.RowsPerPerson, s.MaxRecords
	p.Related = s.Related.Words()
	if p.Person != nil {
		if p.RowsPerPerson = 0; len(p.Related) > 0 {
			return nil, related.Refused("query")
		}
	}
	q := &Question{plan: p.filled(), schema: s, cells: whole()}
	if err := q.bindPerson(); err != nil {
		return nil, err
	}
	if err := q.bind(); err != nil {
		return nil, err
	}
	q.plan.Cells = len(q.cells.names)
	if q.plan.Noise == "" {
		q.plan.Noise = q.plan.noises()[0]
	}
	check := q.plan
	if check.NoiseMultiplier == 0 {
		check.NoiseMultiplier = 1
	}
	return q, check.Validate()
}

// bindPerson checks that the persons stand in a column that is read as text.
func (q *Question) bindPerson() error {
	u := q.plan.Person
	switch {
	case u == nil:
		return nil
	case u.Column != "" && u.Column == q.schema.Target.Column:
		return fmt.Errorf("query: the column of persons is the target %q, want another one", u.Column)
	case !slices.ContainsFunc(q.schema.Columns, func(c data.Column) bool { return c.Name == u.Column }):
		return fmt.Errorf("query: the column of persons is %q, which is no column of the schema, want one", u.Column)
	}
	return nil
}

// bind reads the expressions and the cells.
func (q *Question) bind() error {
	p := &q.plan
	if p.Where != "" {
		where, err := parseCondition(q.schema, p.Where)
		if err != nil {
			return fmt.Errorf("query: condition of rows: %w", err)
		}
		q.where = &where
	}
	b := binder{q.schema, q.schema.Features()}
	if p.By != "" {
		c, err := b.column(p.By)
		if err != nil {
			return fmt.Errorf("query: column of groups: %w", err)
		}
		if c.column.Kind != data.Categorical {
			return fmt.Errorf("query: column %q has no levels to group by, want a column of levels; ask for a histogram of it", p.By)
		}
		q.cells = byLevels(c)
	}
	switch p.Statistic {
	case histogramStatistic:
		return q.bindHistogram(b)
	case categoriesStatistic:
		return q.bindCategories()
	}
	return q.bindNumbers()
}

// bindHistogram makes the cells of a column of levels, or of a number with edges.
func (q *Question) bindHistogram(b binder) error {
	p := &q.plan
	c, err := b.column(p.Expressions[0])
	if err == nil && c.column.Kind == data.Categorical {
		if len(p.Edges) > 0 {
			return fmt.Errorf("query: column %q has levels, want no edges", p.Expressions[0])
		}
		q.cells = byLevels(c)
		return nil
	}
	if err == nil && len(p.Edges) == 0 {
		p.Edges = c.column.Bins
	}
	if err = q.bindNumbers(); err != nil {
		return err
	}
	if len(p.Edges) == 0 {
		return fmt.Errorf("query: the histogram has no edges, want declared ones, since edges from the records are not private; add Plan.Edges or bins in the schema")
	}
	q.cells, err = byEdges(q.expressions[0], p.Edges)
	return err
}

// bindCategories checks that the column is one of the file.
func (q *Question) bindCategories() error {
	name := q.plan.Expressions[0]
	if !slices.ContainsFunc(q.schema.Columns, func(c data.Column) bool { return c.Name == name }) {
		return fmt.Errorf("query: %q is no column of the schema, want one whose categories are not declared", name)
	}
	return nil
}

// bindNumbers reads the expressions as bounded numbers.
func (q *Question) bindNumbers() error {
	p := &q.plan
	p.Lower, p.Upper = nil, nil
	for _, text := range p.Expressions {
		e, err := parseExpression(q.schema, text)
		if err != nil {
			return err
		}
		if !(e.lower < e.upper) {
			return fmt.Errorf("query: %q is the same for all rows, want an expression of a column", text)
		}
		q.expressions = append(q.expressions, e)
		p.Lower, p.Upper = append(p.Lower, e.lower), append(p.Upper, e.upper)
	}
	if p.Points == 0 && p.choices() > 0 {
		p.Points = 1000
	}
	return nil
}

// Plan returns the plan with all defaults filled in.
func (q *Question) Plan() Plan { return q.plan }

// Schema returns the schema of the question.
func (q *Question) Schema() *data.Schema { return q.schema }

// WithNoise returns a copy of the question with this noise multiplier.
func (q *Question) WithNoise(multiplier float64) (*Question, error) {
	asked := *q
	asked.plan.NoiseMultiplier = multiplier
	return &asked, asked.plan.Validate()
}

// ReadOptions returns options with which data.Read reads the columns that the question needs. With
// these options, rows with a cell whose treatment is data.Drop are left out. If the question uses
// the target, rows without a valid target are left out too.
func (q *Question) ReadOptions() data.ReadOptions {
	o := data.ReadOptions{WithoutTarget: true}
	if q.plan.Statistic == categoriesStatistic {
		o.Extra = slices.Clone(q.plan.Expressions)
	}
	if u := q.plan.Person; u != nil && !slices.Contains(o.Extra, u.Column) {
		o.Extra = append(o.Extra, u.Column)
	}
	// A row must have some cell to be read: in a table with a target alone it is the target.
	needed := len(q.schema.Features()) == 0 || q.cells.target || q.where != nil && q.where.target
	for _, e := range q.expressions {
		needed = needed || e.target
	}
	o.WithoutTarget = !needed
	return o
}

// Ask pays for the release and returns the noisy answers. The data set must have been read under
// the question's schema with the options of ReadOptions.
func (q *Question) Ask(payer mechanism.Payer, d *data.Dataset) ([]Row, error) {
	p := q.plan
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if d.Records() > p.MaxRecords {
		return nil, fmt.Errorf("query: there are more records than max records %d; raise the declared bound", p.MaxRecords)
	}
	r, err := q.records(d)
	if err != nil {
		return nil, err
	}
	switch p.Statistic {
	case quantilesStatistic, boundsStatistic, radiusStatistic, aggregateStatistic:
		return q.askChoice(payer, d, r)
	case categoriesStatistic:
		return q.askCategories(payer, d, r)
	case covarianceStatistic, correlationStatistic:
		return q.askMoments(payer, d, r)
	}
	answers, err := q.table().ask(pass.Settings{Payer: payer, Noise: p.noise(), MaxRecords: p.MaxRecords}, q.cells.filtered(d, r, q.where), q.valuesOf(d), p.Confidence)
	rows := make([]Row, len(answers))
	for k, a := range answers {
		rows[k] = Row{q.cells.names[k], a}
	}
	return rows, err
}

// records returns the rows that meet the condition, or the persons with such rows.
func (q *Question) records(d *data.Dataset) (pick.Records, error) {
	u := q.plan.Person
	if u == nil {
		return pick.EachRow(d.Records()), nil
	}
	codes, known, err := d.Texts(u.Column)
	if err != nil {
		return pick.Records{}, err
	}
	return pick.OfPersons(pick.PersonsOf(codes, len(known), u.MaxRows, q.keeps(d)), u.MaxRows), nil
}

// keeps returns the condition on a row, nil where there is none.
func (q *Question) keeps(d *data.Dataset) func(i int) bool {
	if q.where == nil {
		return nil
	}
	truth := q.where.on(d)
	return func(i int) bool { return truth(i) == 1 }
}

// table returns the rule by which a statistic in cells is released.
func (q *Question) table() table { return tables[q.plan.Statistic] }

// valuesOf returns the numbers of the first expression, where the statistic has one.
func (q *Question) valuesOf(d *data.Dataset) rowNumbers {
	if !q.table().valued {
		return rowNumbers{}
	}
	return q.values(0, d)
}

// values returns the numbers of an expression. A missing number is left out; in a sum it counts
// 0.
func (q *Question) values(k int, d *data.Dataset) rowNumbers {
	e := q.expressions[k]
	return rowNumbers{e.lower, e.upper, e.on(d)}
}

// kept returns a number of each row that the filter keeps, NaN for the others.
func (q *Question) kept(k int, d *data.Dataset) func(i int) float64 {
	value, keep := q.expressions[k].on(d), q.keeps(d)
	if keep == nil {
		return value
	}
	return func(i int) float64 {
		if !keep(i) {
			return math.NaN()
		}
		return value(i)
	}
}

func (q *Question) askCategories(payer mechanism.Payer, d *data.Dataset, r pick.Records) ([]Row, error) {
	name, err := q.names(d)
	if err != nil {
		return nil, err
	}
	return categories(pick.CategoryTerms{Payer: payer, PartitionTerms: q.plan.partitionTerms(), MaxRecords: q.plan.MaxRecords}, r, name, q.plan.Confidence)
}

// categories releases categories, with the interval of each count by itself.
func categories(t pick.CategoryTerms, r pick.Records, name func(i int) string, level float64) ([]Row, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	l, err := lawOf(t.Noise, float64(r.Most()))
	if err != nil {
		return nil, err
	}
	found, err := pick.Categories(t, r, name)
	rows := make([]Row, len(found))
	for k, c := range found {
		rows[k] = Row{c.Name, l.linear(c.Count, level)}
	}
	return rows, err
}

// names returns the category of a row, "" for a row without one and for a row that the filter
// drops.
func (q *Question) names(d *data.Dataset) (func(i int) string, error) {
	codes, levels, err := d.Group(q.plan.Expressions[0])
	if err != nil {
		return nil, err
	}
	keep := q.keeps(d)
	return func(i int) string {
		if codes[i] < 0 || int(codes[i]) >= len(levels) || keep != nil && !keep(i) {
			return ""
		}
		return levels[codes[i]]
	}, nil
}

// columns returns the numbers of all expressions.
func (q *Question) columns(d *data.Dataset) []rowNumbers {
	columns := make([]rowNumbers, len(q.expressions))
	for k, e := range q.expressions {
		columns[k] = rowNumbers{e.lower, e.upper, q.kept(k, d)}
	}
	return columns
}

func (q *Question) askMoments(payer mechanism.Payer, d *data.Dataset, r pick.Records) ([]Row, error) {
	p, columns := q.plan, q.columns(d)
	m, err := newMoments(pass.Settings{Payer: payer, Noise: p.noise(), MaxRecords: p.MaxRecords}, r, columns, p.Confidence)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i := range columns {
		for j := i; j < len(columns); j++ {
			name := p.Expressions[i] + ", " + p.Expressions[j]
			switch {
			case p.Statistic == covarianceStatistic:
				rows = append(rows, Row{name, m.covariance(i, j)})
			case i != j:
				rows = append(rows, Row{name, m.correlation(i, j)})
			}
		}
	}
	return rows, nil
}
