package sweep

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// rates are candidates that differ in their learning rate alone.
func rates(t *testing.T, epsilon float64, rates ...string) []Candidate {
	t.Helper()
	s, _ := toy(t, 300)
	var out []Candidate
	for _, rate := range rates {
		c := candidate(t, s, train.Request{Epsilon: epsilon, Steps: 3, Center: train.No}, Setting{"learning-rate", rate})
		c.Options.LearningRate = 1
		if rate == "tiny" {
			c.Options.LearningRate = 1e-12
		}
		out = append(out, c)
	}
	return out
}

// TestSelectionCertificate recomputes the price and refuses another plan.
func TestSelectionCertificate(t *testing.T) {
	candidates := rates(t, 1, "1", "tiny")
	plan, err := NewSelection(candidates, RunCountDistribution{Name: lawGeometric, Mean: 4})
	if err != nil {
		t.Fatal(err)
	}
	c, err := plan.Certificate(&candidates[1])
	if err != nil {
		t.Fatal(err)
	}
	methods := SelectionMethods(train.Methods())
	if err = c.VerifyPlan(methods); err != nil {
		t.Error(err)
	}
	run := candidates[0].Linear.Plan
	if want := (mechanism.RepeatAndSelect{Shape: 1, Mean: 4, Event: run.Event()}).String(); c.Event != want {
		t.Errorf("the event is %s, want %s", c.Event, want)
	}
	if want := 125*4*run.NoiseDraws() + 1; c.NoiseDraws != want {
		t.Errorf("there are %d draws of noise, want %d", c.NoiseDraws, want)
	}
	// Rényi divergences of the best run are at least those of a run. A pure bound at most triples
	// (theorem 1 of the publication for shape 1, with a margin for its RDP form).
	if e := float64(c.Epsilon); !(e > 1 && e < 4) {
		t.Errorf("the choice costs %v, want more than a run, 1, and less than 4", e)
	}
	for from, to := range map[string]string{`"mean":4`: `"mean":3`, `"law":"geometric"`: `"law":"poisson"`, `"run-method":"dp-gd"`: `"run-method":"other"`, `"steps":3`: `"steps":2`} {
		changed := c
		changed.Plan = []byte(strings.Replace(string(c.Plan), from, to, 1))
		if string(changed.Plan) == string(c.Plan) || changed.VerifyPlan(methods) == nil {
			t.Errorf("with %s for %s the certificate is verified, want a disagreement", to, from)
		}
	}
}

func TestSelectionRefusals(t *testing.T) {
	s, _ := toy(t, 300)
	one := rates(t, 1, "1")
	for name, all := range map[string][]Candidate{
		"none": nil, "other noise": append(rates(t, 2, "1"), one...), "no privacy": {candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 3})},
		"other steps": append(one[:1:1], candidate(t, s, train.Request{Epsilon: 1, Steps: 5})), "other methods": {{}},
	} {
		if _, err := NewSelection(all, RunCountDistribution{Name: lawGeometric, Mean: 3}); err == nil {
			t.Errorf("%s: a choice was taken, want a refusal", name)
		}
	}
	if _, err := NewSelection(one, RunCountDistribution{Name: lawGeometric}); err == nil {
		t.Error("a mean of 0 was taken, want a refusal")
	}
}

// TestSelectReleasesTheBest chooses 30 times among two settings, of which one learns nothing: its accuracy is that of one
// level, about a half. Of a geometric number of mean 30, all runs draw it with probability (1/60)/(1-29/60) = 0.0323, 9
// times or more of 30 with probability below 6e-7. A choice that looks at nothing takes it 15 times.
func TestSelectReleasesTheBest(t *testing.T) {
	_, d := toy(t, 300)
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	candidates := rates(t, 50, "1", "tiny")
	plan, err := NewSelection(candidates, RunCountDistribution{Name: lawGeometric, Mean: 30})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := plan.Certificate(&candidates[0])
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for range 30 {
		l, failed := draft.Ledger()
		if failed != nil {
			t.Fatal(failed)
		}
		sweep := Sweep{Candidates: candidates, Training: d, Examiner: e}
		won, failed := sweep.Select(context.Background(), l, plan, option.MetricAccuracy, false)
		if failed != nil {
			t.Fatal(failed)
		}
		if won.Winner.Settings[0].Value == "tiny" {
			lost++
		}
		if entries := l.Event(); len(entries) != 1 || entries[0].String() != draft.Event || won.Certificate.Epsilon != draft.Epsilon {
			t.Fatalf("the ledger holds %v, want %s", entries, draft.Event)
		}
	}
	if lost > 8 {
		t.Errorf("the setting that learns nothing won %d times of 30, want at most 8", lost)
	}
}

// TestSelectStaysSpent makes a choice under a durable ledger, which gives back what nobody paid for.
func TestSelectStaysSpent(t *testing.T) {
	_, d := toy(t, 100)
	candidates := rates(t, 1, "1")
	plan, err := NewSelection(candidates, RunCountDistribution{Name: lawGeometric, Mean: 3})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := plan.Certificate(&candidates[0])
	if err != nil {
		t.Fatal(err)
	}
	l, err := draft.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	limit := l.Limit()
	book, err := budget.Create(t.Context(), chain.NewMemory(), budget.Terms{Name: "toys", Epsilon: 2 * limit.Epsilon(), Delta: 2 * limit.Delta(), Neighboring: limit.Neighboring(),
		Unit: limit.Unit(), Filter: budget.Filter{Name: budget.Basic}, Who: "officer", Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	payment, err := l.Under(t.Context(), book, budget.Ask{Data: "toys", Draws: draft.NoiseDraws})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	sweep := Sweep{Candidates: candidates, Training: d, Examiner: e}
	if _, err = sweep.Select(t.Context(), l, plan, option.MetricAccuracy, false); err != nil {
		t.Fatal(err)
	}
	if err = payment.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s := book.Summary(); s.Releases[0].Outcome != budget.Released || !(s.Spent > 0) {
		t.Errorf("the ledger stands at %v with %+v, want the choice to be spent", s.Spent, s.Releases)
	}
}

// TestSelectIsPaidBefore refuses a choice beyond the budget before a run.
func TestSelectIsPaidBefore(t *testing.T) {
	_, d := toy(t, 300)
	candidates := rates(t, 1, "1")
	plan, err := NewSelection(candidates, RunCountDistribution{Name: lawGeometric, Mean: 3})
	if err != nil {
		t.Fatal(err)
	}
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewSingle(limit)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEvaluator(d)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop() // a run would say that it was stopped
	sweep := Sweep{Candidates: candidates, Training: d, Examiner: e}
	if _, err = sweep.Select(ctx, l, plan, option.MetricAccuracy, false); !errors.Is(err, ledger.ErrOverBudget) {
		t.Errorf("got %v, want a refusal by the budget, which is that of one run", err)
	}
}
