package sweep

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// noisy is a plan whose noise in the mean gradient has a standard deviation of more than 50, as the test checks: at a learning rate
// of 1e308 a run of 3 steps stays finite with probability below (1.8/50)^9, less than 1e-12, since each of three weights must in
// each step move by less than 1.8.
func noisy(t *testing.T, s *data.Schema, probability, rate float64) Candidate {
	t.Helper()
	c := candidate(t, s, train.Request{Epsilon: 5e-5, Steps: 3, Center: train.No, SamplingProbability: probability}, Setting{"learning-rate", number(rate)}, Setting{"sampling-probability", number(probability)})
	c.Options.LearningRate, c.Options.Momentum = rate, 0
	if p := c.Linear.Plan; p.NoiseMultiplier*p.Clipping.Bound/(300*p.Share()) < 50 {
		t.Fatalf("the noise in the mean is %v, want more than 50", p.NoiseMultiplier*p.Clipping.Bound/300)
	}
	return c
}

// TestDivergedRunsAreRecorded wants every run of a sweep to end though some diverge, in shared passes and alone, and none of them to
// run again.
func TestDivergedRunsAreRecorded(t *testing.T) {
	s, d := toy(t, 300)
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	candidates := []Candidate{noisy(t, s, 0, 1e308), noisy(t, s, 0, 1e-6), noisy(t, s, 0.5, 1e308), noisy(t, s, 0.5, 1e-6)}
	journal := newMemory()
	var first []Measurement
	for pass := range 2 {
		sweep := Sweep{Candidates: candidates, Repeats: 2, Training: d, Examiner: e, Journal: journal}
		results, failed := sweep.Run(t.Context())
		if failed != nil {
			t.Fatal(failed)
		}
		for i := range candidates {
			if n := journal.ofCandidate(&candidates[i]); n != 2 {
				t.Errorf("pass %d: %d runs of %s began, want 2", pass, n, candidates[i].Words())
			}
		}
		if pass == 0 {
			first = results
		}
		for i, r := range results {
			bad := strings.HasPrefix(candidates[i/2].Words(), "learning rate 1e+308")
			if r.Diverged != bad || len(r.Metrics) != 3 || math.IsNaN(r.Value(option.MetricAccuracy)) != bad || r.LearningRate != first[i].LearningRate {
				t.Errorf("pass %d: got %+v of %s, want a run that diverged: %v", pass, r, candidates[i/2].Words(), bad)
			}
		}
	}
	all := slices.DeleteFunc(Summarize(candidates, first), func(s Summary) bool { return s.Metric != option.MetricAccuracy })
	if all[0].Diverged != 2 || all[0].Repeats != 0 || !math.IsNaN(all[0].Mean) || all[1].Diverged != 0 || all[1].Repeats != 2 {
		t.Errorf("got %+v, want no mean of runs that diverged", all[:2])
	}
}

// TestSelectionRanksDivergedRunsLast makes choices among a setting that diverges and one that does not: what diverges never wins, and
// ends nothing. Where it is all there is, the choice has no model and is paid for.
func TestSelectionRanksDivergedRunsLast(t *testing.T) {
	s, d := toy(t, 300)
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	wins := 0
	for _, candidates := range [][]Candidate{{noisy(t, s, 0, 1e308), noisy(t, s, 0, 1e-6)}, {noisy(t, s, 0, 1e308)}} {
		plan, failed := NewSelection(candidates, RunCountDistribution{Name: lawGeometric, Mean: 20})
		if failed != nil {
			t.Fatal(failed)
		}
		draft, failed := plan.Certificate(&candidates[0])
		if failed != nil {
			t.Fatal(failed)
		}
		for range 10 {
			l, failed := draft.Ledger()
			if failed != nil {
				t.Fatal(failed)
			}
			sweep := Sweep{Candidates: candidates, Training: d, Examiner: e}
			won, failed := sweep.Select(t.Context(), l, plan, option.MetricAccuracy, false)
			switch {
			case len(l.Event()) != 1:
				t.Fatalf("the ledger holds %v, want one choice", l.Event())
			case failed == nil && len(candidates) == 2 && won.Winner == &candidates[1]:
				wins++
			case failed != ErrAllDiverged:
				t.Errorf("got %+v, %v, want a model with finite weights, or word that there is none", won.Winner, failed)
			}
		}
	}
	// All runs draw the setting that diverges with probability (1/40)/(1-19/40), less than 0.048: in all ten choices with less than 7e-14.
	if wins == 0 {
		t.Error("the setting that learns never won, want it in most choices")
	}
}
