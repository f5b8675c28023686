package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/sweep"
)

// markNone is the value of --mark that marks nothing.
const markNone = "none"

// markSettings reads --mark NAME=VALUE,…, of settings that vary.
func (s *sweepCommand) markSettings(p *sweepPlan) ([]sweep.Setting, error) {
	var out []sweep.Setting
	for part := range strings.SplitSeq(s.mark, ",") {
		name, value, has := strings.Cut(strings.TrimSpace(part), "=")
		one := sweep.Setting{Name: strings.ReplaceAll(strings.TrimSpace(name), " ", "-"), Value: strings.TrimSpace(value)}
		if !has && len(out) > 0 { // a value with commas of its own
			out[len(out)-1].Value += "," + strings.TrimSpace(part)
			continue
		}
		if !has || !p.varies(one.Name) {
			return nil, fmt.Errorf("--mark is %q, want values of settings that vary, such as %s, or %s", s.mark, markExample(p), markNone)
		}
		out = append(out, one)
	}
	return out, nil
}

// markExample is a value of --mark for this sweep.
func markExample(p *sweepPlan) string {
	var parts []string
	for _, v := range p.varied {
		parts = append(parts, v.Name+"="+v.Values[0])
	}
	if len(parts) == 0 {
		return "epsilon=1 where epsilon varies"
	}
	return strings.Join(parts, ",")
}

// checkMark settles what --mark asks for before anything runs.
func (s *sweepCommand) checkMark(p *sweepPlan) error {
	if s.mark == "" || s.mark == markNone {
		return nil
	}
	settings, err := s.markSettings(p)
	if err != nil {
		return err
	}
	chosen, err := sweep.Choose(p.candidates, settings)
	if err != nil {
		return fmt.Errorf("--mark: %s", strings.TrimPrefix(err.Error(), "sweep: "))
	}
	p.marked = sweep.Marked{Candidate: chosen, Why: "the choice that --mark names"}
	return nil
}

// marked is the configuration that figures, page and terminal point out: the one of --mark, or by the rule of one standard error
// of the most telling metric. Where nothing varies there is none.
func (s *sweepCommand) marked(p *sweepPlan, summaries []sweep.Summary) sweep.Marked {
	if p.marked.Candidate != nil || s.mark == markNone || len(p.varied) == 0 {
		return p.marked
	}
	metric := sweep.Metrics(p.source.schema.Target)[0]
	out := sweep.Near(slices.DeleteFunc(slices.Clone(summaries), func(s sweep.Summary) bool { return s.Metric != metric }))
	out.Why += " " + metricName(metric)
	return out
}

// metricName is a metric within a sentence.
func metricName(metric string) string {
	if metric == sweep.MetricR2 {
		return "R²"
	}
	return metric
}

// markedWords say which configuration is marked and why, "" for none.
func markedWords(m sweep.Marked) string {
	if m.Candidate == nil {
		return ""
	}
	return m.Candidate.Words() + ": " + m.Why
}
