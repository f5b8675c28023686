package optimizer

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// free pays for everything.
type free struct{}

func (free) Pay(mechanism.Event) error { return nil }

// noisyOf is a release of these numbers, without noise.
func noisyOf(t testing.TB, values ...float64) release.Noisy {
	t.Helper()
	sample, err := release.Draw(release.Full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: mechanism.NonPrivate{}, Norm: release.L2(), Dim: len(values), Bound: 1 << 10, MaxRecords: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err = sum.Add(0, values); err != nil {
		t.Fatal(err)
	}
	noisy, err := release.Release(free{}, mechanism.NonPrivate{}, sum.Seal())
	if err != nil {
		t.Fatal(err)
	}
	return noisy
}

// everyOptimizer returns one of each, new.
func everyOptimizer(o Objective) map[string]Optimizer {
	return map[string]Optimizer{option.OptimizerMomentum: &Momentum{Objective: o, Momentum: 0.7}, option.OptimizerNesterov: &Nesterov{Objective: o, Momentum: 0.7},
		option.OptimizerAdam: &Adam{Objective: o, MeanDecay: 0.8, SquareDecay: SquareDecay}, option.OptimizerAdamCorrected: &Adam{Objective: o, MeanDecay: 0.8, SquareDecay: SquareDecay, NoiseVariance: 1e-6}}
}

// TestOptimizersMinimize takes the separable objective Σ h_j(w_j - a_j)²/2 + r·w_j²/2 + l·|w_j|, whose
// minimum is the soft threshold of h_j·a_j at l, over h_j + r. The sums are those of 4 records.
func TestOptimizersMinimize(t *testing.T) {
	h, a := []float64{0.5, 1, 2, 0.25}, []float64{3, -0.2, 0.04, -2}
	for _, penalty := range []struct{ ridge, l1 float64 }{{0, 0}, {0.3, 0}, {0, 0.1}, {0.2, 0.1}} {
		objective := Objective{Divisor: 4, Ridge: penalty.ridge, L1: penalty.l1, Rates: Rates{LearningRate: 0.1, Schedule: option.ScheduleLinear, WarmUp: 5, Steps: 2000}}
		for name, optimizer := range everyOptimizer(objective) {
			w, zeros := make([]float64, len(h)), 0
			for range 2000 {
				sum := make([]float64, len(h))
				for j := range h {
					sum[j] = 4 * h[j] * (w[j] - a[j])
				}
				optimizer.Step(w, noisyOf(t, sum...))
			}
			for j := range h {
				want := math.Copysign(max(0, math.Abs(h[j]*a[j])-penalty.l1), a[j]) / (h[j] + penalty.ridge)
				if math.Abs(w[j]-want) > 1e-5 {
					t.Errorf("%s with ridge %v and l1 %v: weight %d is %v, want %v", name, penalty.ridge, penalty.l1, j, w[j], want)
				}
				if w[j] == 0 {
					zeros++
				}
			}
			if (zeros > 0) != (penalty.l1 > 0) {
				t.Errorf("%s with l1 %v: %d weights are 0", name, penalty.l1, zeros)
			}
		}
	}
}

// TestStepsOfOptimizers compares the first steps along the constant gradient 2 with what the papers'
// formulas give by hand.
func TestStepsOfOptimizers(t *testing.T) {
	objective := Objective{Divisor: 3, Rates: Rates{LearningRate: 0.5}}
	for name, c := range map[string]struct {
		optimizer Optimizer
		want      []float64
	}{
		// v = 2, 2+1, 2+1.5.
		"momentum": {&Momentum{Objective: objective, Momentum: 0.5}, []float64{-1, -2.5, -4.25}},
		// x = -1, w = -1.5; x = -2.5, w = -3.25; x = -4.25, w = -5.125.
		"nesterov": {&Nesterov{Objective: objective, Momentum: 0.5}, []float64{-1.5, -3.25, -5.125}},
		// Corrected moments of a constant are the constant and its square.
		"adam": {&Adam{Objective: objective, MeanDecay: 0.9, SquareDecay: 0.999}, []float64{-0.5, -1, -1.5}},
		// 2² - 3 = 1, and 2² - 3.9 is less than a tenth of 3.9.
		"adam, noise 3":   {&Adam{Objective: objective, MeanDecay: 0.9, SquareDecay: 0.999, NoiseVariance: 3}, []float64{-1, -2}},
		"adam, noise 3.9": {&Adam{Objective: objective, MeanDecay: 0.9, SquareDecay: 0.999, NoiseVariance: 3.9}, []float64{-1 / math.Sqrt(0.39)}},
	} {
		w := []float64{0}
		for i, want := range c.want {
			if c.optimizer.Step(w, noisyOf(t, 6)); math.Abs(w[0]-want) > 1e-7 {
				t.Errorf("%s: weight after step %d is %v, want %v", name, i+1, w[0], want)
			}
		}
	}
}

func TestRates(t *testing.T) {
	for _, c := range []struct {
		rates Rates
		want  []float64
	}{
		{Rates{LearningRate: 2}, []float64{2, 2, 2}},
		{Rates{LearningRate: 2, Schedule: option.ScheduleLinear, Steps: 4}, []float64{2, 1.5, 1, 0.5, 0}},
		{Rates{LearningRate: 2, Schedule: option.ScheduleCosine, Steps: 4}, []float64{2, 1 + math.Sqrt2/2, 1, 1 - math.Sqrt2/2, 0}},
		{Rates{LearningRate: 6, Schedule: option.ScheduleInverseSquareRoot, Steps: 9}, []float64{6, 6 / math.Sqrt2, 6 / math.Sqrt(3), 3}},
		{Rates{LearningRate: 3, WarmUp: 2, Steps: 4}, []float64{1, 2, 3, 3}},
		{Rates{LearningRate: 3, Schedule: option.ScheduleLinear, WarmUp: 2, Steps: 4}, []float64{1, 2, 3, 1.5}},
	} {
		for step, want := range c.want {
			if got := c.rates.At(step); math.Abs(got-want) > 1e-15 {
				t.Errorf("%+v: rate of step %d is %v, want %v", c.rates, step, got, want)
			}
		}
	}
}
