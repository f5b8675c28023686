package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/privacy"
)

// normalDelta is the smallest delta at which a sum of k releases with this noise multiplier is epsilon-private: B.
// Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential Privacy", ICML 2018, theorem 8, with
// the k releases as one of noise multiplier z/√k.
func normalDelta(epsilon, k, z float64) float64 {
	mu := math.Sqrt(k) / z
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return below(mu/2-epsilon/mu) - math.Exp(epsilon)*below(-mu/2-epsilon/mu)
}

// TestBudgetFigures compares every point of a run of full batches with the closed form, and wants the price of
// the certificate at the end, and the preparation in every point.
func TestBudgetFigures(t *testing.T) {
	c := certificate.Certificate{Private: true, Epsilon: 1.25, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "repeat(60, gaussian(30))"}
	figures := curve.BudgetFigures(c)
	if len(figures) != 1 {
		t.Fatalf("got %d figures, want 1", len(figures))
	}
	points := figures[0].Panels[0].Series[0].Points
	for _, p := range points[:len(points)-1] {
		if got := normalDelta(p.Y, p.X, 30); math.Abs(got/1e-6-1) > 1e-4 {
			t.Errorf("after %v steps: got epsilon %v, at which delta is %v, want 1e-6", p.X, p.Y, got)
		}
	}
	end, mark := points[len(points)-1], figures[0].Panels[0].Marks[0]
	if end.X != 60 || end.Y != 1.25 || mark.X != 60 || mark.Y != 1.25 || !strings.Contains(mark.Text, "1.25") {
		t.Errorf("got the end %+v and the mark %+v, want 60 steps at the price of the certificate", end, mark)
	}
	c.Event = "sequence(gaussian(15), repeat(58, gaussian(30)), repeat(2, gaussian(42.426406871192851)))" // which costs as much as 5 steps more
	for i, p := range curve.BudgetFigures(c)[0].Panels[0].Series[0].Points[:5] {
		if got := normalDelta(p.Y, p.X+5, 30); math.Abs(got/1e-6-1) > 1e-4 {
			t.Errorf("point %d, %v steps between preparation and correction: got epsilon %v, at which delta is %v, want 1e-6", i, p.X, p.Y, got)
		}
	}
}

func TestBudgetFiguresLeftOut(t *testing.T) {
	for name, c := range map[string]certificate.Certificate{
		"one release":      {Private: true, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "gaussian(10)"},
		"no guarantee":     {Epsilon: certificate.Epsilon(math.Inf(1)), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "repeat(60, gaussian(30))"},
		"no event":         {Private: true, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "nothing"},
		"no such auditor":  {Private: true, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "none", Event: "repeat(60, gaussian(30))"},
		"no proof for it":  {Private: true, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "repeat(60, poisson(0.1, gaussian(1)))"},
		"only a beginning": {Private: true, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Accountant: "gdp", Event: "repeat(1, gaussian(30))"},
	} {
		if got := curve.BudgetFigures(c); got != nil {
			t.Errorf("%s: got %v, want no figure", name, got)
		}
	}
}

// TestTrainDrawsItsBudget wants the figure in the page of a run, and none in that of a baseline.
func TestTrainDrawsItsBudget(t *testing.T) {
	for _, baseline := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "model")
		args := []string{"train", "--steps", "5", "--quiet", "--out", out}
		if baseline {
			args = append(args, "--non-private")
		}
		mustInvoke(t, args...)
		page, err := os.ReadFile(filepath.Join(out, report.FileName))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(page), "The budget over the steps"); got == baseline {
			t.Errorf("without privacy %v: got a figure of the budget %v, want the opposite", baseline, got)
		}
	}
}
