package neural

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
)

// lineData are records with so many numbers, each up to the reach, of class yes where every other of them minus the
// rest is positive.
func lineData(t testing.TB, records, numbers int, reach float64) (*data.Schema, *data.Dataset) {
	t.Helper()
	s := &data.Schema{Name: "line", Row: "one person", Records: records, MaxRecords: 5000, Target: data.Target{Column: "class", Levels: []string{"no", "yes"}}}
	for j := range numbers {
		s.Columns = append(s.Columns, data.Column{Name: fmt.Sprint("number", j), Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero})
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	columns, target := make([][]float32, numbers), make([]float32, records)
	for i := range records {
		sum := 0.0
		for j := range numbers {
			v := reach * (2*r.Float64() - 1)
			columns[j] = append(columns[j], float32(v))
			sum += v * float64(1-2*(j%2))
		}
		if sum > 0 {
			target[i] = 1
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// lineRequest asks for a linear model, which goes round parts of the records.
func lineRequest(kind string, parts, steps int) Request {
	r := ask()
	r.Epsilon, r.Epochs, r.Steps = 0.5, 0, steps
	r.Layers = network.Layers{network.Linear{Outputs: 1}}
	r.Sampling, r.Correlation = Sampling{Kind: option.SamplingPartition, Parts: parts}, kind
	if kind == option.CorrelatedTree {
		r.Sampling.Kind = option.SamplingShuffle
	}
	return r
}

// TestCorrelatedNoiseLearnsWhereIndependentDoesNot trains linear models at one cost, 4 rounds of 64 parts without
// amplification, and compares the cosine of the angle to the true line. In 60 runs of each, independent noise had
// 0.49 on average with a standard deviation of 0.135, banded noise 0.969 with 0.008, trees 0.894 with 0.025.
// The limits are at least five standard deviations of means away; no cosine is above 1, so that the upper one is
// safer than that. False alarms are below 1e-6.
func TestCorrelatedNoiseLearnsWhereIndependentDoesNot(t *testing.T) {
	const numbers, runs = 30, 4
	s, d := lineData(t, 4000, numbers, 1)
	cosine := func(kind string) float64 {
		setup, mean := setupOf(t, lineRequest(kind, 64, 256), s), 0.0
		for range runs {
			result, err := Fit(context.Background(), budget(t, ask()), setup, d, Options{LearningRate: 0.1, Average: option.AverageNone})
			if err != nil {
				t.Fatal(err)
			}
			along, square := 0.0, 0.0
			for j, w := range result.Weights[:numbers] {
				along += float64(w) * float64(1-2*(j%2))
				square += float64(w) * float64(w)
			}
			mean += along / math.Sqrt(square*numbers) / runs
		}
		return mean
	}
	if got := cosine(""); got > 0.85 {
		t.Errorf("independent noise reaches %.3f, want at most 0.85", got)
	}
	if got := cosine(option.CorrelatedBanded); got < 0.93 {
		t.Errorf("banded noise reaches %.3f, want at least 0.93", got)
	}
	if got := cosine(option.CorrelatedTree); got < 0.8 {
		t.Errorf("noise of trees reaches %.3f, want at least 0.8", got)
	}
}

// quotient is the power series a/c, up to as many coefficients as a has.
func quotient(a, c []float64) []float64 {
	out := make([]float64, len(a))
	for n := range out {
		out[n] = a[n]
		for k := 1; k < len(c) && k <= n; k++ {
			out[n] -= c[k] * out[n-k]
		}
		out[n] /= c[0]
	}
	return out
}

// TestWeightsHoldTheNoiseThatCorrelationLeaves trains on numbers that are all 0, so that weights move by noise
// alone. After T steps of descent with momentum β, a step's noise is in them times a_k = Σ_(i≤k) β^i, k being how many
// steps ago it was; correlated, C's noise is in them by the coefficients of a/c. With noise of multiplier·‖c‖ bounds
// the variance of a weight is (rate/divisor·multiplier·bound·‖c‖)²·Σ (a/c)_k². 1500 weights: it is off by more than
// 6.2·√(2/1500) = 23 % with probability below 1e-8.
func TestWeightsHoldTheNoiseThatCorrelationLeaves(t *testing.T) {
	const numbers, parts, steps, rate = 1500, 8, 40, 0.1
	s, d := lineData(t, 50, numbers, 0)
	variance := func(kind string) float64 {
		setup := uncalibrated(t, lineRequest(kind, parts, steps), s)
		c := []float64{1}
		setup.Plan.Correlated = nil
		if kind != "" {
			setup.Plan.Correlated = &Correlated{kind, squareRoot(parts, defaultMomentum)}
			c = c[:0]
			for _, v := range setup.Plan.Correlated.Coefficients {
				c = append(c, float64(v))
			}
		}
		result, err := Fit(context.Background(), anyBudget(t, ask()), setup, d, Options{LearningRate: rate, Schedule: option.ScheduleConstant, Average: option.AverageNone, Initial: make([]float32, numbers+1)})
		if err != nil {
			t.Fatal(err)
		}
		a, sum := make([]float64, steps), 0.0
		for k := range a {
			sum += math.Pow(defaultMomentum, float64(k))
			a[k] = sum
		}
		want, norm, got := 0.0, 0.0, 0.0
		for _, v := range quotient(a, c) {
			want += v * v
		}
		for _, v := range c {
			norm += v * v
		}
		scale := rate / (50.0 / parts) * setup.Plan.NoiseMultiplier * defaultClippingNorm
		want *= norm * scale * scale
		for _, w := range result.Weights[:numbers] {
			got += float64(w) * float64(w) / numbers
		}
		if math.Abs(got/want-1) > 0.23 {
			t.Errorf("%q: variance of a weight is %v, want %v", kind, got, want)
		}
		return got
	}
	if independent, banded := variance(""), variance(option.CorrelatedBanded); banded > independent/4 {
		t.Errorf("variance of a weight is %v with banded noise and %v with independent, want a quarter of it at most", banded, independent)
	}
}
