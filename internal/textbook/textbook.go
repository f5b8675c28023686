// Package textbook compares the results of courses' formulas for an event with the event's cost, in
// words.
package textbook

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Lesson is a formula of a course and the exact cost.
type Lesson struct {
	Name    string              `json:"name"`
	Formula string              `json:"formula"`
	Epsilon certificate.Epsilon `json:"epsilon"`
	Delta   float64             `json:"delta"`
	Verdict string              `json:"verdict"`
	// Exact is an estimate of the exact epsilon at Delta.
	Exact  certificate.Epsilon `json:"exact"`
	Source string              `json:"source"`
}

func lessonsOf(lines []account.TextbookLine) []Lesson {
	lessons := make([]Lesson, len(lines))
	for i, l := range lines {
		lessons[i] = Lesson{Name: l.Name, Formula: l.Formula, Epsilon: certificate.Epsilon(l.Epsilon), Delta: l.Delta, Verdict: l.Verdict, Exact: certificate.Epsilon(l.Exact), Source: l.Source}
	}
	return lessons
}

// Of returns the formulas of courses that apply to an event, at a delta that is more than 0 and less than 1.
func Of(e mechanism.Event, delta float64, n privacy.Neighboring) ([]Lesson, error) {
	lines, err := account.Textbook(e, delta, n, func(e mechanism.Event, delta float64) (account.Interval, error) {
		if v, refused := account.PLD.Epsilon(e, delta, n); refused == nil {
			return v, nil
		}
		return account.Best.Epsilon(e, delta, n)
	})
	return lessonsOf(lines), err
}

// text writes one formula with its verdict.
func (l Lesson) text(b *bytes.Buffer) {
	fmt.Fprint(b, display.Bullet(l.Name+": "+l.Formula))
	given := display.Nearest(float64(l.Epsilon), 5)
	if strings.HasPrefix(l.Verdict, "valid") {
		given = display.Rounded(float64(l.Epsilon), 5, true)
	}
	values := fmt.Sprintf("gives epsilon %s at delta %s; exact %s", given, display.Nearest(l.Delta, 6), display.Nearest(float64(l.Exact), 5))
	verdict := strings.ToUpper(l.Verdict[:1]) + l.Verdict[1:]
	for _, part := range []string{values + ". " + verdict + ".", "(" + l.Source + ")"} {
		fmt.Fprint(b, strings.Replace(display.Bullet(part), "- ", "  ", 1))
	}
}

// Write writes all formulas for a terminal, or nothing if lessons is nil.
func Write(b *bytes.Buffer, lessons []Lesson) {
	if lessons == nil {
		return
	}
	fmt.Fprintln(b, "\nformulas of courses; only those that are valid may be claimed")
	if len(lessons) == 0 {
		fmt.Fprintln(b, "  none applies to this event")
	}
	for _, l := range lessons {
		l.text(b)
	}
}

// Exercise is an exercise of courses with its solutions.
type Exercise struct {
	Exercise string   `json:"exercise"`
	Textbook []Lesson `json:"textbook"`
	Notes    []string `json:"notes"`
}

const exerciseText = `The exercise: an algorithm that is (0.4, 1e-6)-differentially private runs 1000 times, (a), (b) on all
records, (c), (d), (e) each time on a fresh sample of 1 % of them. What is the total? (a) to (d) are as courses solve it.`

var exerciseNotes = []string{
	"Exact is the cost of the worst algorithm of that privacy; a particular one, such as normal noise, may cost less. Price that as an event.",
	"Of k runs that may each disclose everything with probability delta, some do with a probability of about k·delta: that a total delta is no larger than that of one run cannot be.",
}

// NewExercise returns the exercise of courses, with the result of each of their formulas.
func NewExercise() Exercise {
	return Exercise{Exercise: strings.Join(strings.Fields(exerciseText), " "), Textbook: lessonsOf(account.TextbookExercise()), Notes: exerciseNotes}
}

// Text returns the exercise for a terminal.
func (e Exercise) Text() []byte {
	b := bytes.NewBufferString(display.Wrapped(e.Exercise) + "\n")
	for _, l := range e.Textbook {
		l.text(b)
	}
	fmt.Fprintln(b)
	for _, note := range e.Notes {
		fmt.Fprint(b, display.Wrapped(note))
	}
	return b.Bytes()
}
