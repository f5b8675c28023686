package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Most curves and panels of a figure of a sweep.
const mostCurves, mostPanels = 8, 6

// logFrom is from which factor between the values of a parameter on its axis is logarithmic.
const logFrom = 10

// metricWords are the labels of metrics on an axis.
var metricWords = map[string]string{MetricAccuracy: "accuracy", MetricLogLoss: "log-loss, nats", MetricAUC: "area under the ROC curve", MetricR2: "R², share of the variance", MetricRMSE: "root mean squared error", MetricMAE: "mean absolute error"}

// words are a name as people write it.
func words(name string) string { return strings.ReplaceAll(name, "-", " ") }

// Figures draws summaries: each metric over each parameter that varies and is a number, a curve for each value of
// the next parameter and a panel for each combination of the others, with intervals; runs without privacy dashed.
// Where epsilon follows from other settings, it is drawn over each of them, and each metric over it. A figure has at
// most eight curves in a panel and six panels, those of the first values. The marked configuration, if there is one,
// has a ring in each panel that shows it.
func Figures(varied []Parameter, summaries []Summary, command string, marked Marked) []Figure {
	var out []Figure
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
	if len(metrics) > 0 && !slices.ContainsFunc(varied, func(p Parameter) bool { return p.Name == "epsilon" }) && epsilonVaries(summaries) {
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
	return slices.DeleteFunc(out, func(f Figure) bool { return len(f.Panels) == 0 })
}

// chart is one figure that is to be made: over a parameter, of a metric or of the price.
type chart struct {
	over      Parameter
	others    []Parameter
	summaries []Summary
	metric    string
	price     string // its label; "" for the metric
	marked    Marked
}

func (c chart) draw() Figure {
	what, label := c.metric, metricWords[c.metric]
	if c.price != "" {
		what, label = c.price, c.price+", nats"
	}
	f := Figure{Name: what + "-over-" + c.over.Name, Title: strings.Split(label, ",")[0] + " over " + words(c.over.Name)}
	levels, rest := [][]Setting{nil}, [][]Setting{nil}
	if len(c.others) > 0 {
		levels, _ = Combine(c.others[:1]) // which the sweep has combined before
		rest, _ = Combine(c.others[1:])
	}
	for _, more := range rest[:min(len(rest), mostPanels)] {
		p := Panel{Title: settingWords(more), X: axisOf(words(c.over.Name), c.over.Values), Y: Axis{Label: label}}
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
func (c chart) curve(fixed []Setting, name string) Series {
	s := Series{Name: name}
	for _, v := range c.over.Values {
		if found := find(c.summaries, append(slices.Clone(fixed), Setting{c.over.Name, v}), false); found != nil {
			s.Points = append(s.Points, c.point(found, v))
		}
	}
	return ascending(s)
}

func (c chart) point(s *Summary, x string) Point {
	at, err := strconv.ParseFloat(x, 64)
	if err != nil {
		at = nan
	}
	if c.price != "" {
		return Value(at, float64(s.Candidate.Certificate.Epsilon))
	}
	return pointOf(at, s)
}

// pointOf is a mean with its interval, if it has one.
func pointOf(x float64, s *Summary) Point {
	if math.IsNaN(s.Low) {
		return Value(x, s.Mean)
	}
	return Point{x, s.Mean, s.Low, s.High}
}

// baselines are the dashed curves: of each level that runs without privacy differ by.
func (c chart) baselines(levels [][]Setting, more []Setting) []Series {
	var out []Series
	for _, level := range levels[:min(len(levels), mostCurves)] {
		s := Series{Dashed: true}
		for _, v := range c.over.Values {
			if found := find(c.summaries, append(slices.Concat(level, more), Setting{c.over.Name, v}), true); found != nil {
				p := c.point(found, v)
				s.Points, s.Name = append(s.Points, Value(p.X, p.Y)), found.Candidate.Words()
			}
		}
		if len(s.Points) == 0 {
			continue
		}
		s.Name = "without privacy"
		if words := settingWords(level); words != "" && len(c.others) > 0 && hasBaselineLevel(c.summaries, c.others[0].Name) {
			s.Name += ", " + words
		}
		if !slices.ContainsFunc(out, func(o Series) bool { return o.Name == s.Name }) {
			out = append(out, ascending(s))
		}
	}
	return out
}

// hasBaselineLevel reports whether runs without privacy differ by a parameter.
func hasBaselineLevel(summaries []Summary, name string) bool {
	return slices.ContainsFunc(summaries, func(s Summary) bool { return s.Candidate.Baseline && s.Candidate.Value(name) != "" })
}

// find returns the summary of a configuration; one without privacy is found by those of the settings that it has.
func find(summaries []Summary, settings []Setting, baseline bool) *Summary {
	for i := range summaries {
		c := summaries[i].Candidate
		if c.Baseline != baseline || !baseline && len(c.Settings) != len(settings) {
			continue
		}
		if !slices.ContainsFunc(c.Settings, func(s Setting) bool { return !slices.Contains(settings, s) }) {
			return &summaries[i]
		}
	}
	return nil
}

// overEpsilon draws a metric over the price of each configuration.
func overEpsilon(summaries []Summary, metric string, marked Marked) Figure {
	s := Series{Name: "configurations", Scattered: true}
	var prices []string
	var marks []Mark
	for i := range summaries {
		if c := summaries[i].Candidate; !c.Baseline {
			s.Points = append(s.Points, pointOf(float64(c.Certificate.Epsilon), &summaries[i]))
			prices = append(prices, number(float64(c.Certificate.Epsilon)))
			if c == marked.Candidate {
				marks = []Mark{{s.Points[len(s.Points)-1].X, summaries[i].Mean, marked.text()}}
			}
		}
	}
	p := Panel{X: axisOf("epsilon, nats", prices), Y: Axis{Label: metricWords[metric]}, Series: []Series{ascending(s)}, Marks: marks}
	p.Series = append(p.Series, dashedMean(summaries, s)...)
	return Figure{Name: metric + "-over-epsilon", Title: words(metric) + " over epsilon", Panels: []Panel{p}}
}

// dashedMean is the best of the runs without privacy, from end to end.
func dashedMean(summaries []Summary, across Series) []Series {
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
	return []Series{{Name: "without privacy", Dashed: true, Points: []Point{Value(low, best), Value(high, best)}}}
}

// epsilonVaries reports whether private configurations cost differently, beyond what calibration leaves.
func epsilonVaries(summaries []Summary) bool {
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
func axisOf(label string, values []string) Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, text := range values {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			low, high = min(low, v), max(high, v)
		}
	}
	if label == "epsilon" {
		label = "epsilon, nats"
	}
	return Axis{Label: label, Log: low > 0 && high >= logFrom*low}
}

// ascending puts points in the order of X.
func ascending(s Series) Series {
	slices.SortStableFunc(s.Points, func(a, b Point) int {
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
func isNumeric(p Parameter) bool {
	for _, v := range p.Values {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return false
		}
	}
	return len(p.Values) > 1
}

func without(varied []Parameter, name string) []Parameter {
	return slices.DeleteFunc(slices.Clone(varied), func(p Parameter) bool { return p.Name == name })
}

// of are the summaries of one metric.
func of(summaries []Summary, metric string) []Summary {
	return slices.DeleteFunc(slices.Clone(summaries), func(s Summary) bool { return s.Metric != metric })
}

// settingWords names settings.
func settingWords(settings []Setting) string {
	parts := make([]string, len(settings))
	for i, s := range settings {
		parts[i] = words(s.Name) + " " + s.Value
	}
	return strings.Join(parts, ", ")
}
