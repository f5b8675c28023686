package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/experiment"
)

// SweepResults are what the page of a sweep tells. Summaries are required; what else is empty is left out.
type SweepResults struct {
	// Generated is the time of writing, in the caller's spelling, and Command the command line of the sweep.
	Generated, Command string
	// Notice says what the numbers are for the people whose records they are of: what one run guarantees and
	// what all cost. It stands first, as a warning unless Public.
	Notice string
	// Public is whether the records that were trained on are declared public.
	Public bool
	// Measured names the records that models were measured on.
	Measured string
	// Repeats is how often each configuration was run.
	Repeats int
	// Fixed are the settings that all runs share, Varied those that differ.
	Fixed  []experiment.Setting
	Varied []experiment.Parameter
	// Summaries are those of every configuration and metric, in the order of experiment.Summarize.
	Summaries []experiment.Summary
	// Cost is what all runs cost together; left out where none was priced.
	Cost experiment.Cost
	// Figures are drawn in the page.
	Figures []experiment.Figure
	// Chosen says which configuration was chosen and how that was paid for, where one was.
	Chosen []Fact
	// Files are the other files of the sweep.
	Files []Fact
}

// SweepPage is the page of a sweep: what its numbers are worth, its figures, a table of all configurations with
// intervals, the cost of all runs together, and how to run it again.
func SweepPage(r SweepResults) Document {
	names := make([]string, len(r.Varied))
	for i, v := range r.Varied {
		names[i] = settingName(v.Name)
	}
	d := Document{Title: "A sweep", Generated: r.Generated, Lead: r.lead()}
	if len(names) > 0 {
		d.Title = "A sweep over " + joined(names)
	}
	if r.Notice != "" && !r.Public {
		d.Warnings = []string{r.Notice}
	}
	if len(r.Chosen) > 0 {
		d.Sections = append(d.Sections, Section{Title: "What was chosen", Facts: r.Chosen})
	}
	if len(r.Figures) > 0 {
		d.Sections = append(d.Sections, Section{Title: "Seen", Figures: r.Figures})
	}
	d.Sections = append(d.Sections, Section{Title: "Results", Tables: []Table{r.table()}, Note: r.intervalNote()})
	if r.Cost.Runs > 0 {
		d.Sections = append(d.Sections, Section{Title: "What all of it costs", Text: []string{costText}, Facts: r.costFacts()})
	}
	d.Sections = append(d.Sections, Section{Title: "How it was run", Facts: r.facts(), Command: r.Command})
	return d
}

// costText goes before the cost of all runs.
const costText = "Each run is a release of its own. Whoever sees all of them learns as much as this, were the records private; the epsilon of one configuration is the price of one run that nothing was chosen by."

// lead says what was run and, for public records, what the numbers are.
func (r SweepResults) lead() []string {
	configurations := len(r.configurations())
	text := counted(configurations, "configuration")
	if r.Repeats > 0 {
		text += fmt.Sprintf(", %s of each", counted(r.Repeats, "run"))
	}
	if r.Measured != "" {
		text += ", measured on " + r.Measured
	}
	lead := []string{text + "."}
	if r.Notice != "" && r.Public {
		lead = append(lead, r.Notice)
	}
	return lead
}

// configurations are the places in Summaries at which a candidate begins.
func (r SweepResults) configurations() []int {
	var first []int
	for i, s := range r.Summaries {
		if i == 0 || s.Candidate != r.Summaries[i-1].Candidate {
			first = append(first, i)
		}
	}
	return first
}

// table has a row for each configuration: its settings, its price, and each metric with its interval.
func (r SweepResults) table() Table {
	t := Table{Title: "All configurations"}
	for _, v := range r.Varied {
		t.Columns = append(t.Columns, settingName(v.Name))
	}
	if !r.varies("epsilon") {
		t.Columns = append(t.Columns, "ε of one run")
	}
	first := r.configurations()
	for k, at := range first {
		end := len(r.Summaries)
		if k+1 < len(first) {
			end = first[k+1]
		}
		row := r.settings(r.Summaries[at].Candidate)
		for _, s := range r.Summaries[at:end] {
			if k == 0 {
				t.Columns = append(t.Columns, s.Metric, "interval")
			}
			row = append(row, fourDigits(s.Mean), intervalText(s.Low, s.High))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// settings are the first cells of the row of a configuration.
func (r SweepResults) settings(c *experiment.Candidate) []string {
	var row []string
	for _, v := range r.Varied {
		cell := c.Value(v.Name)
		if cell == "" {
			cell = "–"
			if c.Baseline {
				cell = "without privacy"
			}
		}
		row = append(row, cell)
	}
	if !r.varies("epsilon") {
		row = append(row, digitsUp(float64(c.Certificate.Epsilon), 4))
	}
	return row
}

func (r SweepResults) varies(name string) bool {
	for _, v := range r.Varied {
		if v.Name == name {
			return true
		}
	}
	return false
}

// costFacts are the terms of the guarantee of all runs together.
func (r SweepResults) costFacts() []Fact {
	c := r.Cost
	return []Fact{
		{"ε of all runs together", digitsUp(c.Epsilon, 4), ""},
		{"δ", plain(c.Delta), ""},
		{"runs", strconv.Itoa(c.Runs), ""},
		{"relation", c.Neighboring.String(), "compares " + relations[c.Neighboring.String()].meaning},
		{"protected unit", c.Unit, ""},
		{"accountant", c.Accountant, "the method that computed ε, an upper bound"},
	}
}

// facts say how the runs were made.
func (r SweepResults) facts() []Fact {
	var out []Fact
	for _, v := range r.Varied {
		out = append(out, Fact{settingName(v.Name), strings.Join(v.Values, ", "), "varied"})
	}
	for _, s := range r.Fixed {
		out = append(out, Fact{settingName(s.Name), s.Value, "the same in all runs"})
	}
	return append(out, r.Files...)
}

// intervalNote explains the intervals, or says why there are none.
func (r SweepResults) intervalNote() string {
	if r.Repeats < 2 {
		return "Each configuration was run once, so there are no intervals: differences may be the luck of the noise."
	}
	return fmt.Sprintf("Means over %d runs, with Student’s intervals of %.0f %%: they tell how far the mean may be off, not how far single runs are apart.", r.Repeats, 100*experiment.Confidence)
}

// intervalText writes an interval, a dash where there is none.
func intervalText(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return "–"
	}
	return fourDigits(low) + " to " + fourDigits(high)
}

// fourDigits writes a metric.
func fourDigits(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "undefined"
	}
	if size := math.Abs(v); size >= 1e-2 && size < 1e4 || v == 0 {
		return strings.Replace(strconv.FormatFloat(v, 'f', 4, 64), "-", "−", 1)
	}
	return brief(v)
}

// settingName is a setting as people write it.
func settingName(name string) string { return strings.ReplaceAll(name, "-", " ") }

// joined lists names: "a, b and c".
func joined(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
