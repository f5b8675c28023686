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
	// Clean reports whether every cell satisfies the declarations. A missing cell satisfies them if
	// the schema's treatment of it does not drop the row.
	Clean bool
	// Rows is the number of rows. Dropped is the number of rows that the schema drops.
	Rows, Dropped int
	// Columns has one report for each feature column, in order. The report on the target is last.
	Columns []ColumnReport
}

// ColumnReport counts the cells of one column that violate its declaration.
type ColumnReport struct {
	Name                                     string
	Missing, Unparsable, OutOfRange, Unknown int
	// FirstLines are the lines of the first bad cells. Examples are their texts, quoted. Missing
	// cells are excluded.
	FirstLines []int
	Examples   []string
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
	return r.Dropped == 0
}

// Check reads a table under a schema and returns a report on its cells. It reads the formats of
// Read. A malformed file is an error as in Read. The report names cells by line number. If the
// format has no lines, row numbers take their place. Both start at 1, in each part of a table of
// several parts.
func Check(ctx context.Context, s *Schema, src Source) (*CheckReport, error) {
	q, made, err := newRequest(s, src.Path, src.Delimiter, ReadOptions{})
	if err != nil {
		return nil, err
	}
	c := newChecker(made)
	q.sink = c
	if err = scan(ctx, q, src); err != nil {
		return nil, err
	}
	c.report.Clean = c.report.clean()
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
	c.report.Columns = append(c.report.Columns, ColumnReport{Name: b.schema.Target.Column})
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
	if column == c.layout.target {
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
		c.report.Columns[j].count(found, cell, line)
	}
	cell := strings.TrimSpace(cells[c.layout.target])
	found, v := c.schema.Target.classify(cell, c.marks)
	if _, ok := c.schema.Target.treat(found, v); drop || !ok {
		c.report.Dropped++
	}
	c.report.Columns[len(c.features)].count(found, cell, line)
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
