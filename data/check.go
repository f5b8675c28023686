package data

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CheckReport compares the cells of a table with a schema. It contains exact counts and texts of
// private records, so show it only to people who may see the records.
type CheckReport struct {
	// Clean reports whether every cell satisfies the declarations of the schema. A missing cell
	// satisfies the declarations, unless its column has the treatment Drop for missing cells.
	Clean bool
	// Rows is the number of rows. Dropped is the number of rows that the schema drops.
	Rows, Dropped int
	// Columns has one report for each feature column, in the order of the schema. Then comes the
	// report for the target, and then one report for each column of related tables.
	Columns []ColumnReport
	// RepeatedKeys is the number of rows that share a key with another row. A schema with related
	// tables drops them. The table is not clean if there are any.
	RepeatedKeys int
	// WithoutKey is the number of rows without a key, which a schema with related tables drops.
	WithoutKey int
	// Related has one report for each related table.
	Related []relatedReport
}

// relatedReport compares a related table with a schema.
type relatedReport struct {
	// Name is the name of the table in the schema.
	Name string
	// Rows is the number of rows. Dropped is the number of rows that the schema drops.
	Rows, Dropped int
	// WithoutPerson is the number of other rows whose key is in no row of the table of people.
	// BeyondMaxRows is the number of rows that are not used because their person has more rows than
	// max-rows.
	WithoutPerson, BeyondMaxRows int
}

// ColumnReport counts the cells of one column that violate its declaration.
type ColumnReport struct {
	// Name is the name of the column.
	Name string
	// Missing, Unparsable, OutOfRange and Unknown are numbers of cells. They count missing cells,
	// cells that are not numbers, numbers outside the bounds, and undeclared levels.
	Missing, Unparsable, OutOfRange, Unknown int
	// FirstLines are the line numbers of the first few bad cells. Missing cells do not count as bad
	// here.
	FirstLines []int
	// Examples are the quoted texts of the first few distinct bad cells. Missing cells do not count
	// as bad here.
	Examples []string
}

// maxExamples is the largest number of lines, and of texts, in a column's report.
const maxExamples = 5

// clean reports whether every cell is as declared.
func (r *CheckReport) clean() bool {
	for _, c := range r.Columns {
		if c.Unparsable+c.OutOfRange+c.Unknown > 0 {
			return false
		}
	}
	for _, t := range r.Related {
		if t.Dropped > 0 {
			return false
		}
	}
	return r.Dropped+r.RepeatedKeys+r.WithoutKey == 0
}

// Check reads a table under a schema and returns a report on the cells of the table. It reads the
// same formats as Read. A malformed file is an error as in Read. The report names cells by line
// number. If the format has no lines, the report names cells by row number. Line and row numbers
// start at 1. In a table of several files they start again in each file.
func Check(ctx context.Context, s *Schema, src Source) (*CheckReport, error) {
	if hasRelated(s, src) {
		return checkJoined(ctx, s, src)
	}
	q, made, err := newRequest(s, src.Path, src.Delimiter, ReadOptions{})
	if err != nil {
		return nil, err
	}
	report, err := checkTable(ctx, q, made, src)
	if err != nil {
		return nil, err
	}
	report.Clean = report.clean()
	return report, nil
}

// checkTable returns the report on one table, which may have no target.
func checkTable(ctx context.Context, q request, made *builder, src Source) (*CheckReport, error) {
	c := newChecker(made)
	q.sink = c
	if err := scan(ctx, q, src); err != nil {
		return nil, err
	}
	return &c.report, nil
}

// checker is a sink that classifies cells as the schema does.
type checker struct {
	*builder
	report CheckReport
	at     []int  // the feature at a position, or -1
	drops  []bool // of each row of an array
}

var _ bulkSink = (*checker)(nil)

func newChecker(b *builder) *checker {
	c := &checker{builder: b}
	for _, f := range b.features {
		c.report.Columns = append(c.report.Columns, ColumnReport{Name: f.Name})
	}
	if b.hasTarget {
		c.report.Columns = append(c.report.Columns, ColumnReport{Name: b.schema.Target.Column})
	}
	return c
}

func (c *checker) begin(l layout) { c.layout, c.at = l, l.featureAt() }

func (c *checker) reserve(int) {}

func (c *checker) numbers(row, column int, values []float64) {
	for i, v := range values {
		c.number(row+i, column, v)
	}
}

// number notes a cell of an array. A row counts when its first cell comes, and is dropped once.
func (c *checker) number(row, column int, v float64) {
	for len(c.drops) <= row {
		c.drops = append(c.drops, false)
		c.report.Rows++
	}
	note := func(report *ColumnReport, s state, ok bool) {
		report.count(s, strconv.FormatFloat(v, 'g', -1, 64), row+1)
		if !ok && !c.drops[row] {
			c.drops[row] = true
			c.report.Dropped++
		}
	}
	if j := c.at[column]; j >= 0 {
		found, x := c.features[j].classifyNumber(v, c.indexes[j])
		_, ok := c.features[j].treat(found, x)
		note(&c.report.Columns[j], found, ok)
	}
	if c.hasTarget && column == c.layout.target {
		found, x := c.schema.Target.classifyNumber(v)
		_, ok := c.schema.Target.treat(found, x)
		note(&c.report.Columns[len(c.features)], found, ok)
	}
}

func (c *checker) cells(line int, cells []string) {
	drop := false
	for j, at := range c.layout.features {
		cell := strings.TrimSpace(cells[at])
		found, v := c.features[j].classify(cell, c.marks, c.indexes[j])
		_, ok := c.features[j].treat(found, v)
		drop = drop || !ok
		if c.at[at] == j { // further features of a date have the same fault
			c.report.Columns[j].count(found, cell, line)
		}
	}
	if c.hasTarget {
		cell := strings.TrimSpace(cells[c.layout.target])
		found, v := c.schema.Target.classify(cell, c.marks)
		_, ok := c.schema.Target.treat(found, v)
		drop = drop || !ok
		c.report.Columns[len(c.features)].count(found, cell, line)
	}
	if drop {
		c.report.Dropped++
	}
	c.report.Rows++
}

// count notes one cell.
func (r *ColumnReport) count(s state, cell string, line int) {
	switch s {
	case good:
		return
	case missing:
		r.Missing++
		return
	case unparsable:
		r.Unparsable++
	case unknown:
		r.Unknown++
	case outOfRange:
		r.OutOfRange++
	}
	if len(r.FirstLines) < maxExamples {
		r.FirstLines = append(r.FirstLines, line)
	}
	if text := quote(cell); len(r.Examples) < maxExamples && !slices.Contains(r.Examples, text) {
		r.Examples = append(r.Examples, text)
	}
}

// quote returns a cell on one line, cut to a readable length.
func quote(cell string) string {
	const most = 40
	if len(cell) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(cell[cut]) {
			cut--
		}
		return strconv.Quote(cell[:cut]) + "…"
	}
	return strconv.Quote(cell)
}
