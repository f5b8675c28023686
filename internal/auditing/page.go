package auditing

import (
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/report"
)

// WritePage writes the report as one HTML file: the table of all claims, then each section with its
// bounds and its picture.
func (r Report) WritePage(w io.Writer) error {
	table := r.table()
	all := report.Section{Title: "What was claimed, and what was found", Tables: []report.Table{{Columns: table[0], Rows: table[1:]}}, Note: r.programWords()}
	words := report.Section{Title: "What the numbers mean", List: meanings}
	if r.Split != "" {
		words.List = append(slices.Clone(meanings), "The probability that a correct claim is refuted: "+r.Split)
	}
	lead := slices.DeleteFunc([]string{r.verdictWords(), r.limits(), r.alarmWords()}, func(text string) bool { return text == "" })
	d := report.Document{Title: "Audit of " + r.Subject, Lead: lead}
	for _, s := range r.Sections {
		if s.Verdict == Refuted {
			d.Warnings = append(d.Warnings, fmt.Sprintf("%s: the claim is refuted.", s.title()))
		}
	}
	var details []report.Section
	for _, s := range r.detailed() {
		details = append(details, s.onPage())
	}
	if r.Parts == nil {
		d.Sections = slices.Concat([]report.Section{all, words}, details)
		return d.WriteHTML(w)
	}
	// Of many attacks those that matter come first, and the long table last.
	parts := r.partRows()
	all.Text = []string{elsewhere}
	d.Sections = slices.Concat([]report.Section{
		{Title: "What was tried", List: r.partSentences(), Tables: []report.Table{{Columns: parts[0], Rows: parts[1:]}}},
		{Title: "What that means", List: r.meaning()},
	}, details, []report.Section{words, all})
	return d.WriteHTML(w)
}

// verdictWords is the verdict in a sentence.
func (r Report) verdictWords() string {
	switch r.Verdict {
	case Refuted:
		return "A claim is refuted: what was observed would be too rare if the claim were true."
	case NotRefuted:
		return "No claim is refuted. That proves no claim: it says only that these attacks did not succeed."
	}
	return "Nothing was decided."
}

// programWords name the program and the processor.
func (r Report) programWords() string {
	switch {
	case r.Program == "":
		return ""
	case r.Processor == "":
		return r.Program
	}
	return r.Program + ", " + r.Processor
}

// meanings explain the numbers of the page.
var meanings = []string{
	"Lower bound: with the stated confidence, the true epsilon is at least this, if the assumption of the bound is true.",
	"Refuted: a bound exceeds the claim. Either the claim is false, or the assumption is, or chance was as rare as the confidence says.",
	"Not refuted: these attacks with this many canaries found nothing. Only a proof shows that a claim is true.",
	"Estimate only: nobody stated what this bound assumes. It would hold if that were true, and refutes nothing.",
	"Picture: no attack on a mechanism that keeps the claim is below the curve. A box that lies below it as a whole refutes the claim.",
	"Detects from: the smallest true epsilon that this attack refutes with probability 0.9. Smaller faults may stay unseen.",
	"Confidence: at least the probability that the lower bound is not above the true epsilon. All shares are fixed before the scores are looked at.",
}

// onPage is a section as the page shows it.
func (s Section) onPage() report.Section {
	out := report.Section{Title: s.title(), Text: []string{"Claim: " + s.Claim}, Note: s.Note}
	if s.Power != "" {
		out.Text = append(out.Text, s.Power)
	}
	for _, f := range s.Facts {
		out.Facts = append(out.Facts, report.Fact{Name: f.Name, Value: f.Value})
	}
	if len(s.Bounds) > 0 {
		rows := s.boundRows()
		out.Tables = []report.Table{{Columns: rows[0], Rows: rows[1:]}}
	}
	for _, b := range s.Bounds {
		out.List = append(out.List, b.Name+": "+b.sentence()+source(b.Source))
	}
	if s.Picture != nil {
		out.Figures = []figure.Figure{s.Picture.figure(s.title())}
	}
	return out
}

// source is a publication in brackets.
func source(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// figure draws the curve, the attacked points and their boxes. A box is a band between two rates of false
// positives, in the color of its point.
func (p Picture) figure(title string) figure.Figure {
	claim := figure.Series{Name: "the claim: no attack may lie below", Dashed: true}
	for _, r := range p.Curve {
		claim.Points = append(claim.Points, figure.Value(r.FalsePositives, r.FalseNegatives))
	}
	var points, boxes []figure.Series
	for _, b := range p.Boxes {
		at := slices.IndexFunc(points, func(s figure.Series) bool { return s.Name == b.Name })
		if at < 0 {
			at = len(points)
			points = append(points, figure.Series{Name: b.Name, Scattered: true})
		}
		points[at].Points = append(points[at].Points, figure.Value(b.FalsePositives, b.FalseNegatives))
		boxes = append(boxes, figure.Series{Name: "confidence boxes, " + b.Name, Dashed: true, Points: []figure.Point{
			{X: b.Low.FalsePositives, Y: b.FalseNegatives, Low: b.Low.FalseNegatives, High: b.High.FalseNegatives},
			{X: b.High.FalsePositives, Y: b.FalseNegatives, Low: b.Low.FalseNegatives, High: b.High.FalseNegatives},
		}})
	}
	return figure.Figure{Name: "trade-off", Title: "Errors of attackers: " + display.Printable(title), Panels: []figure.Panel{{
		X: figure.Axis{Label: "false positives: left-out canaries taken for included"}, Y: figure.Axis{Label: "false negatives: included canaries missed"},
		Series: slices.Concat([]figure.Series{claim}, points, boxes)}}}
}
