package measures

import (
	"fmt"
	"strconv"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/report"
)

// intervalColumn heads the intervals, which hold their numbers at the rate intervalRate unless they say another.
const (
	intervalRate   = "95 %"
	intervalColumn = intervalRate + " interval"
)

// noiseColumns head the tables of estimates.
var noiseColumns = []string{"measure", "estimate", intervalColumn}

// percents writes an estimate of a share.
func percents(e evaluate.Estimate) []string { return cells(e, percent) }

// decimals writes an estimate with this many decimals.
func decimals(e evaluate.Estimate, n int) []string {
	return cells(e, func(m evaluate.Measure) string { return fixed(m, n) })
}

// cells writes the value and the interval, "up to" its upper end where it has no lower one, and "-"
// where there is none. It writes the rate where that is not the one in the heading.
func cells(e evaluate.Estimate, write func(evaluate.Measure) string) []string {
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
	if e.Rate != "" && e.Rate != intervalRate {
		to += " (" + e.Rate + ")"
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

// privateTables returns the measures as tables; estimates stand next to their intervals, or "-" where
// there is none.
func privateTables(p evaluate.Private) []report.Table {
	var tables []report.Table
	switch {
	case p.Classification != nil:
		tables = privateClassTables(p.Classification)
	case p.Regression != nil:
		tables = privateRegressionTables(p.Regression)
	}
	for i, t := range tables {
		if lacksInterval(t) {
			tables[i].Title += withoutInterval
		}
	}
	return tables
}

// lacksInterval reports whether an interval of the table is missing.
func lacksInterval(t report.Table) bool {
	for _, cells := range t.Rows {
		for j, cell := range cells {
			if cell == "-" && t.Columns[j] == intervalColumn {
				return true
			}
		}
	}
	return false
}

func privateClassTables(c *evaluate.PrivateClassification) []report.Table {
	headline := report.Table{Title: "All records, from one noisy release", Columns: noiseColumns, Rows: [][]string{
		row("records", decimals(c.Records, 0)),
		row("accuracy", percents(c.Accuracy)),
		row("accuracy of the most frequent level", percents(c.MajorityAccuracy)),
	}}
	if c.AUC != nil {
		headline.Rows = append(headline.Rows, row("area under the curve", decimals(c.AUC.Estimate, 4)))
		headline.Rows = append(headline.Rows, []string{"most that bins may hide of the area", fixed(c.AUC.Resolution, 4), ""})
	}
	if c.AveragePrecision != nil {
		headline.Rows = append(headline.Rows, row("average precision", decimals(*c.AveragePrecision, 4)))
	}
	if c.CalibrationError != nil {
		headline.Rows = append(headline.Rows, row("calibration error", decimals(*c.CalibrationError, 4)))
	}
	byLevel := report.Table{Title: "By level", Columns: []string{"level", "precision", intervalColumn, "recall", intervalColumn}}
	for k, level := range c.Levels {
		byLevel.Rows = append(byLevel.Rows, row(level, percents(c.Precision[k]), percents(c.Recall[k])))
	}
	tables := []report.Table{headline, byLevel, privateConfusion(c)}
	if c.BestAccuracy != nil {
		tables = append(tables, privateThresholds(c))
	}
	if len(c.Calibration) > 0 {
		tables = append(tables, privateCalibration(c))
	}
	if len(c.Groups) > 0 {
		tables = append(tables, privateGroups(c))
	}
	return tables
}

func privateConfusion(c *evaluate.PrivateClassification) report.Table {
	t := report.Table{Title: "Noisy counts (rows: true level, columns: predicted level)", Columns: append([]string{""}, c.Levels...)}
	for k, level := range c.Levels {
		cells := []string{level}
		for _, v := range c.Confusion[k] {
			cells = append(cells, fixed(evaluate.Measure(v), 0))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func privateThresholds(c *evaluate.PrivateClassification) report.Table {
	threshold := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	return report.Table{Title: "Thresholds that would be best on these records", Columns: []string{"for", "threshold", "value"}, Rows: [][]string{
		{"accuracy", threshold(c.BestAccuracy.Threshold), percent(c.BestAccuracy.Value)},
		{"mean of the two recalls", threshold(c.BestBalanced.Threshold), percent(c.BestBalanced.Value)},
	}}
}

func privateCalibration(c *evaluate.PrivateClassification) report.Table {
	share := "share of the predicted level"
	if len(c.Levels) == 2 {
		share = "share of " + c.Levels[1]
	}
	t := report.Table{Title: "Calibration", Folded: true, Columns: []string{"probability", "records", share, intervalColumn}}
	for _, b := range c.Calibration {
		t.Rows = append(t.Rows, row(fmt.Sprintf("%.4g to %.4g", b.Low, b.High), []string{fixed(b.Records.Value, 0)}, percents(b.Rate)))
	}
	return t
}

func privateGroups(c *evaluate.PrivateClassification) report.Table {
	t := report.Table{Title: "By " + c.GroupColumn, Columns: []string{c.GroupColumn, "records", "accuracy", intervalColumn}}
	two := len(c.Levels) == 2
	if two {
		t.Columns = append(t.Columns, "true positives", intervalColumn, "false positives", intervalColumn, "area", intervalColumn)
	}
	for _, g := range c.Groups {
		cells := row(g.Level, []string{fixed(g.Records.Value, 0)}, percents(g.Accuracy))
		if two {
			cells = row(g.Level, []string{fixed(g.Records.Value, 0)}, percents(g.Accuracy), percents(*g.TruePositiveRate), percents(*g.FalsePositiveRate), decimals(*g.AUC, 4))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func privateRegressionTables(r *evaluate.PrivateRegression) []report.Table {
	tables := []report.Table{{Title: "All records, from one noisy release", Columns: noiseColumns, Rows: [][]string{
		row("records", decimals(r.Records, 0)),
		row("root mean squared error", decimals(r.RMSE, 4)),
		row("mean absolute error", decimals(r.MAE, 4)),
		row("R²", decimals(r.R2, 4)),
	}}}
	if len(r.Groups) == 0 {
		return tables
	}
	t := report.Table{Title: "By " + r.GroupColumn, Columns: []string{r.GroupColumn, "records", "RMSE", intervalColumn, "MAE", intervalColumn, "R²", intervalColumn}}
	for _, g := range r.Groups {
		t.Rows = append(t.Rows, row(g.Level, []string{fixed(g.Records.Value, 0)}, decimals(g.RMSE, 4), decimals(g.MAE, 4), decimals(g.R2, 4)))
	}
	return append(tables, t)
}
