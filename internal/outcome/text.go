package outcome

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/sweep"
)

// Text returns the results of a finished sweep as text for a terminal. The argument banner precedes
// measures on records that are not public.
func (s *Study) Text(summaries []sweep.Summary, banner string) ([]byte, error) {
	var b bytes.Buffer
	if s.Secret {
		fmt.Fprintf(&b, "%s\n\n", banner)
	}
	if err := display.WriteColumns(&b, s.Rows(summaries)); err != nil {
		return nil, err
	}
	b.WriteString(SparkText(Figures(s.Varied, summaries, "", Marked{})))
	fmt.Fprintf(&b, "\nmeasured on %s; mean over %s with Student's interval of 95 %%\n%s", display.OneLine(s.Measured), display.Count(s.Repeats, "run"), display.Wrapped(s.Notice()))
	for _, words := range DivergedWords(summaries) {
		b.WriteString("\n" + display.Wrapped(display.Printable(words)))
	}
	if words := MarkedWords(s.Marked); words != "" {
		b.WriteString("\n" + display.Wrapped("marked: "+display.Printable(words)+"."))
	}
	if !s.Secret {
		fmt.Fprintf(&b, "\nread       %s/%s\nresults    %s/%s, %s, %s\n", s.Folder, PageName, s.Folder, ResultsName, SummaryName, DocumentName)
	}
	return b.Bytes(), nil
}

// DryText returns the configurations of a sweep that was not run, with their prices and the
// approximate seconds of all runs.
func (s *Study) DryText(seconds float64) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "dry run: nothing was trained, spent or written\n\n")
	rows, runs := [][]string{{"configuration", "epsilon of a run", "delta", "interactions", "runs"}}, 0
	for i := range s.Candidates {
		c := &s.Candidates[i]
		rows = append(rows, []string{c.Words(), c.Certificate.Epsilon.Rounded(), strconv.FormatFloat(c.Certificate.Delta, 'g', -1, 64), interactionsOf(c), strconv.Itoa(c.Runs(s.Repeats))})
		runs += c.Runs(s.Repeats)
	}
	if err := display.WriteColumns(&b, rows); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n%s, %s; about %s\n%s", display.Count(len(s.Candidates), "configuration"), display.Count(runs, "run"), display.Duration(seconds), display.Wrapped(s.Notice()))
	return b.Bytes(), nil
}

// DryDocument returns the summary of a sweep that was not run. It names a highlighted configuration
// if marked is true.
func (s *Study) DryDocument(seconds float64, marked bool) Document {
	d := s.Document(nil, marked)
	d.Seconds = seconds
	for i := range s.Candidates {
		d.Summaries = append(d.Summaries, RowOf(&s.Candidates[i]))
	}
	return d
}
