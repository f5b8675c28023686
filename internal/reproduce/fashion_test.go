package reproduce

import (
	"testing"

	"github.com/ditherml/dither/internal/experiment"
)

// TestFashionCost compares with quadrature, and wants curves that rise over epochs and batch sizes and fall with noise.
func TestFashionCost(t *testing.T) {
	if !thorough {
		t.Skip("prices of many plans: run with -tags long")
	}
	out := check(t, fashionCost(), experiment.Environment{})
	if len(out.Comparisons) != 2*len(fashionPoints()) || len(out.Figures) != 2 {
		t.Fatalf("got %d rows and %d figures, want two for each published point, and two", len(out.Comparisons), len(out.Figures))
	}
	for i := 0; i < len(out.Comparisons); i += 2 {
		if renyi, exact := out.Comparisons[i].Value, out.Comparisons[i+1].Value; !(exact < renyi && exact > 0.8*renyi) {
			t.Errorf("%s: exact epsilon is %v beside %v, want less, but not by a fifth", out.Comparisons[i].Quantity, exact, renyi)
		}
	}
	for k, drawn := range out.Figures {
		panel := drawn.Panels[0]
		for i, s := range panel.Series {
			for j, p := range s.Points {
				if j > 0 && !(p.Y > s.Points[j-1].Y) {
					t.Errorf("%s: %s: epsilon is %v after %v epochs and %v before", panel.Title, s.Name, p.Y, p.X, s.Points[j-1].Y)
				}
				if i == 0 {
					continue
				}
				if before := panel.Series[i-1].Points[j].Y; (p.Y > before) != (k == 1) {
					t.Errorf("%s: after %v epochs epsilon is %v at %s and %v at %s", panel.Title, p.X, p.Y, s.Name, before, panel.Series[i-1].Name)
				}
			}
		}
	}
}

// TestFashionTrials wants a trial for whatever the rows and figures look up.
func TestFashionTrials(t *testing.T) {
	courses := map[string][]sample{}
	for i, trial := range fashionTrials() {
		if _, twice := courses[trial.key]; twice {
			t.Errorf("%s is there twice", trial.key)
		}
		course := make([]sample, len(trial.looks))
		for k := range course {
			course[k] = sample{float64(i), float64(i + 1)}
		}
		courses[trial.key] = course
	}
	budgets := make([]sample, len(fashionBudgets))
	for i := range budgets {
		budgets[i] = sample{float64(i)}
	}
	for _, c := range fashionRows(courses, budgets, budgets) {
		if c.Ours == "" || c.Why == "" {
			t.Errorf("row %+v is not filled in", c)
		}
	}
	over, err := fashionOverEpsilon(courses, budgets, budgets)
	if err != nil {
		t.Fatal(err)
	}
	checkFigure(t, over)
	for _, f := range fashionOverEpochs(courses) {
		checkFigure(t, f)
	}
}
