package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/outcome"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/sweep"
)

// sweepFlag names the folder of a sweep whose curve the page of a run shows.
const sweepFlag = "sweep"

// maxSweepSummary bounds the summary of a sweep.
const maxSweepSummary = 64 << 20

// maxSweepLevels bounds the levels of a target in a summary.
const maxSweepLevels = 1 << 20

// Curve is a finished sweep on public records. Only on public records is a curve of accuracy over
// epsilon free. Each point is a measured run, which on a private table would have to be paid for.
type Curve struct {
	document outcome.Document
	metric   string
	drawn    figure.Figure // of the metric over epsilon
	methods  []string      // of its private runs
	deltas   []float64
}

// ReadCurve reads the folder of a finished sweep. It refuses a sweep that does not declare itself
// public, and one whose runs have the same epsilon. The declaration is like that of --data-public:
// nobody can check it.
func ReadCurve(folder string) (*Curve, error) {
	d, err := readSweepDocument(folder)
	if err != nil {
		return nil, err
	}
	if !d.Public || d.Target == nil {
		return nil, fmt.Errorf("--%s %s: %s does not say that the sweep was on public records, want one that does (a built-in table, or --data-public): on private records each point of the curve is a release, whose cost this run's guarantee does not cover; a sweep of an earlier version is to be run again", sweepFlag, folder, outcome.DocumentName)
	}
	p := &Curve{document: d, metric: option.MetricAccuracy}
	if d.Target.Levels == 0 {
		p.metric = option.MetricR2
	}
	summaries := p.summaries()
	// There is a figure over epsilon if epsilon varies, by itself or with settings that decide it.
	for _, f := range outcome.Figures(d.Varied, summaries, d.Command, outcome.Marked{}) {
		if f.Name == p.metric+"-over-epsilon" && drawnPoints(f) > 1 {
			p.drawn = f
			return p, nil
		}
	}
	return nil, fmt.Errorf("--%s %s: its runs have no %s at two values of epsilon, want a curve over epsilon, as dither sweep --epsilon 0.1,0.3,1,3 makes", sweepFlag, folder, outcome.MetricName(p.metric))
}

// readSweepDocument reads Summary.json of a folder.
func readSweepDocument(folder string) (d outcome.Document, err error) {
	path := filepath.Join(folder, outcome.DocumentName)
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, fmt.Errorf("--%s is %q, where there is no %s, want the folder of a finished dither sweep", sweepFlag, folder, outcome.DocumentName)
	case err != nil:
		return d, fmt.Errorf("--%s: %s cannot be read: %w", sweepFlag, path, display.Pathless(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSweepSummary+1))
	if err != nil || len(text) > maxSweepSummary {
		return d, fmt.Errorf("--%s: %s cannot be read or has more than %s, want a file that dither sweep wrote", sweepFlag, path, display.Size(maxSweepSummary))
	}
	if err = json.Unmarshal(text, &d); err != nil || d.Target != nil && (d.Target.Levels < 0 || d.Target.Levels > maxSweepLevels) {
		return d, fmt.Errorf("--%s: %s is not what dither sweep writes, want its Summary as it was written", sweepFlag, path)
	}
	return d, nil
}

// summaries returns the summaries of the metric. It also records the methods and deltas of private
// runs.
func (p *Curve) summaries() []sweep.Summary {
	var out []sweep.Summary
	for _, row := range p.document.Summaries {
		if row.Metric != p.metric {
			continue
		}
		c := &sweep.Candidate{Settings: row.Settings, Baseline: !row.Private, Certificate: certificate.Certificate{Private: row.Private, Epsilon: row.Epsilon, Delta: row.Delta}}
		out = append(out, sweep.Summary{Candidate: c, Metric: row.Metric, Repeats: row.Repeats,
			Mean: float64(row.Mean), StandardDeviation: float64(row.StandardDeviation), Low: float64(row.Low),
			High: float64(row.High)})
		if row.Private {
			p.methods, p.deltas = append(p.methods, row.Method), append(p.deltas, row.Delta)
		}
	}
	slices.Sort(p.methods)
	slices.Sort(p.deltas)
	p.methods, p.deltas = slices.Compact(p.methods), slices.Compact(p.deltas)
	return out
}

// drawnPoints counts the places on the axis at which measured curves of a figure have points.
func drawnPoints(f figure.Figure) int {
	places := map[float64]bool{}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, at := range s.Points {
				if !s.Dashed && at.Y-at.Y == 0 && at.X-at.X == 0 {
					places[at.X] = true
				}
			}
		}
	}
	return len(places)
}

// tradeoff returns the page's part about accuracy and privacy, or nil. It is the curve of the sweep
// with the epsilon of this run. Without a sweep it describes how to make one, if the run's own
// table is public.
func (r *Run) tradeoff(c certificate.Certificate, s Summary) *report.Tradeoff {
	switch {
	case r.Curve != nil:
		return r.Curve.tradeoff(r, c, s)
	case r.Tables.Builtin && c.Private:
		command := "dither sweep "
		if r.Tables.Argument != "" {
			command += "--data " + display.Quoted(r.Tables.Argument) + " "
		}
		return &report.Tradeoff{Words: []string{"How accurate models are at other budgets takes other runs to tell. This table is public, so they may be made and shown; the second command draws their curve here, with this run's epsilon on it."},
			Commands: []string{command + "--epsilon 0.1,0.3,1,3,10 --repeats 5 --baseline", "dither train --sweep " + outcome.DefaultFolder}}
	}
	return nil
}

// tradeoff draws the curve for the page of a run.
func (p *Curve) tradeoff(f *Run, c certificate.Certificate, s Summary) *report.Tradeoff {
	d, own := p.document, float64(c.Epsilon)
	source, other := outcome.BaseName(d.Table), " This model was trained on another table."
	if source == f.Tables.Name {
		other = ""
	}
	out := &report.Tradeoff{Warnings: p.differences(f, c)}
	out.Words = []string{fmt.Sprintf("The curve is of the public table %s of %d rows: it was measured on %s, in %s of each configuration.%s Nothing public can draw it for private records, since each of its points would be a release of its own. What a budget buys depends on the table, above all on how many rows it has: twice the rows need about half the epsilon for the same noise in the mean.",
		source, d.Records, d.Measured, display.Count(d.Repeats, "run"), other)}
	drawn := p.drawn
	drawn.Title += ", of the table " + source
	drawn.Panels = slices.Clone(drawn.Panels)
	value, where := p.measured(s)
	for i := range drawn.Panels {
		panel := &drawn.Panels[i]
		if c.Private && !math.IsInf(own, 1) {
			panel.Series = append(slices.Clone(panel.Series), upright(*panel, own))
		}
		if value-value == 0 && c.Private {
			panel.Marks = []figure.Mark{{X: own, Y: value, Text: "this run, " + strconv.FormatFloat(value, 'f', 4, 64)}}
		}
	}
	if value-value == 0 && c.Private {
		out.Words = append(out.Words, fmt.Sprintf("The ring is this run: epsilon %s and %s %.4f, on %s.", certificate.Epsilon(own).Rounded(), outcome.MetricName(p.metric), value, where))
	}
	if !c.Private {
		out.Words = append(out.Words, "This run has no privacy, so that it has no place on the axis.")
	}
	out.Figures = []figure.Figure{drawn}
	return out
}

// upright returns a dashed line at an epsilon, as high as everything else in a panel.
func upright(p figure.Panel, epsilon float64) figure.Series {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, at := range s.Points {
			if at.Y-at.Y == 0 {
				low, high = min(low, at.Y, at.Low), max(high, at.Y, at.High)
			}
		}
	}
	return figure.Series{Name: "the epsilon of this run, " + certificate.Epsilon(epsilon).Rounded(), Dashed: true, Points: []figure.Point{figure.Value(epsilon, low), figure.Value(epsilon, high)}}
}

// measured returns the sweep's metric for this run, and the records that it was measured on. It is
// undefined unless it is public or was paid for.
func (p *Curve) measured(s Summary) (value float64, where string) {
	switch {
	case p.metric == option.MetricAccuracy && s.Class != nil:
		return float64(s.Class.Accuracy), s.TestSet
	case p.metric == option.MetricR2 && s.Value != nil:
		return float64(s.Value.R2), s.TestSet
	case p.metric == option.MetricAccuracy && s.Holdout != nil && s.Holdout.Classification != nil:
		return paidFor(s.Holdout.Classification.Accuracy)
	case p.metric == option.MetricR2 && s.Holdout != nil && s.Holdout.Regression != nil:
		return paidFor(s.Holdout.Regression.R2)
	}
	return math.NaN(), ""
}

// paidFor returns a measure on held-out records with its interval.
func paidFor(e evaluate.Estimate) (value float64, where string) {
	return float64(e.Value), fmt.Sprintf("held-out records, by a noisy release that the guarantee covers (interval %.4f to %.4f)", float64(e.Low), float64(e.High))
}

// differences describes how the runs of the sweep differ from this one.
func (p *Curve) differences(f *Run, c certificate.Certificate) []string {
	var out []string
	note := func(format string, values ...any) { out = append(out, fmt.Sprintf(format, values...)) }
	if now, then := kindOf(f.Tables.Schema.Target), kindOf(data.Target{Levels: make([]string, p.document.Target.Levels)}); now != then {
		note("The sweep measured %s of models of %s, and this is a model of %s: the curve says next to nothing about it.", outcome.MetricName(p.metric), then, now)
	}
	if !slices.Contains(p.methods, c.Method) {
		note("The sweep trained by %s, and this run by %s.", strings.Join(p.methods, ", "), c.Method)
	}
	if len(p.deltas) != 1 || p.deltas[0] != c.Delta {
		note("The sweep has its epsilons at delta %s, and this run at delta %g.", numbersText(p.deltas), c.Delta)
	}
	if then := p.document.Cost.Neighboring; then != c.Neighboring.String() {
		note("The sweep counts neighbors by %s, and this run by %s.", then, c.Neighboring)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, panel := range p.drawn.Panels {
		for _, s := range panel.Series {
			for _, at := range s.Points {
				low, high = min(low, at.X), max(high, at.X)
			}
		}
	}
	if own := float64(c.Epsilon); c.Private && (own < low*(1-1e-2) || own > high*(1+1e-2)) {
		note("The sweep goes from epsilon %.4g to %.4g; this run lies outside.", low, high)
	}
	return out
}

// kindOf names the predictions of models of a target.
func kindOf(t data.Target) string {
	if len(t.Levels) == 0 {
		return "a number"
	}
	return fmt.Sprintf("one of %d levels", len(t.Levels))
}

func numbersText(values []float64) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(parts, ", ")
}
