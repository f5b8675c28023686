package evaluate

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table is a plain table of words and numbers. The first cell of each row
// names the row. Names of levels stand as they were given: whoever shows the
// table makes them safe for the place where they are shown.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// Tables returns the headline measures, the measures by level and, where there
// are groups, the measures by group. The confusion matrix is apart.
func (c Classification) Tables() []Table {
	headline := Table{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{
		{"records", strconv.Itoa(c.Records)},
		{"accuracy", c.Accuracy.percent()},
		{"accuracy of the most frequent level", c.MajorityAccuracy.percent()},
		{"log-loss (nats)", c.LogLoss.fixed(4)},
	}}
	if len(c.Levels) == 2 {
		headline.Rows = append(headline.Rows, []string{"area under the curve", c.AUC.fixed(4)})
	}
	if c.Undefined > 0 {
		headline.Rows = append(headline.Rows, []string{"records without a prediction", strconv.Itoa(c.Undefined)})
	}
	tables := []Table{headline, c.levelTable()}
	if len(c.Groups) > 0 {
		tables = append(tables, c.groupTable())
	}
	return tables
}

func (c Classification) levelTable() Table {
	t := Table{Title: "By level", Columns: []string{"level", "precision", "recall"}}
	for k, level := range c.Levels {
		t.Rows = append(t.Rows, []string{level, c.Precision[k].percent(), c.Recall[k].percent()})
	}
	return t
}

func (c Classification) groupTable() Table {
	t := Table{Title: "By " + c.GroupColumn, Columns: []string{c.GroupColumn, "records", "accuracy", "most frequent level", "log-loss"}}
	binary := len(c.Levels) == 2
	if binary {
		t.Columns = append(t.Columns, "area under the curve")
	}
	for _, g := range c.Groups {
		row := []string{g.Level, strconv.Itoa(g.Records), g.Accuracy.percent(), g.MajorityAccuracy.percent(), g.LogLoss.fixed(4)}
		if binary {
			row = append(row, g.AUC.fixed(4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Tables returns the headline measures and, where there are groups, the
// measures by group.
func (r Regression) Tables() []Table {
	headline := Table{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{
		{"records", strconv.Itoa(r.Records)},
		{"root mean squared error", r.RMSE.fixed(4)},
		{"mean absolute error", r.MAE.fixed(4)},
		{"R²", r.R2.fixed(4)},
	}}
	if r.Undefined > 0 {
		headline.Rows = append(headline.Rows, []string{"records without a prediction", strconv.Itoa(r.Undefined)})
	}
	tables := []Table{headline}
	if len(r.Groups) == 0 {
		return tables
	}
	groups := Table{Title: "By " + r.GroupColumn, Columns: []string{r.GroupColumn, "records", "RMSE", "MAE", "R²"}}
	for _, g := range r.Groups {
		groups.Rows = append(groups.Rows, []string{g.Level, strconv.Itoa(g.Records), g.RMSE.fixed(4), g.MAE.fixed(4), g.R2.fixed(4)})
	}
	return append(tables, groups)
}

// WriteText writes the tables and the confusion matrix, aligned for a
// terminal. Characters that a terminal could obey are replaced. Undefined
// measures are written "-".
func (c Classification) WriteText(w io.Writer) error {
	confusion := Table{Title: "Confusion (rows: true level, columns: predicted level)", Columns: append([]string{""}, c.Levels...)}
	for k, counts := range c.Confusion {
		row := []string{c.Levels[k]}
		for _, count := range counts {
			row = append(row, strconv.Itoa(count))
		}
		confusion.Rows = append(confusion.Rows, row)
	}
	return writeTables(w, append(c.Tables(), confusion))
}

// WriteText writes the tables, aligned for a terminal. Characters that a
// terminal could obey are replaced. Undefined measures are written "-".
func (r Regression) WriteText(w io.Writer) error { return writeTables(w, r.Tables()) }

func writeTables(w io.Writer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(w, printable(t.Title)); err != nil {
			return err
		}
		if err := t.write(w); err != nil {
			return err
		}
	}
	return nil
}

// write aligns the columns of t, two spaces in.
func (t Table) write(w io.Writer) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(cell)
		}
		// The error, if any, stays in the writer and comes out of Flush.
		_, _ = fmt.Fprintln(aligned, "  "+strings.Join(cells, "\t"))
	}
	return aligned.Flush()
}
