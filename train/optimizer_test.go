package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// TestOutputRules shows the iterates 0, 1, …, 10 of 10 steps.
func TestOutputRules(t *testing.T) {
	for rule, want := range map[string]float64{option.OutputLast: 10, option.OutputUniformAverage: 4.5, option.OutputTailAverage: 8.5, option.OutputAllIterates: 10} {
		s := Setup{Plan: Plan{Steps: 10}}
		out := s.newOutput(Options{Output: rule})
		for step := range 10 {
			out.before(step, []float64{float64(step)})
			out.after(step, []float64{float64(step + 1)})
		}
		if got := out.weights([]float64{10}); got[0] != want {
			t.Errorf("%s: got %v, want %v", rule, got[0], want)
		}
		if kept := len(out.all); (kept == 10) != (rule == option.OutputAllIterates) || kept > 0 && out.all[3][0] != 4 {
			t.Errorf("%s keeps %d iterates, want 10 under %s alone", rule, kept, option.OutputAllIterates)
		}
	}
}

// TestEveryOptimizerReachesTheOptimum trains without noise on the toy records and checks that the
// gradient of the penalized mean loss vanishes, in float64 on rows of their own; where a weight is 0, that
// it is within the slope of the penalty.
func TestEveryOptimizerReachesTheOptimum(t *testing.T) {
	const n, ridge = 300, 0.02
	s := toySchema(t)
	s.Records = n
	d := toyData(t, s, n)
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 1500, ClippingNorm: 10, Normalization: feature.NormNone, Center: No, Whiten: No}
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	x, scratch, values := make([]float64, setup.Features.Dim()), setup.Features.NewScratch(1), make([]float32, 3)
	for _, name := range option.Optimizers() {
		for _, l1 := range []float64{0, 0.02} {
			if name == option.OptimizerLBFGS { // whose ridge is on standardized columns: TestBaselineIsTheMinimum
				continue
			}
			o := Options{LearningRate: 0.5, Momentum: 0.8, Ridge: ridge, L1: l1, Optimizer: name, Output: option.OutputLast}
			if isAdam(name) {
				o.LearningRate, o.Schedule = 0.02, option.ScheduleLinear
			}
			result, failed := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, o)
			if failed != nil {
				t.Fatal(failed)
			}
			w := result.Model.Weights()
			slope := make([]float64, len(w))
			for i := range n {
				setup.Features.Apply(x, 1, scratch, func(int) []float32 { return d.Row(values, i) })
				z := 0.0
				for j := range x {
					z += w[j] * x[j]
				}
				for j := range x {
					slope[j] += (1/(1+math.Exp(-z)) - float64(d.Target()[i])) * x[j] / n
				}
			}
			for j, g := range slope {
				g += ridge * w[j]
				if w[j] != 0 && math.Abs(g+math.Copysign(l1, w[j])) > 1e-4 || w[j] == 0 && math.Abs(g) > l1+1e-4 {
					t.Errorf("%s, l1 %v: the slope at weight %d = %v is %v", name, l1, j, w[j], g)
				}
			}
		}
	}
}

func TestStepRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"schedule":         {Options{Schedule: "steps"}, "schedule"},
		"optimizer":        {Options{Optimizer: "sgd"}, "optimizer"},
		"warm-up":          {Options{WarmUp: -1}, "warm-up"},
		"output":           {Options{Output: "best"}, "output rule"},
		"output twice":     {Options{Output: option.OutputLast, Average: Yes}, "output rule"},
		"negative l1":      {Options{L1: -1}, "l1"},
		"too many numbers": {Options{Output: option.OutputAllIterates}, "numbers in all"},
	} {
		setup, err := NewPlan(ask(), toySchema(t))
		if err != nil {
			t.Fatal(err)
		}
		setup.Plan.Steps = maxIterates
		if err = setup.checkOutput(c.o); err == nil {
			err = c.o.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.want)
		}
	}
}

// TestPrivateRunsOfEveryOptimizer learns with noise, by the rule for the learning rate. Accuracies are 0.886 with a standard
// deviation of 0.0011 (160 runs).
func TestPrivateRunsOfEveryOptimizer(t *testing.T) {
	for _, name := range option.Optimizers() {
		if name == option.OptimizerLBFGS { // of baselines alone
			continue
		}
		r := ask()
		r.Epsilon = 2
		o := Options{Optimizer: name, Momentum: 0.9}
		if isAdam(name) {
			o.Schedule = option.ScheduleCosine
		}
		if got := accuracy(t, fitted(t, r, o).Model); got < 0.8 {
			t.Errorf("%s: accuracy is %.3f, want at least 0.8", name, got)
		}
	}
}
