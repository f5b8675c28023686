package sweep

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/certificate"
)

// summaryOf is the summary of a configuration whose metric is what a function says.
func summaryOf(epsilon, mean float64, baseline bool, settings ...Setting) Summary {
	c := &Candidate{Settings: settings, Baseline: baseline, Certificate: certificate.Certificate{Epsilon: certificate.Epsilon(epsilon), Private: !baseline}}
	return Summary{Candidate: c, Metric: MetricAccuracy, Repeats: 2, Mean: mean, StandardDeviation: 1, Low: mean - 1, High: mean + 1}
}

// TestFigures holds that each curve has the points of its settings, in order, with their intervals.
func TestFigures(t *testing.T) {
	varied := []Parameter{{"epsilon", []string{"10", "0.1"}}, {"steps", []string{"5", "6", "7"}}, {"loss", []string{"hinge", "logistic"}}}
	var all []Summary
	value := func(epsilon, steps, loss int) float64 { return float64(100*epsilon + 10*steps + loss) }
	for e, epsilon := range varied[0].Values {
		for s, steps := range varied[1].Values {
			for l, loss := range varied[2].Values {
				all = append(all, summaryOf(1, value(e, s, l), false, Setting{"epsilon", epsilon}, Setting{"steps", steps}, Setting{"loss", loss}))
				if e == 0 {
					all = append(all, summaryOf(math.Inf(1), value(9, s, l), true, Setting{"steps", steps}, Setting{"loss", loss}))
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
	want := []Point{{0.1, value(1, 1, 1), value(1, 1, 1) - 1, value(1, 1, 1) + 1}, {10, value(0, 1, 1), value(0, 1, 1) - 1, value(0, 1, 1) + 1}}
	if s.Name != "steps 6" || !slices.Equal(s.Points, want) || s.Dashed {
		t.Errorf("got %+v, want %v of steps 6", s, want)
	}
	if b := f.Panels[1].Series[4]; !b.Dashed || b.Name != "without privacy, steps 6" || !slices.Equal(b.Points, []Point{Value(0.1, value(9, 1, 1)), Value(10, value(9, 1, 1))}) {
		t.Errorf("got %+v, want the dashed run without privacy at both ends", b)
	}
	over := figures[1].Panels[0]
	if over.X.Log || len(over.Series) != 3 || !over.Series[2].Dashed || over.Series[2].Name != "without privacy" || len(over.Series[2].Points) != 3 {
		t.Errorf("got %+v, want two curves over three steps and one without privacy", over)
	}
}

// TestFiguresOfPrices draws epsilon where it follows.
func TestFiguresOfPrices(t *testing.T) {
	varied := []Parameter{{"noise-multiplier", []string{"1", "2"}}}
	all := []Summary{summaryOf(8, 0.9, false, Setting{"noise-multiplier", "1"}), summaryOf(3, 0.8, false, Setting{"noise-multiplier", "2"}), summaryOf(math.Inf(1), 0.95, true)}
	figures := Figures(varied, all, "", Marked{})
	if len(figures) != 3 || figures[1].Name != "accuracy-over-epsilon" || figures[2].Name != "epsilon-over-noise-multiplier" {
		t.Fatalf("got %+v, want accuracy over noise and over epsilon, and epsilon over noise", figures)
	}
	if s := figures[1].Panels[0].Series; len(s) != 2 || !slices.Equal(s[0].Points, []Point{{3, 0.8, -0.19999999999999996, 1.8}, {8, 0.9, -0.09999999999999998, 1.9}}) || !s[1].Dashed || s[1].Points[0].Y != 0.95 {
		t.Errorf("got %+v, want both configurations by epsilon, and the run without privacy dashed", s)
	}
	if s := figures[2].Panels[0].Series; len(s) != 1 || !slices.Equal(s[0].Points, []Point{Value(1, 8), Value(2, 3)}) {
		t.Errorf("got %+v, want the price of each", s)
	}
	if none := Figures([]Parameter{{"loss", []string{"hinge", "logistic"}}}, []Summary{summaryOf(1, 0.5, false, Setting{"loss", "hinge"})}, "", Marked{}); len(none) != 0 {
		t.Errorf("got %+v over texts, want no figure", none)
	}
}
