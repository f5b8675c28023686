package measures

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
)

// classTables returns the headline measures, the measures by level and, where there
// are groups, the measures by group. The confusion matrix is apart.
func classTables(c evaluate.Classification) []report.Table {
	headline := report.Table{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{
		{"records", strconv.Itoa(c.Records)},
		{"accuracy", percent(c.Accuracy)},
		{"accuracy of the most frequent level", percent(c.MajorityAccuracy)},
		{"log-loss (nats)", fixed(c.LogLoss, 4)},
	}}
	if len(c.Levels) == 2 {
		headline.Rows = append(headline.Rows, []string{"area under the curve", fixed(c.AUC, 4)}, []string{"average precision", fixed(c.AveragePrecision, 4)},
			[]string{"calibration error", fixed(c.CalibrationError, 4)})
	}
	if c.Undefined > 0 {
		headline.Rows = append(headline.Rows, []string{"records without a prediction", strconv.Itoa(c.Undefined)})
	}
	tables := []report.Table{headline, levelTable(c)}
	if len(c.Groups) > 0 {
		tables = append(tables, groupTable(c))
	}
	return tables
}

func levelTable(c evaluate.Classification) report.Table {
	t := report.Table{Title: "By level", Columns: []string{"level", "precision", "recall"}}
	for k, level := range c.Levels {
		t.Rows = append(t.Rows, []string{level, percent(c.Precision[k]), percent(c.Recall[k])})
	}
	return t
}

func groupTable(c evaluate.Classification) report.Table {
	t := report.Table{Title: "By " + c.GroupColumn, Columns: []string{c.GroupColumn, "records", "accuracy", "most frequent level", "log-loss"}}
	binary := len(c.Levels) == 2
	if binary {
		t.Columns = append(t.Columns, "area under the curve")
	}
	for _, g := range c.Groups {
		row := []string{g.Level, strconv.Itoa(g.Records), percent(g.Accuracy), percent(g.MajorityAccuracy), fixed(g.LogLoss, 4)}
		if binary {
			row = append(row, fixed(g.AUC, 4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// regressionTables returns the headline measures and, where there are groups, the
// measures by group.
func regressionTables(r evaluate.Regression) []report.Table {
	headline := report.Table{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{
		{"records", strconv.Itoa(r.Records)},
		{"root mean squared error", fixed(r.RMSE, 4)},
		{"mean absolute error", fixed(r.MAE, 4)},
		{"R²", fixed(r.R2, 4)},
	}}
	if r.Undefined > 0 {
		headline.Rows = append(headline.Rows, []string{"records without a prediction", strconv.Itoa(r.Undefined)})
	}
	tables := []report.Table{headline}
	if len(r.Groups) == 0 {
		return tables
	}
	groups := report.Table{Title: "By " + r.GroupColumn, Columns: []string{r.GroupColumn, "records", "RMSE", "MAE", "R²"}}
	for _, g := range r.Groups {
		groups.Rows = append(groups.Rows, []string{g.Level, strconv.Itoa(g.Records), fixed(g.RMSE, 4), fixed(g.MAE, 4), fixed(g.R2, 4)})
	}
	return append(tables, groups)
}

// textTables returns the tables of classTables and the confusion matrix.
func textTables(c evaluate.Classification) []report.Table {
	confusion := report.Table{Title: "Confusion (rows: true level, columns: predicted level)", Columns: append([]string{""}, c.Levels...)}
	for k, counts := range c.Confusion {
		row := []string{c.Levels[k]}
		for _, count := range counts {
			row = append(row, strconv.Itoa(count))
		}
		confusion.Rows = append(confusion.Rows, row)
	}
	return append(classTables(c), confusion)
}

// writeTables writes tables, aligned for a terminal. Characters that a terminal could obey are
// replaced.
func writeTables(w io.Writer, tables []report.Table) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(w, display.Printable(t.Title)); err != nil {
			return err
		}
		if err := writeTable(w, t); err != nil {
			return err
		}
	}
	return nil
}

// writeTable aligns the columns of t, two spaces in.
func writeTable(w io.Writer, t report.Table) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = display.Printable(cell)
		}
		// The error, if any, stays in the writer and comes out of Flush.
		_, _ = fmt.Fprintln(aligned, "  "+strings.Join(cells, "\t"))
	}
	return aligned.Flush()
}

// fixed returns m with the given number of decimals, "-" when it is undefined.
// Very large and very small numbers are written with an exponent.
func fixed(m evaluate.Measure, decimals int) string {
	if !m.Defined() {
		return "-"
	}
	size := math.Abs(float64(m))
	if size >= 1e9 || (decimals > 0 && size > 0 && size < math.Pow10(-decimals)) {
		return strconv.FormatFloat(float64(m), 'e', 3, 64)
	}
	return strconv.FormatFloat(float64(m), 'f', decimals, 64)
}

// percent returns m as a percentage with two decimals, "-" when it is undefined.
func percent(m evaluate.Measure) string {
	if !m.Defined() {
		return "-"
	}
	return strconv.FormatFloat(100*float64(m), 'f', 2, 64) + " %"
}
