package bookkeeping

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
)

// Text returns the ledger as text for a terminal.
func (a Account) Text() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ledger    %s (%.8s), made %s%s\n", display.Printable(a.Where), a.Ledger, shortTime(a.Created), by(a.Who))
	b.WriteString(termsText(a.terms))
	b.WriteString(a.Standing())
	if words := a.sharesWords(); words != plainShares && len(a.Releases) > 1 {
		b.WriteString("shares" + display.Indent(display.Wrapped(strings.TrimPrefix(words, shareMeaning)), 10)[len("shares"):])
	}
	fmt.Fprintf(&b, "head      record %d, %.16s\n", a.Records-1, a.Head)
	if a.Open > 0 {
		fmt.Fprintf(&b, "open      %s: running, or ended without a word; what was reserved is spent\n", display.Count(a.Open, "run"))
	}
	for _, part := range []struct {
		title string
		rows  [][]string
	}{{"populations, which share no person", a.populationRows()}, {"over time", a.monthRows()}, {"releases", a.releaseRows()}} {
		if len(part.rows) < 2 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", part.title)
		if err := display.WriteColumns(&b, part.rows); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Standing returns lines of text that state what is spent and what is left.
func (a Account) Standing() string {
	broken := ""
	if !a.KeepsCap {
		broken = "cap       not kept: " + notKept + "\n"
	}
	return fmt.Sprintf("spent     %s of the budget; all together prove epsilon %s\n%sleft      %s%s\n", budget.Percent(a.Share), a.Spent.Rounded(), broken, a.leftWords(), a.forfeitWords())
}

// notKept says what a ledger without its cap is.
const notKept = "releases were imported that did not fit, and nothing more is admitted"

func by(who string) string {
	if who == "" {
		return ""
	}
	return " by " + display.Printable(who)
}

func (a Account) forfeitWords() string {
	if a.Forfeited {
		return ": all that was left is forfeited"
	}
	return ""
}

// shortTime leaves the seconds of a time out.
func shortTime(stamp string) string {
	if len(stamp) < len("2006-01-02T15:04") {
		return stamp
	}
	return strings.Replace(stamp[:len("2006-01-02T15:04")], "T", " ", 1)
}

func (a Account) populationRows() [][]string {
	rows := [][]string{{"name", "left", "who is in it"}}
	for _, p := range a.Populations {
		rows = append(rows, []string{p.Name, leftNumber(p.Left), p.Declaration})
	}
	return rows
}

// leftNumber returns an epsilon that is left, rounded down.
func leftNumber(v float64) string { return display.Rounded(v, 4, false) }

func (a Account) monthRows() [][]string {
	rows := [][]string{{"month", "releases", "spent at its end", "proves epsilon"}}
	for _, m := range a.Months {
		rows = append(rows, []string{m.Month, strconv.Itoa(m.Releases), budget.Percent(m.Share), m.Spent.Rounded()})
	}
	return rows
}

// releaseRows returns a row for each release.
func (a Account) releaseRows() [][]string {
	header := []string{"record", "time (UTC)", "purpose", "person", "plan alone", "share", "outcome", "certificate"}
	if len(a.Populations) > 0 {
		header = append(header, "population")
	}
	rows := [][]string{header}
	for _, r := range a.Releases {
		row := []string{strconv.FormatUint(r.Sequence, 10), shortTime(r.Time), r.Purpose, dash(r.Person), r.alone(), budget.Percent(r.Share), r.outcome(), dash(fmt.Sprintf("%.8s", r.Certificate))}
		if len(a.Populations) > 0 {
			row = append(row, orAll(r.Population))
		}
		rows = append(rows, row)
	}
	return rows
}

// alone returns the plan's own guarantee.
func (r Release) alone() string { return r.Epsilon.Rounded() + " at " + display.Plain(r.Delta) }

// register returns the newest releases for a page, which may be narrow: with the day, and what
// belongs together in one cell.
func (a Account) register() *report.Register {
	if len(a.Releases) == 0 {
		return nil
	}
	out := &report.Register{Title: "Releases", Columns: []report.Column{{Name: "record", Kind: report.ShortText}, {Name: "day", Kind: report.ShortText}, {Name: "purpose"},
		{Name: "person", Kind: report.Words}, {Name: "plan alone", Kind: report.Number}, {Name: "share", Kind: report.Number}, {Name: "outcome"}}}
	for _, r := range a.Releases[max(0, len(a.Releases)-mostListed):] {
		purpose, outcome := r.Purpose, r.outcome()
		if r.Population != "" {
			purpose += ", about " + r.Population
		}
		if r.Certificate != "" {
			outcome += fmt.Sprintf(" %.8s", r.Certificate)
		}
		out.Rows = append(out.Rows, []string{strconv.FormatUint(r.Sequence, 10), r.Time[:len("2006-01-02")], purpose, dash(r.Person), r.alone(), budget.Percent(r.Share), outcome})
	}
	return out
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func orAll(population string) string {
	if population == "" {
		return "all"
	}
	return population
}

// outcome returns the outcome in words.
func (r Release) outcome() string {
	switch {
	case r.Source != "":
		return "imported"
	case r.Outcome == string(budget.Stopped):
		return "stopped after " + display.Count(r.Begun, "release")
	}
	return r.Outcome
}

// CSV returns one row for each release. A text that a spreadsheet would run as a formula begins
// with an apostrophe.
func (a Account) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"sequence", "time", "purpose", "person", "run", "population", "event", "epsilon", "delta", "accountant", "charge", "share", "outcome", "begun", "certificate", "source"}}
	for _, r := range a.Releases {
		row := []string{strconv.FormatUint(r.Sequence, 10), r.Time, r.Purpose, r.Person, r.Run, r.Population, r.Event, number(float64(r.Epsilon)), number(r.Delta), r.Accountant, number(float64(r.Charge)), number(r.Share),
			r.Outcome, strconv.Itoa(r.Begun), r.Certificate, r.Source}
		for i, cell := range row {
			row[i] = display.Spreadsheet(display.Printable(cell))
		}
		rows = append(rows, row)
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
