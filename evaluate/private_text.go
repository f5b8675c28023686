package evaluate

import (
	"fmt"
	"io"
	"strconv"
)

// intervalColumn heads the intervals.
const intervalColumn = "95 % interval"

// noiseColumns head the tables of estimates.
var noiseColumns = []string{"measure", "estimate", intervalColumn}

// percents writes an estimate of a share.
func (e Estimate) percents() []string { return e.cells(Measure.percent) }

// decimals writes an estimate with this many decimals.
func (e Estimate) decimals(n int) []string {
	return e.cells(func(m Measure) string { return m.fixed(n) })
}

// cells writes the value and the interval, "up to" its upper end where it has no lower one, and "-"
// where there is none. It writes the rate where that is not the one in the heading.
func (e Estimate) cells(write func(Measure) string) []string {
	from := write(e.Low) + " to "
	switch {
	case !e.High.Defined():
		return []string{write(e.Value), "-"}
	case !e.Low.Defined():
		from = "up to "
	}
	if len(e.Gap) > 0 {
		from += write(e.Gap[0]) + " or " + write(e.Gap[1]) + " to "
	}
	to := write(e.High)
	if e.Rate == rateAtLeast {
		to += " (" + string(e.Rate) + ")"
	}
	return []string{write(e.Value), from + to}
}

func row(name string, cells ...[]string) []string {
	out := []string{name}
	for _, c := range cells {
		out = append(out, c...)
	}
	return out
}

// withoutInterval ends the title of a table in which an interval is missing.
const withoutInterval = " (-: there is none of persons with several rows)"

// Tables returns the measures as tables; estimates stand next to their intervals, or "-" where
// there is none.
func (p Private) Tables() []Table {
	var tables []Table
	switch {
	case p.Classification != nil:
		tables = p.Classification.tables()
	case p.Regression != nil:
		tables = p.Regression.tables()
	}
	for i, t := range tables {
		if t.lacksInterval() {
			tables[i].Title += withoutInterval
		}
	}
	return tables
}

// lacksInterval reports whether an interval of the table is missing.
func (t Table) lacksInterval() bool {
	for _, cells := range t.Rows {
		for j, cell := range cells {
			if cell == "-" && t.Columns[j] == intervalColumn {
				return true
			}
		}
	}
	return false
}

// WriteText writes the tables, aligned for a terminal. Characters that a terminal could obey are replaced.
func (p Private) WriteText(w io.Writer) error { return writeTables(w, p.Tables()) }

func (c PrivateClassification) tables() []Table {
	headline := Table{Title: "All records, from one noisy release", Columns: noiseColumns, Rows: [][]string{
		row("records", c.Records.decimals(0)),
		row("accuracy", c.Accuracy.percents()),
		row("accuracy of the most frequent level", c.MajorityAccuracy.percents()),
	}}
	if c.AUC != nil {
		headline.Rows = append(headline.Rows, row("area under the curve", c.AUC.decimals(4)))
		headline.Rows = append(headline.Rows, []string{"most that bins may hide of the area", c.AUC.Resolution.fixed(4), ""})
	}
	byLevel := Table{Title: "By level", Columns: []string{"level", "precision", intervalColumn, "recall", intervalColumn}}
	for k, level := range c.Levels {
		byLevel.Rows = append(byLevel.Rows, row(level, c.Precision[k].percents(), c.Recall[k].percents()))
	}
	tables := []Table{headline, byLevel, c.confusionTable()}
	if c.BestAccuracy != nil {
		tables = append(tables, c.thresholdTable())
	}
	if len(c.Calibration) > 0 {
		tables = append(tables, c.calibrationTable())
	}
	if len(c.Groups) > 0 {
		tables = append(tables, c.groupTable())
	}
	return tables
}

func (c PrivateClassification) confusionTable() Table {
	t := Table{Title: "Noisy counts (rows: true level, columns: predicted level)", Columns: append([]string{""}, c.Levels...)}
	for k, level := range c.Levels {
		cells := []string{level}
		for _, v := range c.Confusion[k] {
			cells = append(cells, Measure(v).fixed(0))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (c PrivateClassification) thresholdTable() Table {
	threshold := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	return Table{Title: "Thresholds that would be best on these records", Columns: []string{"for", "threshold", "value"}, Rows: [][]string{
		{"accuracy", threshold(c.BestAccuracy.Threshold), c.BestAccuracy.Value.percent()},
		{"mean of the two recalls", threshold(c.BestBalanced.Threshold), c.BestBalanced.Value.percent()},
	}}
}

func (c PrivateClassification) calibrationTable() Table {
	share := "share of the predicted level"
	if len(c.Levels) == 2 {
		share = "share of " + c.Levels[1]
	}
	t := Table{Title: "Calibration", Columns: []string{"probability", "records", share, intervalColumn}}
	for _, b := range c.Calibration {
		t.Rows = append(t.Rows, row(fmt.Sprintf("%.4g to %.4g", b.Low, b.High), []string{b.Records.Value.fixed(0)}, b.Rate.percents()))
	}
	return t
}

func (c PrivateClassification) groupTable() Table {
	t := Table{Title: "By " + c.GroupColumn, Columns: []string{c.GroupColumn, "records", "accuracy", intervalColumn}}
	two := len(c.Levels) == 2
	if two {
		t.Columns = append(t.Columns, "true positives", intervalColumn, "false positives", intervalColumn, "area", intervalColumn)
	}
	for _, g := range c.Groups {
		cells := row(g.Level, []string{g.Records.Value.fixed(0)}, g.Accuracy.percents())
		if two {
			cells = row(g.Level, []string{g.Records.Value.fixed(0)}, g.Accuracy.percents(), g.TruePositiveRate.percents(), g.FalsePositiveRate.percents(), g.AUC.decimals(4))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (r PrivateRegression) tables() []Table {
	tables := []Table{{Title: "All records, from one noisy release", Columns: noiseColumns, Rows: [][]string{
		row("records", r.Records.decimals(0)),
		row("root mean squared error", r.RMSE.decimals(4)),
		row("mean absolute error", r.MAE.decimals(4)),
		row("R²", r.R2.decimals(4)),
	}}}
	if len(r.Groups) == 0 {
		return tables
	}
	t := Table{Title: "By " + r.GroupColumn, Columns: []string{r.GroupColumn, "records", "RMSE", intervalColumn, "MAE", intervalColumn, "R²", intervalColumn}}
	for _, g := range r.Groups {
		t.Rows = append(t.Rows, row(g.Level, []string{g.Records.Value.fixed(0)}, g.RMSE.decimals(4), g.MAE.decimals(4), g.R2.decimals(4)))
	}
	return append(tables, t)
}
