package outcome

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/sweep"
)

// WritePage writes the page of a sweep: figures, table, what all runs cost, and how to run it
// again.
func (s *Study) WritePage(w io.Writer, summaries []sweep.Summary, figures []figure.Figure) error {
	rows := s.Rows(summaries)
	d := report.Document{
		Title: "Models of " + s.Target.Column + ", " + variedWords(s.Varied),
		Lead: []string{s.Notice(), fmt.Sprintf("Trained on %s and measured on %s: %s of each of %s. A band or ± is Student's interval of 95 %% for the mean over runs; runs differ by noise and samples, not by the table.",
			s.tableName(), s.Measured, display.Count(s.Repeats, "run"), display.Count(len(s.Candidates), "configuration"))},
		Sections: []report.Section{
			{Title: "Figures", Text: ringWords(s.Marked), Figures: figures},
			{Title: "Configurations", Tables: []report.Table{{Columns: rows[0], Rows: rows[1:]}}},
			{Title: "What all runs cost together", Facts: s.costFacts()},
			{Title: "Settings of all runs", Facts: settingFacts(s.Fixed)},
			{Title: "Run it again", Command: s.Command, List: []string{
				ResultsName + " has a row for each run, " + SummaryName + " and " + DocumentName + " one for each configuration and metric.",
				"The same command goes on where it was stopped, and runs nothing twice."}},
		},
	}
	d.Warnings = DivergedWords(summaries)
	if !s.Public {
		d.Warnings = append([]string{s.Notice()}, d.Warnings...)
	}
	if len(s.Fixed) == 0 {
		d.Sections[3].Text = []string{"The defaults of dither train."}
	}
	return d.WriteHTML(w)
}

// paths are the settings that name files.
var paths = []string{"data", "labels", "schema", "test", "test-labels"}

// ringWords explain the ring of figures.
func ringWords(m Marked) []string {
	if m.Candidate == nil {
		return nil
	}
	return []string{"The ring is around " + MarkedWords(m) + "."}
}

func (s *Study) tableName() string {
	if s.Public {
		return s.Table + ", a public table,"
	}
	return s.Table
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
func (s *Study) costFacts() []report.Fact {
	c := s.Cost
	if c.Runs == 0 {
		return []report.Fact{{Name: "private runs", Value: "none"}}
	}
	why := "every one is a release"
	if s.Public {
		why = "were the records private"
	}
	return []report.Fact{{Name: "private runs", Value: fmt.Sprint(c.Runs), Why: "those that were interrupted count"},
		{Name: "epsilon of all", Value: c.Epsilon.Rounded(), Why: why}, {Name: "delta", Value: fmt.Sprintf("%g", c.Delta)},
		{Name: "relation", Value: wording.Relation(c.Neighboring)}, {Name: "unit", Value: c.Unit}, {Name: "accountant", Value: c.Accountant}}
}

// BaseName returns the name of a file without its folders, because names of folders stay private.
func BaseName(name string) string {
	if strings.HasPrefix(name, "builtin:") || database.IsName(name) {
		return name
	}
	return filepath.Base(name)
}

// RelatedName returns a value of the flag related without folders: the name of the table, and its file.
func RelatedName(value string) string {
	name, path, _ := strings.Cut(value, "=")
	return name + "=" + BaseName(path)
}

// Shown returns the settings. File names among the values are without folders.
func Shown(settings []sweep.Setting) []sweep.Setting {
	out := append([]sweep.Setting{}, settings...)
	for i, s := range out {
		if slices.Contains(paths, s.Name) {
			out[i].Value = BaseName(s.Value)
		} else if s.Name == "related" {
			out[i].Value = RelatedName(s.Value)
		}
	}
	return out
}

func settingFacts(settings []sweep.Setting) []report.Fact {
	var out []report.Fact
	for _, s := range Shown(settings) {
		out = append(out, report.Fact{Name: strings.ReplaceAll(s.Name, "-", " "), Value: s.Value})
	}
	return out
}

// MetricName returns the name of a metric as it is written within a sentence.
func MetricName(metric string) string {
	if metric == option.MetricR2 {
		return "R²"
	}
	return metric
}

// MarkedWords returns in words which configuration is highlighted and why. It returns "" if none is
// highlighted.
func MarkedWords(m Marked) string {
	if m.Candidate == nil {
		return ""
	}
	return m.Candidate.Words() + ": " + m.Why
}
