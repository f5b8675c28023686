package outcome

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/sweep"
)

// summaryOf is the summary of a configuration whose metric is what a function says.
func summaryOf(epsilon, mean float64, baseline bool, settings ...sweep.Setting) sweep.Summary {
	c := &sweep.Candidate{Settings: settings, Baseline: baseline, Certificate: certificate.Certificate{Epsilon: certificate.Epsilon(epsilon), Private: !baseline}}
	return sweep.Summary{Candidate: c, Metric: option.MetricAccuracy, Repeats: 2, Mean: mean, StandardDeviation: 1, Low: mean - 1, High: mean + 1}
}

// TestFigures holds that each curve has the points of its settings, in order, with their intervals.
func TestFigures(t *testing.T) {
	varied := []sweep.Parameter{{Name: "epsilon", Values: []string{"10", "0.1"}}, {Name: "steps", Values: []string{"5", "6", "7"}}, {Name: "loss", Values: []string{"hinge", "logistic"}}}
	var all []sweep.Summary
	value := func(epsilon, steps, loss int) float64 { return float64(100*epsilon + 10*steps + loss) }
	for e, epsilon := range varied[0].Values {
		for s, steps := range varied[1].Values {
			for l, loss := range varied[2].Values {
				all = append(all, summaryOf(1, value(e, s, l), false, sweep.Setting{Name: "epsilon", Value: epsilon}, sweep.Setting{Name: "steps", Value: steps}, sweep.Setting{Name: "loss", Value: loss}))
				if e == 0 {
					all = append(all, summaryOf(math.Inf(1), value(9, s, l), true, sweep.Setting{Name: "steps", Value: steps}, sweep.Setting{Name: "loss", Value: loss}))
				}
			}
		}
	}
	figures := Figures(varied, all, "dither sweep", Marked{})
	if len(figures) != 2 || figures[0].Name != "accuracy-over-epsilon" || figures[1].Name != "accuracy-over-steps" || figures[0].Command != "dither sweep" {
		t.Fatalf("got %d figures, want accuracy over epsilon and over steps", len(figures))
	}
	f := figures[0]
	if len(f.Panels) != 2 || f.Panels[1].Title != "loss logistic" || !f.Panels[0].X.Log || len(f.Panels[1].Series) != 6 {
		t.Fatalf("got %+v, want two panels by loss, of a curve for each number of steps, and as many without privacy, over a logarithmic axis", f)
	}
	s := f.Panels[1].Series[1]
	want := []figure.Point{{X: 0.1, Y: value(1, 1, 1), Low: value(1, 1, 1) - 1, High: value(1, 1, 1) + 1}, {X: 10, Y: value(0, 1, 1), Low: value(0, 1, 1) - 1, High: value(0, 1, 1) + 1}}
	if s.Name != "steps 6" || !slices.Equal(s.Points, want) || s.Dashed {
		t.Errorf("got %+v, want %v of steps 6", s, want)
	}
	if b := f.Panels[1].Series[4]; !b.Dashed || b.Name != "without privacy, steps 6" || !slices.Equal(b.Points, []figure.Point{figure.Value(0.1, value(9, 1, 1)), figure.Value(10, value(9, 1, 1))}) {
		t.Errorf("got %+v, want the dashed run without privacy at both ends", b)
	}
	over := figures[1].Panels[0]
	if over.X.Log || len(over.Series) != 3 || !over.Series[2].Dashed || over.Series[2].Name != "without privacy" || len(over.Series[2].Points) != 3 {
		t.Errorf("got %+v, want two curves over three steps and one without privacy", over)
	}
}

// TestFiguresOfPrices draws epsilon where it follows.
func TestFiguresOfPrices(t *testing.T) {
	varied := []sweep.Parameter{{Name: "noise-multiplier", Values: []string{"1", "2"}}}
	all := []sweep.Summary{summaryOf(8, 0.9, false, sweep.Setting{Name: "noise-multiplier", Value: "1"}), summaryOf(3, 0.8, false, sweep.Setting{Name: "noise-multiplier", Value: "2"}), summaryOf(math.Inf(1), 0.95, true)}
	figures := Figures(varied, all, "", Marked{})
	if len(figures) != 3 || figures[1].Name != "accuracy-over-epsilon" || figures[2].Name != "epsilon-over-noise-multiplier" {
		t.Fatalf("got %+v, want accuracy over noise and over epsilon, and epsilon over noise", figures)
	}
	if s := figures[1].Panels[0].Series; len(s) != 2 || !slices.Equal(s[0].Points, []figure.Point{{X: 3, Y: 0.8, Low: -0.19999999999999996, High: 1.8}, {X: 8, Y: 0.9, Low: -0.09999999999999998, High: 1.9}}) || !s[1].Dashed || s[1].Points[0].Y != 0.95 {
		t.Errorf("got %+v, want both configurations by epsilon, and the run without privacy dashed", s)
	}
	if s := figures[2].Panels[0].Series; len(s) != 1 || !slices.Equal(s[0].Points, []figure.Point{figure.Value(1, 8), figure.Value(2, 3)}) {
		t.Errorf("got %+v, want the price of each", s)
	}
	if none := Figures([]sweep.Parameter{{Name: "loss", Values: []string{"hinge", "logistic"}}}, []sweep.Summary{summaryOf(1, 0.5, false, sweep.Setting{Name: "loss", Value: "hinge"})}, "", Marked{}); len(none) != 0 {
		t.Errorf("got %+v over texts, want no figure", none)
	}
}
