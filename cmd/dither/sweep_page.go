package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/report"
	"github.com/ditherml/dither/sweep"
)

// writePage writes the page of a sweep: figures, table, what all runs cost, and how to run it again.
func (s *sweepCommand) writePage(w io.Writer, p *sweepPlan, summaries []sweep.Summary, figures []sweep.Figure) error {
	rows := s.table(p, summaries)
	d := report.Document{
		Title: "Models of " + p.source.schema.Target.Column + ", " + variedWords(p.varied),
		Lead: []string{p.notice(), fmt.Sprintf("Trained on %s and measured on %s: %s of each of %s. A band or ± is Student's interval of 95 %% for the mean over runs; runs differ by noise and samples, not by the table.",
			tableName(p), p.measuredName(), count(s.repeats, "run"), count(len(p.candidates), "configuration"))},
		Sections: []report.Section{
			{Title: "Figures", Text: ringWords(p.marked), Figures: figures},
			{Title: "Configurations", Tables: []report.Table{{Columns: rows[0], Rows: rows[1:]}}},
			{Title: "What all runs cost together", Facts: costFacts(p)},
			{Title: "Settings of all runs", Facts: settingFacts(p.fixed)},
			{Title: "Run it again", Command: s.command(), List: []string{
				sweepResults + " has a row for each run, " + sweepSummary + " and " + sweepJSON + " one for each configuration and metric.",
				"The same command goes on where it was stopped, and runs nothing twice."}},
		},
	}
	d.Warnings = divergedWords(summaries)
	if !p.public() {
		d.Warnings = append([]string{p.notice()}, d.Warnings...)
	}
	if len(p.fixed) == 0 {
		d.Sections[3].Text = []string{"The defaults of dither train."}
	}
	return d.WriteHTML(w)
}

// ringWords explain the ring of figures.
func ringWords(m sweep.Marked) []string {
	if m.Candidate == nil {
		return nil
	}
	return []string{"The ring is around " + markedWords(m) + "."}
}

func tableName(p *sweepPlan) string {
	if p.public() {
		return baseName(p.source.name) + ", a public table,"
	}
	return baseName(p.source.name)
}

// variedWords name what varies.
func variedWords(varied []sweep.Parameter) string {
	names := make([]string, len(varied))
	for i, v := range varied {
		names[i] = strings.ReplaceAll(v.Name, "-", " ")
	}
	if len(names) == 0 {
		return "one configuration"
	}
	return "over " + strings.Join(names, ", ")
}

// costFacts are the price of all runs.
func costFacts(p *sweepPlan) []report.Fact {
	c := p.cost
	if c.Runs == 0 {
		return []report.Fact{{Name: "private runs", Value: "none"}}
	}
	why := "every one is a release"
	if p.public() {
		why = "were the records private"
	}
	return []report.Fact{{Name: "private runs", Value: fmt.Sprint(c.Runs), Why: "those that were interrupted count"},
		{Name: "epsilon of all", Value: epsilonText(c.Epsilon), Why: why}, {Name: "delta", Value: fmt.Sprintf("%g", c.Delta)},
		{Name: "relation", Value: relationWords(c.Neighboring)}, {Name: "unit", Value: c.Unit}, {Name: "accountant", Value: c.Accountant}}
}

// measuredName is what models are measured on, files by their names without folders.
func (p *sweepPlan) measuredName() string {
	if p.parts.testName != "" && p.parts.testName == p.base.test {
		return baseName(p.parts.testName)
	}
	return p.parts.testName
}

// baseName is a name of a file without the folders, which are nobody's business.
func baseName(name string) string {
	if strings.HasPrefix(name, builtinPrefix) {
		return name
	}
	return filepath.Base(name)
}

// shown are settings with files by their names without folders.
func shown(settings []sweep.Setting) []sweep.Setting {
	out := append([]sweep.Setting{}, settings...)
	for i, s := range out {
		if slices.Contains(sweepPaths, s.Name) {
			out[i].Value = baseName(s.Value)
		}
	}
	return out
}

func settingFacts(settings []sweep.Setting) []report.Fact {
	var out []report.Fact
	for _, s := range shown(settings) {
		out = append(out, report.Fact{Name: strings.ReplaceAll(s.Name, "-", " "), Value: s.Value})
	}
	return out
}
