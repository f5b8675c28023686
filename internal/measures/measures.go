// Package measures measures models on tables, by the levels of a column where one is named, and
// turns measures into the tables of a page.
package measures

import (
	"context"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// MostGroups is the largest number of levels of a group column. So a column of names or numbers is
// not printed as a table of persons.
const MostGroups = 1000

// Under returns what Dataset returns for a data set under the schema that the model was trained by.
// It views the data set under the schema that training learned.
func Under(m *model.Model, d *data.Dataset, group string) (*evaluate.Classification, *evaluate.Regression, error) {
	d, err := d.Under(m.Schema())
	if err != nil {
		return nil, nil, err
	}
	return Dataset(context.Background(), m, d, group)
}

// Dataset returns the measures of a model on a data set with targets, by the levels of a column
// unless group is empty. It returns a classification or a regression, and nil for the other. Rows
// that the schema drops are left out. The numbers are exact, and as private as the data set.
func Dataset(ctx context.Context, m *model.Model, d *data.Dataset, group string) (*evaluate.Classification, *evaluate.Regression, error) {
	grouping, err := newGrouping(d, group)
	if err != nil {
		return nil, nil, err
	}
	return evaluate.Dataset(ctx, m, d, grouping)
}

// newGrouping returns the groups of all rows of d, nil when no column is named.
func newGrouping(d *data.Dataset, column string) (*evaluate.Grouping, error) {
	if column == "" {
		return nil, nil
	}
	codes, levels, err := d.Group(column)
	if err != nil {
		return nil, err
	}
	if len(levels) > MostGroups {
		return nil, fmt.Errorf("--group %q has more than %d different texts, want fewer; name another column", column, MostGroups)
	}
	return &evaluate.Grouping{Column: column, Levels: levels, Codes: codes}, nil
}

// WriteText writes whichever of the two measures is there, as text that is safe on a terminal.
func WriteText(w io.Writer, c *evaluate.Classification, r *evaluate.Regression) error {
	if c != nil {
		return writeTables(w, textTables(*c))
	}
	return writeTables(w, regressionTables(*r))
}

// Public returns the tables of a page about exact measures on a public table.
func Public(source string, c *evaluate.Classification, r *evaluate.Regression) *report.Metrics {
	m := &report.Metrics{Source: source + ", declared public"}
	if r != nil {
		m.Tables = regressionTables(*r)
		return m
	}
	m.Tables = classTables(*c)
	m.Confusion = &report.Confusion{Levels: c.Levels, Counts: c.Confusion}
	m.Reliability = reliability(c.Levels, c.Reliability)
	return m
}

// Private returns the tables of a page about a private evaluation.
func Private(v evaluate.Private) *report.Metrics {
	m := &report.Metrics{Source: "intervals hold in 95 % of cases, or where it says so in at least as many; they allow for the noise and for the sampling of the records, or of persons", Private: true, Tables: privateTables(v)}
	if c := v.Classification; c != nil {
		m.Reliability = reliability(c.Levels, c.Calibration)
	}
	return m
}

// WritePrivate writes the tables of a private evaluation, aligned for a terminal. Characters that a
// terminal could obey are replaced.
func WritePrivate(w io.Writer, v evaluate.Private) error { return writeTables(w, privateTables(v)) }
