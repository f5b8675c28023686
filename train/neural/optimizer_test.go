package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

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

// TestStepsOfOptimizers compares the first steps of a weight with the papers' formulas by hand. The
// weight begins at 1, the gradient is 2, and the rate is 0.5.
func TestStepsOfOptimizers(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want []float64
	}{
		// v = 2, 2 + 0.5·2.
		"momentum": {Options{Momentum: 0.5}, []float64{0, -1.5}},
		"plain":    {Options{Momentum: -1}, []float64{0, -1}},
		// x = 0, w = -0.5; x = -1.5, w = -2.25.
		"nesterov": {Options{Optimizer: "nesterov", Momentum: 0.5}, []float64{-0.5, -2.25}},
		// 2/√4, 2/√8.
		"adagrad": {Options{Optimizer: "adagrad"}, []float64{0.5, 0.5 - 0.5/math.Sqrt2}},
		// Corrected moments of a constant are the constant and its square.
		"adam": {Options{Optimizer: "adam"}, []float64{0.5, 0}},
		// w - 0.5·0.01·w before each.
		"adamw":                {Options{Optimizer: "adamw"}, []float64{0.495, 0.495*0.995 - 0.5}},
		"adamw without":        {Options{Optimizer: "adamw", WeightDecay: -1}, []float64{0.5, 0}},
		"momentum, decay":      {Options{Momentum: -1, WeightDecay: 0.2}, []float64{-0.1, -1.09}},
		"momentum, ridge":      {Options{Momentum: -1, Ridge: 1}, []float64{-0.5, -1.25}},
		"adam, warm-up":        {Options{Optimizer: "adam", WarmUp: 1}, []float64{0.75, 0.25}},
		"adam-corrected, 3":    {Options{Optimizer: "adam-corrected"}, []float64{0.5, 0}},
		"adamw, decay, warmed": {Options{Optimizer: "adamw", WeightDecay: 0.2, WarmUp: 1}, []float64{0.7, 0.7*0.9 - 0.5}},
	} {
		rates := optimizer.Rates{LearningRate: 0.5, WarmUp: c.o.WarmUp, Steps: 10}
		optimizer, err := c.o.newOptimizer(rates, 3, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := []float64{1}
		for i, want := range c.want {
			if optimizer.Step(w, noisyOf(t, 6)); math.Abs(w[0]-want) > 1e-7 {
				t.Errorf("%s: weight after step %d is %v, want %v", name, i+1, w[0], want)
			}
		}
	}
}

// TestNoiseIsTakenOffTheSquares: the gradient's square is 4. The noise of the sum has deviation
// 3·√3, and the divisor is 3, so 4 - 3 = 1 remains.
func TestNoiseIsTakenOffTheSquares(t *testing.T) {
	optimizer, err := Options{Optimizer: "adam-corrected"}.newOptimizer(optimizer.Rates{LearningRate: 0.5}, 3, 3*math.Sqrt(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := []float64{0}
	if optimizer.Step(w, noisyOf(t, 6)); math.Abs(w[0]+1) > 1e-7 {
		t.Errorf("weight is %v, want -1", w[0])
	}
}

// TestScalesAreTakenOff takes some steps with scaled-adam, without clipping and noise. It compares
// the next release, divided by its scales, with a release without scales. They are equal up to the
// rounding of factors.
func TestScalesAreTakenOff(t *testing.T) {
	for network, request := range networksUnderTest() {
		rows := testRows(t, 60, 12, network)
		wide := ClippingRequest{Norm: 60, PerLayer: true}
		if network == "positions" { // whose gradients are long
			wide.Norm = 300
		}
		plain, scaled := testRun(t, request, wide, rows), testRun(t, request, wide, rows)
		first := make([]float32, scaled.Network.Weights())
		scaled.Network.Init(first, 3)
		scaled.begin(first)
		scaled.options.Optimizer, scaled.rates.LearningRate, scaled.groups = "scaled-adam", 0.01, nil
		if err := scaled.group(); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			if err := scaled.step(); err != nil {
				t.Fatal(err)
			}
		}
		plain.copyWeights(scaled.weights)
		want, err := plain.release()
		if err != nil {
			t.Fatal(err)
		}
		got, err := scaled.release()
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range scaled.groups {
			scale := scaling(g.optimizer)
			scale.Step(make([]float64, g.to-g.from), got[k]) // which fills in what takes the scales off
			off, whole := distance(got[k].Scaled(scale.by).Values(), want[k].Values()), kernel.Norm(want[k].Values())
			if !(off < 0.1*whole) {
				t.Errorf("%s: release %d, of norm %v, is off by %v, want 10 %% at most", network, k, whole, off)
			}
			if distance(got[k].Values(), want[k].Values()) < 0.1*whole && len(scale.by) > 20 {
				t.Errorf("%s: release %d is hardly scaled", network, k)
			}
		}
	}
}

// TestAveragesOfIterates shows the iterates 1, …, 10.
func TestAveragesOfIterates(t *testing.T) {
	// (1-d)·Σ d^(10-t)·t over 1-d^10.
	exponential, d := 0.0, 0.7
	for i := 1; i <= 10; i++ {
		exponential += (1 - d) * math.Pow(d, float64(10-i)) * float64(i)
	}
	exponential /= 1 - math.Pow(d, 10)
	for rule, want := range map[string]float64{option.AverageNone: 10, option.AverageUniform: 5.5, option.AverageTail: 8.5, option.AverageExponential: exponential} {
		o := Options{Average: rule}
		if rule == option.AverageExponential {
			o.AverageDecay = d
		}
		a, err := o.newAverage(10)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 10 {
			a.add(step, []float64{float64(step + 1)})
		}
		if got := a.weights([]float64{10}); math.Abs(got[0]-want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", rule, got[0], want)
		}
	}
}

// TestListsAreWhole compares the tables with the lists of package option, which stand in the same order.
func TestListsAreWhole(t *testing.T) {
	var lines []string
	for _, o := range optimizers {
		lines = append(lines, o.name)
	}
	if want := option.NetworkOptimizers(); !slices.Equal(lines, want) {
		t.Errorf("optimizers are %v, want %v", lines, want)
	}
	var listed []string
	for _, r := range option.ClippingRules() {
		if listed = append(listed, r[0]); r[1] == "" {
			t.Errorf("rule %q has no words", r[0])
		}
	}
	if got := ruleNames(); !slices.Equal(got, listed) {
		t.Errorf("clipping rules are %v, want %v", got, listed)
	}
}
