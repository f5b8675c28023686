package outcome

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/sweep"
)

// TestNear holds the rule of one standard error on numbers that are worked out by hand: with two runs each and a
// standard deviation of 1 the standard error is 0.7071.
func TestNear(t *testing.T) {
	at := func(epsilon, mean float64) sweep.Summary {
		return summaryOf(epsilon, mean, math.IsInf(epsilon, 1), sweep.Setting{Name: "epsilon", Value: number(epsilon)})
	}
	alone := func(epsilon, mean float64) sweep.Summary {
		s := at(epsilon, mean)
		s.Repeats, s.StandardDeviation = 1, math.NaN()
		return s
	}
	for name, c := range map[string]struct {
		all     []sweep.Summary
		epsilon float64 // 0: none
		best    bool
	}{
		"nothing":              {nil, 0, false},
		"only without privacy": {[]sweep.Summary{at(math.Inf(1), 9)}, 0, false},
		"the best alone":       {[]sweep.Summary{at(1, 5), at(2, 6)}, 2, true},
		"one near":             {[]sweep.Summary{at(4, 6), at(1, 5), at(2, 5.3), at(3, 5.9)}, 2, false},
		"just out of reach":    {[]sweep.Summary{at(4, 6), at(2, 5.2928)}, 4, true},
		"just in reach":        {[]sweep.Summary{at(4, 6), at(2, 5.293)}, 2, false},
		"one run each":         {[]sweep.Summary{alone(4, 6), alone(2, 5.99)}, 4, true},
		"undefined":            {[]sweep.Summary{at(1, math.NaN()), at(2, 3)}, 2, true},
		"better and private":   {[]sweep.Summary{at(math.Inf(1), 9), at(1, 4), at(2, 4.1)}, 1, false},
	} {
		got := near(c.all)
		switch {
		case c.epsilon == 0 && got.Candidate != nil, c.epsilon != 0 && got.Candidate == nil:
			t.Errorf("%s: got %+v, want epsilon %v", name, got, c.epsilon)
		case c.epsilon != 0 && (float64(got.Candidate.Certificate.Epsilon) != c.epsilon || (got.Why == "the best mean") != c.best):
			t.Errorf("%s: got %s, %s, want epsilon %v", name, got.Candidate.Words(), got.Why, c.epsilon)
		}
	}
	diverged := at(1, 6)
	diverged.Diverged = 1
	if got := near([]sweep.Summary{diverged, at(2, 5)}); got.Candidate == diverged.Candidate {
		t.Error("a configuration with a run that diverged is marked, want another")
	}
	equal := []sweep.Summary{at(2, 4), at(2, 4.5), at(3, 4.6)}
	if got := near(equal); got.Candidate != equal[1].Candidate {
		t.Errorf("of equal epsilon got a mean of 4, want the larger, 4.5")
	}
}

// TestFiguresMark wants a ring where the configuration is, in the panel of its other settings alone, over each setting
// and over the price.
func TestFiguresMark(t *testing.T) {
	varied := []sweep.Parameter{{Name: "noise-multiplier", Values: []string{"1", "2"}}, {Name: "steps", Values: []string{"5", "6"}}, {Name: "loss", Values: []string{"hinge", "logistic"}}}
	var all []sweep.Summary
	var candidates []sweep.Candidate
	for i, settings := range combined(t, varied) {
		all = append(all, summaryOf(float64(10+i), float64(i), false, settings...))
		candidates = append(candidates, *all[i].Candidate)
	}
	chosen, err := Choose(candidates, []sweep.Setting{{Name: "loss", Value: "logistic"}, {Name: "noise-multiplier", Value: "2.0"}, {Name: "steps", Value: "5"}})
	if err != nil || chosen != &candidates[5] {
		t.Fatalf("got %v, %v, want the sixth configuration", chosen, err)
	}
	if _, err = Choose(candidates, []sweep.Setting{{Name: "loss", Value: "logistic"}, {Name: "steps", Value: "5"}}); err == nil {
		t.Error("two configurations were taken for one, want a refusal")
	}
	if _, err = Choose(candidates, []sweep.Setting{{Name: "loss", Value: "other"}}); err == nil {
		t.Error("a value that nothing has was taken, want a refusal")
	}
	want := map[string]figure.Mark{"accuracy-over-noise-multiplier": {X: 2, Y: 5}, "accuracy-over-steps": {X: 5, Y: 5}, "accuracy-over-epsilon": {X: 15, Y: 5}, "epsilon-over-noise-multiplier": {X: 2, Y: 15}}
	for _, f := range Figures(varied, all, "", Marked{Candidate: all[5].Candidate, Why: "x"}) {
		var marks []figure.Mark
		for _, p := range f.Panels {
			if len(p.Marks) > 0 && len(f.Panels) > 1 && p.Title != "loss logistic" && p.Title != "steps 5" && p.Title != "noise multiplier 2" {
				t.Errorf("%s: the panel %q has a mark", f.Name, p.Title)
			}
			marks = append(marks, p.Marks...)
		}
		w, known := want[f.Name]
		if len(marks) != 1 || marks[0].Text != "noise multiplier 2, steps 5, loss logistic" || known && (marks[0].X != w.X || marks[0].Y != w.Y) {
			t.Errorf("%s: got %v, want one mark at %v", f.Name, marks, w)
		}
	}
	for _, f := range Figures(varied, all, "", Marked{}) {
		if slices.ContainsFunc(f.Panels, func(p figure.Panel) bool { return len(p.Marks) > 0 }) {
			t.Errorf("%s has a mark, want none", f.Name)
		}
	}
}

func combined(t *testing.T, varied []sweep.Parameter) [][]sweep.Setting {
	t.Helper()
	out, err := sweep.Combine(varied)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
