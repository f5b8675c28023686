package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/spf13/cobra"
)

// textbookRow is a formula of a course beside the exact cost.
type textbookRow struct {
	Name    string  `json:"name"`
	Formula string  `json:"formula"`
	Epsilon number  `json:"epsilon"`
	Delta   float64 `json:"delta"`
	Verdict string  `json:"verdict"`
	// Exact is an estimate of the exact epsilon at Delta.
	Exact  number `json:"exact"`
	Source string `json:"source"`
}

func lessonsOf(lines []account.TextbookLine) []textbookRow {
	lessons := make([]textbookRow, len(lines))
	for i, l := range lines {
		lessons[i] = textbookRow{Name: l.Name, Formula: l.Formula, Epsilon: number(l.Epsilon), Delta: l.Delta, Verdict: l.Verdict, Exact: number(l.Exact), Source: l.Source}
	}
	return lessons
}

// lessons evaluates the formulas that apply to the event, at the delta of the claim.
func (q question) lessons(c claim) ([]textbookRow, error) {
	if !(c.Delta > 0 && c.Delta < 1) {
		return nil, fmt.Errorf("--textbook is asked for at delta %v, want more than 0 and less than 1; the formulas divide by it", c.Delta)
	}
	lines, err := account.Textbook(q.event, c.Delta, q.neighboring, func(e mechanism.Event, delta float64) (account.Interval, error) {
		if v, refused := (account.PLD{}).Epsilon(e, delta, q.neighboring); refused == nil {
			return v, nil
		}
		return account.Best{}.Epsilon(e, delta, q.neighboring)
	})
	return lessonsOf(lines), err
}

// text writes one formula with its verdict.
func (l textbookRow) text(b *bytes.Buffer) {
	fmt.Fprint(b, display.Bullet(l.Name+": "+l.Formula))
	given := display.Nearest(float64(l.Epsilon), 5)
	if strings.HasPrefix(l.Verdict, "valid") {
		given = rounded(float64(l.Epsilon), 5, true)
	}
	values := fmt.Sprintf("gives epsilon %s at delta %s; exact %s", given, display.Nearest(l.Delta, 6), display.Nearest(float64(l.Exact), 5))
	verdict := strings.ToUpper(l.Verdict[:1]) + l.Verdict[1:]
	for _, part := range []string{values + ". " + verdict + ".", "(" + l.Source + ")"} {
		fmt.Fprint(b, strings.Replace(display.Bullet(part), "- ", "  ", 1))
	}
}

// textbookText writes all formulas.
func (a accounted) textbookText(b *bytes.Buffer) {
	if a.Textbook == nil {
		return
	}
	fmt.Fprintln(b, "\nformulas of courses; only those that are valid may be claimed")
	if len(a.Textbook) == 0 {
		fmt.Fprintln(b, "  none applies to this event")
	}
	for _, l := range a.Textbook {
		l.text(b)
	}
}

// exercise is what dither account --textbook prints without an event.
type exercise struct {
	Exercise string   `json:"exercise"`
	Textbook []textbookRow `json:"textbook"`
	Notes    []string `json:"notes"`
}

const exerciseText = `The exercise: an algorithm that is (0.4, 1e-6)-differentially private runs 1000 times, (a), (b) on all
records, (c), (d), (e) each time on a fresh sample of 1 % of them. What is the total? (a) to (d) are as courses solve it.`

var exerciseNotes = []string{
	"Exact is the cost of the worst algorithm of that privacy; a particular one, such as normal noise, may cost less. Price that as an event.",
	"Of k runs that may each fail with probability delta, some fail with a probability of about k·delta: that a total delta is no larger than that of one run cannot be.",
}

// runExercise prints the exercise.
func (a *accountCommand) runExercise(c *cobra.Command) error {
	for _, flag := range []string{"delta", "epsilon", "neighboring", "accountant", "rows-per-person", "plot"} {
		if a.changed(flag) {
			return fmt.Errorf("--%s is given with --textbook and nothing to price, want an event; without one, --textbook works through an exercise with numbers of its own", flag)
		}
	}
	e := exercise{Exercise: strings.Join(strings.Fields(exerciseText), " "), Textbook: lessonsOf(account.TextbookExercise()), Notes: exerciseNotes}
	if a.json {
		return writeJSON(c.OutOrStdout(), e)
	}
	b := bytes.NewBufferString(wrapped(e.Exercise) + "\n")
	for _, l := range e.Textbook {
		l.text(b)
	}
	fmt.Fprintln(b)
	for _, note := range e.Notes {
		fmt.Fprint(b, wrapped(note))
	}
	return writeAll(c.OutOrStdout(), b.Bytes())
}
