package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/textbook"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestTextbook holds the lines to the library's, in JSON and in the text.
func TestTextbook(t *testing.T) {
	const event = "repeat(300, poisson(0.5, gaussian(40)))"
	want, err := account.Textbook(parseEvent(t, event), 1e-6, privacy.AddOrRemoveOne, func(e mechanism.Event, delta float64) (account.Interval, error) {
		return account.PLD.Epsilon(e, delta, privacy.AddOrRemoveOne)
	})
	if err != nil || len(want) < 4 {
		t.Fatalf("got %d lines, %v, want several", len(want), err)
	}
	out := accountJSON(t, event, "--textbook")
	stdout, _ := mustInvoke(t, "account", event, "--textbook")
	if len(out.Textbook) != len(want) {
		t.Fatalf("got %d lines, want %d", len(out.Textbook), len(want))
	}
	for i, l := range out.Textbook {
		w := want[i]
		if l != (textbook.Lesson{Name: w.Name, Formula: w.Formula, Epsilon: certificate.Epsilon(w.Epsilon), Delta: w.Delta, Verdict: w.Verdict, Exact: certificate.Epsilon(w.Exact), Source: w.Source}) {
			t.Errorf("got %+v, want %+v", l, w)
		}
		words := strings.Join(strings.Fields(stdout), " ")
		for _, part := range []string{w.Name + ": " + w.Formula, w.Verdict[1:], w.Source} {
			if !strings.Contains(words, strings.Join(strings.Fields(part), " ")) {
				t.Errorf("got %s, want %q in it", stdout, part)
			}
		}
	}
	if out = accountJSON(t, "gaussian(2)"); out.Textbook != nil {
		t.Error("got formulas that nobody asked for")
	}
	if stdout, _ = mustInvoke(t, "account", "non-private()", "--textbook"); !strings.Contains(stdout, "none applies to this event") {
		t.Errorf("got %s, want no formula for no privacy", stdout)
	}
}

// TestExercise recomputes what (a) to (d) print: T·ε, ε·√(T·log10(1/δ)), q times that, and q·ε·√T.
func TestExercise(t *testing.T) {
	stdout, _ := mustInvoke(t, "account", "--textbook", "--json")
	var out textbook.Exercise
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatal(err)
	}
	root := 0.4 * math.Sqrt(1000*6)
	for i, want := range []float64{400, root, 0.01 * root, 0.01 * 0.4 * math.Sqrt(1000)} {
		if got := float64(out.Textbook[i].Epsilon); math.Abs(got-want) > 1e-12*want {
			t.Errorf("line %d: got epsilon %v, want %v", i, got, want)
		}
	}
	for i, wrongly := range []bool{false, true, true, true, false} {
		if got := strings.HasPrefix(out.Textbook[i].Verdict, "not a guarantee"); got != wrongly {
			t.Errorf("line %d: got verdict %q, want it a guarantee: %v", i, out.Textbook[i].Verdict, !wrongly)
		}
	}
	text, _ := mustInvoke(t, "account", "--textbook")
	for _, l := range out.Textbook {
		if !strings.Contains(text, l.Name) || !strings.Contains(text, display.Nearest(l.Delta, 6)) {
			t.Errorf("got %s, want %q in it", text, l.Name)
		}
	}
	checkHarmless(t, text)
}

func TestTextbookWrong(t *testing.T) {
	checkWrong(t, t.TempDir(), []wrong{
		{"delta 0", []string{"account", "laplace(1)", "--textbook", "--delta", "0"}, exitUsage, "--textbook is asked for at delta 0"},
		{"delta of the exercise", []string{"account", "--textbook", "--delta", "1e-5"}, exitUsage, "--delta is given with --textbook"},
		{"plot of the exercise", []string{"account", "--textbook", "--plot", "a.svg"}, exitUsage, "--plot is given with --textbook"},
	})
}
