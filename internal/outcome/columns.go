package outcome

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// columnsOf returns the names of the columns that identify the configuration of a row of results.
// First come the parameters that the sweep varies, in its order, then the other numbers of the
// plan. If an asked value of a parameter is not what ran, there is a column for each.
func columnsOf(varied []sweep.Parameter, candidates []sweep.Candidate) []string {
	var out, ran []string
	for _, p := range varied {
		name := p.Name
		if slices.ContainsFunc(candidates, func(c sweep.Candidate) bool { return differs(&c, name) }) {
			if !slices.Contains(planColumns, name) {
				ran = append(ran, name)
			}
			name += askedEnd
		}
		out = append(out, name)
	}
	for _, name := range slices.Concat(planColumns, ran) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// askedEnd ends the name of the column for the asked values of a parameter. The column without this
// ending then says what ran.
const askedEnd = "-asked"

// planColumns are the columns of every table of results: their cells follow from the plan. The cells
// of ruledColumns do too, and are columns if they vary.
var (
	planColumns  = []string{"private", "epsilon", "delta", "method", "sampling-probability", "steps", "noise-multiplier", "clipping-norm", "learning-rate", "interactions", "calibrate"}
	ruledColumns = []string{"accounting", "center", "whiten"}
)

// differs reports whether a candidate ran another value of a parameter than its setting asked for. An
// asked epsilon is the limit that the run was planned for, and its own cell.
func differs(c *sweep.Candidate, name string) bool {
	asked := valueOf(c, name)
	if asked == "" || name == "epsilon" || !slices.Contains(planColumns, name) && !slices.Contains(ruledColumns, name) {
		return false
	}
	ran := planned(c, name, 0)
	a, failedA := strconv.ParseFloat(asked, 64)
	b, failedB := strconv.ParseFloat(ran, 64)
	switch {
	case failedA == nil && failedB == nil:
		return math.Abs(a-b) > 1e-9*math.Abs(a)
	case asked == "yes":
		return ran == "false" || ran == "no" || ran == ""
	case asked == "no":
		return ran != "false" && ran != asked
	}
	return asked != ran
}

// valueOf is the value of a varied parameter, "" where it is not among the settings of a candidate.
func valueOf(c *sweep.Candidate, name string) string {
	for _, s := range c.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// keyOf returns a key that differs between the candidates of a sweep.
func keyOf(settings []sweep.Setting, baseline bool) string {
	return fmt.Sprintf("%t%q", baseline, settings)
}

// cells are a candidate's cells of columns; rate is the learning rate that was used.
func cells(c *sweep.Candidate, columns []string, rate float64) []string {
	out := make([]string, len(columns))
	for i, name := range columns {
		v := valueOf(c, strings.TrimSuffix(name, askedEnd))
		if v == "" || slices.Contains(columns, name+askedEnd) {
			v = planned(c, name, rate)
		}
		out[i] = v
	}
	return out
}

// planned is the cell of a number of the plan, "" where the plan has none.
func planned(c *sweep.Candidate, name string, rate float64) string {
	switch name {
	case "private":
		return strconv.FormatBool(c.Certificate.Private)
	case "epsilon":
		return c.Certificate.Epsilon.Rounded()
	case "delta":
		return number(c.Certificate.Delta)
	case "method":
		return c.Certificate.Method
	case "interactions":
		return interactionsOf(c)
	case "calibrate":
		return strconv.FormatBool(calibrates(c))
	case "learning-rate":
		if rate == 0 { // before a run, and of one that diverged
			rate = max(c.Options.LearningRate, c.NetworkOptions.LearningRate)
		}
		if rate == 0 {
			return ""
		}
		return number(rate)
	case "accounting", "center", "whiten":
		return ruled(c, name)
	}
	return numberOf(c, name)
}

// ruled is the cell of what a rule of descent may choose, in words of the flag of this name.
func ruled(c *sweep.Candidate, name string) string {
	switch {
	case c.Linear == nil:
		return ""
	case name == "accounting" && c.Linear.Plan.LastIterate != nil:
		return option.AccountingLastIterate
	case name == "accounting":
		return option.AccountingComposition
	}
	for _, s := range c.Linear.Plan.Preparation {
		if name == "center" && s.Kind == option.MeanStatistic {
			return "yes"
		}
		if words := structures[s.Kind]; name == "whiten" && words != "" {
			return words
		}
	}
	return "no"
}

// structures has the structure of whitening that needs a statistic.
var structures = map[string]string{option.CovarianceStatistic: option.StructureFull, option.VarianceStatistic: option.StructureDiagonal, option.FrequencyStatistic: option.StructureFrequencies,
	option.ChannelStatistic: option.StructureKronecker, option.PlaceStatistic: option.StructureKronecker}

// interactionsOf returns what a run fits for columns and pairs, in words of the flag interactions. It
// adds the bins of a number in a pair or among coordinates if they are not the default.
func interactionsOf(c *sweep.Candidate) string {
	var setup train.Setup
	switch {
	case c.Linear != nil:
		setup = *c.Linear
	case c.Other != nil:
		setup.Features, setup.Schema = c.Other.Features, c.Other.Schema
	default:
		setup.Features, setup.Schema = c.Network.Features, c.Network.Schema
	}
	for _, spec := range setup.Features.Pipeline.Specs() {
		if spec.Name == "interactions" {
			return pairWords(spec.Parameters, setup.Schema.Target.Regression())
		}
	}
	return "none"
}

// pairBins and numberPairBins are the default bins of a number in a pair, if the target has levels or
// is a number. No default has more than mostNumberBins bins of a number alone, if the target is a number.
// Coordinates have pointBins bins by default.
const pairBins, numberPairBins, mostNumberBins, pointBins = 2, 8, 64, 64

// pairWords returns the pairs among the parameters of the transform interactions, in words of the flag.
func pairWords(parameters json.RawMessage, regression bool) string {
	var p struct {
		Pairs       json.RawMessage
		Alone       int `json:"bins"`
		Bins        int `json:"pair-bins"`
		Coordinates [][]string
		PointBins   int `json:"coordinate-bins"`
	}
	if json.Unmarshal(parameters, &p) != nil {
		return ""
	}
	var named [][]string
	var words string
	switch {
	case json.Unmarshal(p.Pairs, &named) == nil:
		for _, pair := range named {
			words = strings.TrimPrefix(words+","+strings.Join(pair, "*"), ",")
		}
	case json.Unmarshal(p.Pairs, &words) != nil || words == "none":
		return "bins"
	}
	var more []string
	if usual := map[bool]int{false: pairBins, true: numberPairBins}[regression]; p.Bins != 0 && p.Bins != usual {
		more = append(more, fmt.Sprint("pair-bins ", p.Bins))
	}
	if regression && p.Alone > mostNumberBins {
		more = append(more, fmt.Sprint("bins ", p.Alone))
	}
	for _, pair := range p.Coordinates {
		more = append(more, "coordinates "+strings.Join(pair, "*"))
	}
	if p.PointBins != 0 && p.PointBins != pointBins {
		more = append(more, fmt.Sprint("coordinate-bins ", p.PointBins))
	}
	if more == nil {
		return words
	}
	return words + " (" + strings.Join(more, ", ") + ")"
}

// calibrates reports whether a run corrects predictions.
func calibrates(c *sweep.Candidate) bool {
	return c.Linear != nil && c.Linear.Plan.Calibration != nil
}

// numberOf is the cell of a number of the plan of descent.
func numberOf(c *sweep.Candidate, name string) string {
	var share, steps, noise, norm float64
	switch {
	case c.Linear != nil:
		p := c.Linear.Plan
		share, steps, noise, norm = p.Share(), float64(p.Steps), p.NoiseMultiplier, p.Clipping.Norm
	case c.Network != nil:
		p := c.Network.Plan
		share, steps, noise, norm = p.Share(), float64(p.Steps), p.NoiseMultiplier, normOf(p.Clipping)
	}
	switch v := map[string]float64{"sampling-probability": share, "steps": steps, "noise-multiplier": noise, "clipping-norm": norm}[name]; {
	case c.Other != nil || v == 0 && name != "noise-multiplier":
		return ""
	default:
		return number(v)
	}
}

// normOf is the bound on a whole gradient that follows from the clipping norms of its groups.
func normOf(c neural.Clipping) float64 {
	square := 0.0
	for _, g := range c.Groups {
		square += g.Norm * g.Norm
	}
	return math.Sqrt(square)
}

// number prints a number with as many digits as it needs.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "infinity"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// writeResults writes the tidy table of a sweep as CSV, with a row for each run, which is one
// observation. Columns are the result of columnsOf, the repeat, whether the run diverged, and the
// metrics. Undefined values are empty cells. A cell that a spreadsheet would read as a formula
// begins with an apostrophe.
func writeResults(w io.Writer, varied []sweep.Parameter, candidates []sweep.Candidate, results []sweep.Measurement) error {
	columns, metrics := columnsOf(varied, candidates), metricNames(results)
	rows := [][]string{slices.Concat(columns, []string{"repeat", "diverged"}, metrics)}
	byKey := map[string]*sweep.Candidate{}
	for i := range candidates {
		byKey[keyOf(candidates[i].Settings, candidates[i].Baseline)] = &candidates[i]
	}
	for _, r := range results {
		c := byKey[keyOf(r.Settings, r.Baseline)]
		if c == nil {
			return fmt.Errorf("sweep: a result is of settings %v, want those of a candidate", r.Settings)
		}
		row := append(cells(c, columns, r.LearningRate), strconv.Itoa(r.Repeat), strconv.FormatBool(r.Diverged))
		for _, name := range metrics {
			row = append(row, number(r.Value(name)))
		}
		rows = append(rows, row)
	}
	return writeCSV(w, rows)
}

// writeSummary writes summaries as CSV: a row for each configuration and metric.
func writeSummary(w io.Writer, varied []sweep.Parameter, summaries []sweep.Summary) error {
	var candidates []sweep.Candidate
	for _, s := range summaries {
		candidates = append(candidates, *s.Candidate)
	}
	columns := columnsOf(varied, candidates)
	rows := [][]string{slices.Concat(columns, []string{"metric", "repeats", "diverged", "mean", "standard-deviation", "low", "high"})}
	for _, s := range summaries {
		row := append(cells(s.Candidate, columns, s.LearningRate), s.Metric, strconv.Itoa(s.Repeats), strconv.Itoa(s.Diverged))
		rows = append(rows, append(row, number(s.Mean), number(s.StandardDeviation), number(s.Low), number(s.High)))
	}
	return writeCSV(w, rows)
}

func writeCSV(w io.Writer, rows [][]string) error {
	for _, row := range rows {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				if _, err := strconv.ParseFloat(cell, 64); err != nil {
					row[i] = "'" + cell
				}
			}
		}
	}
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("sweep: the table cannot be written: %w", err)
	}
	return nil
}

// metricNames are the names of the metrics of results.
func metricNames(results []sweep.Measurement) []string {
	var out []string
	if len(results) > 0 {
		for _, m := range results[0].Metrics {
			out = append(out, m.Name)
		}
	}
	return out
}
