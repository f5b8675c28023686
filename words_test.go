package dither_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ditherml/dither"
)

// TestResultsPrint prints a run, an answer and an evaluation: each shows its numbers and its cost in words.
func TestResultsPrint(t *testing.T) {
	s, b, ctx := patientSchema(t), newBudget(t), t.Context()
	run, err := dither.Train(ctx, b, s, patients(500), dither.WithEpsilon(0.5))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := dither.Query(ctx, b, s, patients(500), "mean age", dither.By("smoker"), dither.WithEpsilon(0.25))
	if err != nil {
		t.Fatal(err)
	}
	quality, err := dither.Evaluate(ctx, b, run.Model, patients(100), dither.WithEpsilon(0.125))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value any
		wants []string
	}{
		{run, []string{`model of "ill": epsilon 0.5 at delta 1e-06`, "one patient"}},
		{answer, []string{"asked     mean age", "by        smoker", "± noise", "(missing)", "charge    epsilon 0.25 at"}},
		{quality, []string{"accuracy", "95 % interval", "area under the curve", "epsilon 0.125 at delta 1e-06"}},
		{(*dither.Run)(nil), []string{"no run"}},
		{&dither.Run{}, []string{"no run"}},
		{(*dither.Answer)(nil), []string{"no answer"}},
		{(*dither.Evaluation)(nil), []string{"no evaluation"}},
	} {
		text := fmt.Sprint(c.value)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%T prints\n%s\nwant %q in it", c.value, text, want)
			}
		}
	}
	for _, empty := range []any{&dither.Answer{}, &dither.Evaluation{}} {
		_ = fmt.Sprint(empty) // does not panic
	}
}
