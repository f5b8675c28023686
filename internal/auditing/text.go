package auditing

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/display"
)

// Text returns the report as text for a terminal: a table of all claims, then the bounds and
// remarks of each.
func (r Report) Text() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "audit of %s: %s\n", display.Printable(r.Subject), r.Verdict)
	b.WriteString(display.Wrapped(strings.TrimSpace(r.alarmWords() + " " + r.Split)))
	if limits := r.limits(); limits != "" {
		b.WriteString(display.Wrapped(limits))
	}
	b.WriteByte('\n')
	if err := r.writeParts(&b); err != nil {
		return nil, err
	}
	if err := display.WriteColumns(&b, r.table()); err != nil {
		return nil, err
	}
	for _, s := range r.detailed() {
		if err := s.write(&b); err != nil {
			return nil, err
		}
	}
	if r.Parts != nil {
		fmt.Fprintf(&b, "\n%s", display.Wrapped(elsewhere))
	}
	return b.Bytes(), nil
}

// writeParts writes what was tried and what the verdict means, if the report has parts.
func (r Report) writeParts(b *bytes.Buffer) error {
	if r.Parts == nil {
		return nil
	}
	if err := display.WriteColumns(b, r.partRows()); err != nil {
		return err
	}
	for _, text := range r.partSentences() {
		b.WriteString(display.Indent(display.Bullet(text), 2))
	}
	b.WriteString("\nwhat that means\n")
	for _, text := range r.meaning() {
		b.WriteString(display.Indent(display.Bullet(text), 2))
	}
	b.WriteString("\nall attacks\n")
	return nil
}

// alarmWords say how seldom a correct claim is refuted.
func (r Report) alarmWords() string {
	return fmt.Sprintf("A correct claim is refuted with probability at most %s in the whole audit.", display.Rounded(alarm(r.Confidence), 3, true))
}

// limits say how many attacks decide nothing, "" for none.
func (r Report) limits() string {
	idle, weak := 0, 0
	for _, s := range r.Sections {
		switch {
		case s.Verdict == NotRun:
			idle++
		case s.Verdict == NotRefuted && len(s.Bounds) > 0 && s.Detectable == nil:
			weak++
		}
	}
	var out []string
	if idle > 0 {
		out = append(out, fmt.Sprintf("Not run: %s; the note of each says why.", display.Count(idle, "attack")))
	}
	if weak > 0 {
		out = append(out, fmt.Sprintf("Too few canaries to refute anything: %s, whose verdict says nothing.", display.Count(weak, "attack")))
	}
	return strings.Join(out, " ")
}

// table has a row for each section under a heading.
func (r Report) table() [][]string {
	rows := [][]string{{"attack", "verdict", "claimed epsilon", "lower bound", "confidence", "detects from", "time"}}
	for _, s := range r.Sections {
		rows = append(rows, []string{s.title(), string(s.Verdict), number(s.Claimed, true), s.found(), s.sure(), number(s.Detectable, true), seconds(s.Seconds)})
	}
	return rows
}

// title is the group and the name of a section.
func (s Section) title() string {
	if s.Group == "" || s.Group == s.Name {
		return s.Name
	}
	return s.Group + ": " + s.Name
}

// sure is the confidence of a section, or a dash where nothing was tried.
func (s Section) sure() string {
	if s.Verdict == NotRun {
		return "-"
	}
	return confidence(s.Confidence)
}

// found is the lower bound or the p-value of a section.
func (s Section) found() string {
	if s.LowerBound == nil && s.PValue != nil {
		return "p " + display.Rounded(*s.PValue, 3, true)
	}
	return number(s.LowerBound, false)
}

// write writes the bounds, facts and remarks of a section, if it has any.
func (s Section) write(b *bytes.Buffer) error {
	if len(s.Bounds)+len(s.Facts) == 0 && s.Power == "" && s.Note == "" {
		return nil
	}
	fmt.Fprintf(b, "\n%s\n", display.Printable(s.title()))
	for _, text := range s.sentences() {
		b.WriteString(display.Indent(display.Bullet(text), 2))
	}
	if len(s.Bounds) == 0 {
		return nil
	}
	if err := display.WriteColumns(b, s.boundRows()); err != nil {
		return err
	}
	for _, bound := range s.Bounds {
		b.WriteString(display.Indent(display.Bullet(bound.Name+": "+bound.sentence()), 2))
	}
	return nil
}

// sentences are the claim, the facts, the power and the note of a section.
func (s Section) sentences() []string {
	out := []string{"claim: " + s.Claim}
	for _, f := range s.Facts {
		out = append(out, f.Name+": "+f.Value)
	}
	return append(out, slices.DeleteFunc([]string{s.Power, s.Note}, func(text string) bool { return text == "" })...)
}

// boundRows is the table of the bounds of a section.
func (s Section) boundRows() [][]string {
	rows := [][]string{{"bound", "verdict", "lower bound", "confidence", "detects from"}}
	for _, b := range s.Bounds {
		rows = append(rows, []string{b.Name, string(b.Verdict), number(b.LowerBound, false), confidence(b.Confidence), number(b.Detectable, true)})
	}
	return rows
}

// sentence is what a bound rests on and what it would have detected.
func (b Bound) sentence() string {
	return strings.Join(slices.DeleteFunc([]string{b.Assumption, b.Power, b.Note}, func(text string) bool { return text == "" }), " ")
}

// alarm returns 1-confidence, without the digits beyond the 15th that the subtraction makes up.
func alarm(confidence float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(1-confidence, 'f', 15, 64), 64)
	return max(0, v)
}

// confidence is a probability near 1 as text: "95 %", or "1 - 1e-06" where it is nearer.
func confidence(c float64) string {
	if c > 0.9999 && c < 1 {
		return "1 - " + display.Rounded(alarm(c), 2, true)
	}
	return display.Rounded(100*c*(1+1e-14), 4, false) + " %"
}

// number is a value rounded up or down, or a dash.
func number(v *float64, up bool) string {
	switch {
	case v == nil || math.IsNaN(*v):
		return "-"
	case up:
		return display.Nearest(*v, 6)
	}
	return display.Rounded(*v, 5, false)
}

// seconds is a duration as text.
func seconds(s float64) string {
	return cmp.Or(display.Rounded(s, 2, true), "0") + " s"
}
