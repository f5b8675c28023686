package outcome

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/sweep"
)

// Most curves and panels of a figure of a sweep.
const mostCurves, mostPanels = 8, 6

// logFrom is the ratio of the values of a parameter from which its axis is logarithmic.
const logFrom = 10

// metricWords are the labels of metrics on an axis.
var metricWords = map[string]string{option.MetricAccuracy: "accuracy", "log-loss": "log-loss, nats", option.MetricAUC: "area under the ROC curve", option.MetricR2: "R², share of the variance", "rmse": "root mean squared error", "mae": "mean absolute error"}

// words are a name as people write it.
func words(name string) string { return strings.ReplaceAll(name, "-", " ") }

// Figures returns the figures of summaries. A figure shows a metric over a parameter that varies
// and is a number, with intervals. It has a curve for each value of the next parameter, and a panel
// for each combination of the others. Runs without privacy are dashed. Where epsilon follows from
// other settings, it is drawn over each of them, and each metric over epsilon. A figure has at most
// eight curves in a panel and six panels, for the first values. The marked configuration has a ring
// in each panel that shows it.
func Figures(varied []sweep.Parameter, summaries []sweep.Summary, command string, marked Marked) []figure.Figure {
	var out []figure.Figure
	metrics := []string{}
	for _, s := range summaries {
		if !slices.Contains(metrics, s.Metric) {
			metrics = append(metrics, s.Metric)
		}
	}
	for _, metric := range metrics {
		for _, p := range varied {
			if isNumeric(p) {
				out = append(out, chart{p, without(varied, p.Name), of(summaries, metric), metric, "", marked}.draw())
			}
		}
	}
	if len(metrics) > 0 && !slices.ContainsFunc(varied, func(p sweep.Parameter) bool { return p.Name == "epsilon" }) && epsilonVaries(summaries) {
		out = append(out, overEpsilon(of(summaries, metrics[0]), metrics[0], marked))
		for _, p := range varied {
			if isNumeric(p) {
				out = append(out, chart{p, without(varied, p.Name), of(summaries, metrics[0]), "", "epsilon", marked}.draw())
			}
		}
	}
	for i := range out {
		out[i].Command = command
	}
	return slices.DeleteFunc(out, func(f figure.Figure) bool { return len(f.Panels) == 0 })
}

// chart is one figure that is to be made: over a parameter, of a metric or of the price.
type chart struct {
	over      sweep.Parameter
	others    []sweep.Parameter
	summaries []sweep.Summary
	metric    string
	price     string // its label; "" for the metric
	marked    Marked
}

func (c chart) draw() figure.Figure {
	what, label := c.metric, metricWords[c.metric]
	if c.price != "" {
		what, label = c.price, c.price+", nats"
	}
	f := figure.Figure{Name: what + "-over-" + c.over.Name, Title: strings.Split(label, ",")[0] + " over " + words(c.over.Name)}
	levels, rest := [][]sweep.Setting{nil}, [][]sweep.Setting{nil}
	if len(c.others) > 0 {
		levels, _ = sweep.Combine(c.others[:1]) // which the sweep has combined before
		rest, _ = sweep.Combine(c.others[1:])
	}
	for _, more := range rest[:min(len(rest), mostPanels)] {
		p := figure.Panel{Title: settingWords(more), X: axisOf(words(c.over.Name), c.over.Values), Y: figure.Axis{Label: label}}
		for _, level := range levels[:min(len(levels), mostCurves)] {
			name := settingWords(level)
			if name == "" {
				name = "with privacy"
			}
			if s := c.curve(slices.Concat(level, more), name); len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		if c.price == "" {
			p.Series = append(p.Series, c.baselines(levels, more)...)
		}
		if len(p.Series) > 0 {
			p.Marks = c.mark(more)
			f.Panels = append(f.Panels, p)
		}
	}
	return f
}

// curve is the measured curve with these other settings.
func (c chart) curve(fixed []sweep.Setting, name string) figure.Series {
	s := figure.Series{Name: name}
	for _, v := range c.over.Values {
		if found := find(c.summaries, append(slices.Clone(fixed), sweep.Setting{Name: c.over.Name, Value: v}), false); found != nil {
			s.Points = append(s.Points, c.point(found, v))
		}
	}
	return ascending(s)
}

func (c chart) point(s *sweep.Summary, x string) figure.Point {
	at, err := strconv.ParseFloat(x, 64)
	if err != nil {
		at = math.NaN()
	}
	if c.price != "" {
		return figure.Value(at, float64(s.Candidate.Certificate.Epsilon))
	}
	return pointOf(at, s)
}

// pointOf is a mean with its interval, if it has one.
func pointOf(x float64, s *sweep.Summary) figure.Point {
	if math.IsNaN(s.Low) {
		return figure.Value(x, s.Mean)
	}
	return figure.Point{X: x, Y: s.Mean, Low: s.Low, High: s.High}
}

// baselines are the dashed curves: of each level that runs without privacy differ by.
func (c chart) baselines(levels [][]sweep.Setting, more []sweep.Setting) []figure.Series {
	var out []figure.Series
	for _, level := range levels[:min(len(levels), mostCurves)] {
		s := figure.Series{Dashed: true}
		for _, v := range c.over.Values {
			if found := find(c.summaries, append(slices.Concat(level, more), sweep.Setting{Name: c.over.Name, Value: v}), true); found != nil {
				p := c.point(found, v)
				s.Points, s.Name = append(s.Points, figure.Value(p.X, p.Y)), found.Candidate.Words()
			}
		}
		if len(s.Points) == 0 {
			continue
		}
		s.Name = "without privacy"
		if words := settingWords(level); words != "" && len(c.others) > 0 && hasBaselineLevel(c.summaries, c.others[0].Name) {
			s.Name += ", " + words
		}
		if !slices.ContainsFunc(out, func(o figure.Series) bool { return o.Name == s.Name }) {
			out = append(out, ascending(s))
		}
	}
	return out
}

// hasBaselineLevel reports whether runs without privacy differ by a parameter.
func hasBaselineLevel(summaries []sweep.Summary, name string) bool {
	return slices.ContainsFunc(summaries, func(s sweep.Summary) bool { return s.Candidate.Baseline && valueOf(s.Candidate, name) != "" })
}

// find returns the summary of a configuration. A configuration without privacy is found by the
// settings that it has.
func find(summaries []sweep.Summary, settings []sweep.Setting, baseline bool) *sweep.Summary {
	for i := range summaries {
		c := summaries[i].Candidate
		if c.Baseline != baseline || !baseline && len(c.Settings) != len(settings) {
			continue
		}
		if !slices.ContainsFunc(c.Settings, func(s sweep.Setting) bool { return !slices.Contains(settings, s) }) {
			return &summaries[i]
		}
	}
	return nil
}

// overEpsilon draws a metric over the price of each configuration.
func overEpsilon(summaries []sweep.Summary, metric string, marked Marked) figure.Figure {
	s := figure.Series{Name: "configurations", Scattered: true}
	var prices []string
	var marks []figure.Mark
	for i := range summaries {
		if c := summaries[i].Candidate; !c.Baseline {
			s.Points = append(s.Points, pointOf(float64(c.Certificate.Epsilon), &summaries[i]))
			prices = append(prices, number(float64(c.Certificate.Epsilon)))
			if c == marked.Candidate {
				marks = []figure.Mark{{X: s.Points[len(s.Points)-1].X, Y: summaries[i].Mean, Text: marked.text()}}
			}
		}
	}
	p := figure.Panel{X: axisOf("epsilon, nats", prices), Y: figure.Axis{Label: metricWords[metric]}, Series: []figure.Series{ascending(s)}, Marks: marks}
	p.Series = append(p.Series, dashedMean(summaries, s)...)
	return figure.Figure{Name: metric + "-over-epsilon", Title: words(metric) + " over epsilon", Panels: []figure.Panel{p}}
}

// dashedMean is the best of the runs without privacy, from end to end.
func dashedMean(summaries []sweep.Summary, across figure.Series) []figure.Series {
	best, has := math.Inf(-1), false
	for _, s := range summaries {
		if s.Candidate.Baseline && s.Mean > best {
			best, has = s.Mean, true
		}
	}
	if !has || len(across.Points) == 0 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range across.Points {
		low, high = min(low, p.X), max(high, p.X)
	}
	return []figure.Series{{Name: "without privacy", Dashed: true, Points: []figure.Point{figure.Value(low, best), figure.Value(high, best)}}}
}

// epsilonVaries reports whether private configurations cost differently, beyond the error of
// calibration.
func epsilonVaries(summaries []sweep.Summary) bool {
	low, high := math.Inf(1), 0.0
	for _, s := range summaries {
		if !s.Candidate.Baseline && s.Candidate.Certificate.Private {
			e := float64(s.Candidate.Certificate.Epsilon)
			low, high = min(low, e), max(high, e)
		}
	}
	return high > low*(1+1e-2)
}

// axisOf is the axis of numbers.
func axisOf(label string, values []string) figure.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, text := range values {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			low, high = min(low, v), max(high, v)
		}
	}
	if label == "epsilon" {
		label = "epsilon, nats"
	}
	return figure.Axis{Label: label, Log: low > 0 && high >= logFrom*low}
}

// ascending puts points in the order of X.
func ascending(s figure.Series) figure.Series {
	slices.SortStableFunc(s.Points, func(a, b figure.Point) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	return s
}

// isNumeric reports whether all values of a parameter are numbers, and at least two.
func isNumeric(p sweep.Parameter) bool {
	for _, v := range p.Values {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return false
		}
	}
	return len(p.Values) > 1
}

func without(varied []sweep.Parameter, name string) []sweep.Parameter {
	return slices.DeleteFunc(slices.Clone(varied), func(p sweep.Parameter) bool { return p.Name == name })
}

// of are the summaries of one metric.
func of(summaries []sweep.Summary, metric string) []sweep.Summary {
	return slices.DeleteFunc(slices.Clone(summaries), func(s sweep.Summary) bool { return s.Metric != metric })
}

// settingWords names settings.
func settingWords(settings []sweep.Setting) string {
	parts := make([]string, len(settings))
	for i, s := range settings {
		parts[i] = words(s.Name) + " " + s.Value
	}
	return strings.Join(parts, ", ")
}
