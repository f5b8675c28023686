package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Limits of the text form.
const (
	textWidth = 78 // columns, where words allow it
	textBars  = 10 // coefficients shown of each score
)

// WriteText writes the page for a terminal, shorter than the HTML: the
// guarantee, warnings, budget, first coefficients of each score and metrics.
// Nothing in it can give an order to the terminal. Nothing is written when the
// page is refused, as when its guarantee is not fully stated.
func (p Page) WriteText(w io.Writer) error {
	if err := p.validate(); err != nil {
		return err
	}
	t := &textPage{Page: p.cleaned()}
	t.head()
	t.list("Warnings", t.Warnings)
	t.attacks()
	t.metrics()
	t.list("Other releases from these records", t.Others)
	t.list("Copied out of the records, not protected", t.Tainted)
	t.list("Assumptions", t.Assumptions)
	t.facts("Declared public", t.Public)
	t.events()
	t.facts("The model", t.Model)
	t.shapes()
	t.coefficients()
	t.estimates()
	t.facts("Files", t.Files)
	t.facts("Provenance", t.Provenance)
	if t.Verify != "" {
		t.heading("Check it yourself")
		fmt.Fprintf(&t.out, "  %s\n", t.Verify)
	}
	_, err := t.out.WriteTo(w)
	return err
}

// textPage is a page with clean strings and the text written so far.
type textPage struct {
	Page
	out bytes.Buffer
}

func (t *textPage) heading(title string) { fmt.Fprintf(&t.out, "\n%s\n", title) }

// head writes banner, title and guarantee.
func (t *textPage) head() {
	if loud := t.banner(); loud != "" {
		fmt.Fprintf(&t.out, "*** %s ***\n\n", loud)
	}
	fmt.Fprintf(&t.out, "%s\n", t.Title)
	if t.Generated != "" {
		fmt.Fprintf(&t.out, "Written %s\n", t.Generated)
	}
	t.out.WriteByte('\n')
	t.wrapped("", "", t.Guarantee.verdict())
	t.facts("About", t.about())
	t.facts("The guarantee", t.Guarantee.facts())
	for _, paragraph := range t.Guarantee.meaning() {
		t.out.WriteByte('\n')
		t.wrapped("  ", "  ", paragraph)
	}
}

// attacks writes the bounds on any attacker.
func (t *textPage) attacks() {
	if !t.Guarantee.private() {
		return
	}
	t.heading("Upper bounds on any attacker")
	for _, a := range t.Guarantee.attacks() {
		t.wrapped("  - ", "    ", a.Name+":")
		line := fmt.Sprintf("    one %s at most %s, blind guess %s", t.Guarantee.Noun(), a.One, a.Blind)
		if a.Group != "" {
			line += fmt.Sprintf(", %d rows at most %s", t.Guarantee.GroupRows, a.Group)
		}
		fmt.Fprintln(&t.out, line)
	}
}

func (t *textPage) events() {
	if len(t.Events) == 0 {
		return
	}
	rows := [][]string{{"release", "times", "share", "event"}}
	for _, e := range t.Events {
		rows = append(rows, []string{e.Purpose, strconv.Itoa(e.Count), percent(e.Share), e.Text})
	}
	t.heading("Where the budget went")
	t.table(rows)
}

func (t *textPage) metrics() {
	how := "Measured on records that were declared public"
	if t.Metrics != nil && t.Metrics.Private {
		how = "Computed from a noisy release about private records"
	}
	measured(t, t.Metrics, how)
	measured(t, t.Holdout, "Computed from a noisy release about records that were not trained on")
}

// measured writes measures, if there are any, under a heading that says how they were made.
func measured(t *textPage, m *Metrics, how string) {
	if m == nil {
		return
	}
	t.heading("How good is the model? " + how)
	if m.Source != "" {
		t.wrapped("  ", "  ", m.Source)
	}
	tables := m.Tables
	if c := m.Confusion; c != nil && len(c.Levels) <= maxConfusion {
		tables = append(tables[:len(tables):len(tables)], c.table())
	}
	for _, table := range tables {
		fmt.Fprintf(&t.out, "\n  %s\n", table.Title)
		t.table(append([][]string{table.Columns}, table.Rows...))
	}
}

// table is the confusion matrix as a plain table.
func (c *Confusion) table() Table {
	out := Table{Title: "Confusion (rows: true level, columns: predicted level)", Columns: append([]string{""}, c.Levels...)}
	for truth, counts := range c.Counts {
		row := []string{c.Levels[truth]}
		for _, count := range counts {
			row = append(row, strconv.Itoa(count))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (t *textPage) coefficients() {
	plots, left := scorePlots(t.Coefficients, t.Unlisted)
	if len(plots) > 0 && (len(t.BarWords) > 0 || t.BarRefusal != "") {
		t.list("How sure are the coefficients?", append(t.BarWords[:len(t.BarWords):len(t.BarWords)], refusalWords(t.BarRefusal)...))
	}
	for _, plot := range plots {
		title := "Coefficients"
		if plot.Score != "" {
			title += " of " + plot.Score
		}
		t.heading(title)
		shown := plot.Bars[:min(len(plot.Bars), textBars)]
		rows := make([][]string, 0, len(shown))
		for _, b := range shown {
			rows = append(rows, []string{strings.TrimSpace(b.Value + " " + b.Half), b.Label})
		}
		t.table(rows)
		if more := len(plot.Bars) + len(plot.Others) + plot.Left - len(shown); more > 0 {
			fmt.Fprintf(&t.out, "  and %d more\n", more)
		}
	}
	if left > 0 {
		fmt.Fprintf(&t.out, "\n  and %d more scores\n", left)
	}
}

// shapes writes the least and the largest value of each shape, and its effect.
func (t *textPage) shapes() {
	if len(t.Shapes) == 0 {
		return
	}
	t.heading("What each column does")
	rows := [][]string{{"column", "least", "largest", "effect"}}
	for _, s := range t.Shapes[:min(len(t.Shapes), maxShapes)] {
		low, high := s.ends()
		rows = append(rows, []string{s.title(), low, high, s.effect()})
	}
	t.table(rows)
}

// refusalWords is the sentence that gives the reason for missing intervals, if there is one.
func refusalWords(reason string) []string {
	if reason == "" {
		return nil
	}
	return []string{"There are no intervals: " + reason + "."}
}

// estimates writes coefficients with intervals, if there are any.
func (t *textPage) estimates() {
	e := t.Estimates
	if e == nil {
		return
	}
	t.heading("How sure are the coefficients?")
	t.wrapped("  ", "  ", estimatesNote)
	for _, f := range e.Facts {
		fmt.Fprintf(&t.out, "  %s: %s\n", f.Name, f.Value)
	}
	if e.Table != nil {
		fmt.Fprintf(&t.out, "\n  %s\n", e.Table.Title)
		t.table(append([][]string{e.Table.Columns}, e.Table.Rows...))
	}
	if e.Refusal != "" {
		t.wrapped("  ", "  ", "There are no intervals: "+e.Refusal+".")
	}
}

func (t *textPage) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	t.heading(title)
	for _, item := range items {
		t.wrapped("  - ", "    ", item)
	}
}

func (t *textPage) facts(title string, facts []Fact) {
	if len(facts) == 0 {
		return
	}
	t.heading(title)
	rows := make([][]string, 0, len(facts))
	for _, f := range facts {
		value := f.Value
		if f.Why != "" {
			value += "  (" + f.Why + ")"
		}
		rows = append(rows, []string{f.Name, value})
	}
	t.table(rows)
}

// table aligns the columns of rows, two spaces in.
func (t *textPage) table(rows [][]string) {
	aligned := tabwriter.NewWriter(&t.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(aligned, "  "+strings.Join(row, "\t"))
	}
	_ = aligned.Flush() // a bytes.Buffer takes everything
}

// wrapped writes text in lines of at most textWidth, where words allow it.
func (t *textPage) wrapped(first, next, text string) {
	line := first
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			fmt.Fprintln(&t.out, line)
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	fmt.Fprintln(&t.out, line)
}
