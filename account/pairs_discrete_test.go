package account

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// stickOf sums max(0, P - e^ε·Q) over a line of outcomes, step apart.
func stickOf(p, q func(x float64) float64, epsilon, reach, step float64) float64 {
	sum := 0.0
	for x := -reach; x <= reach; x += step {
		sum += max(0, p(x)-math.Exp(epsilon)*q(x)) * step
	}
	return sum
}

// TestSampledNumbers writes out the output distributions of a Poisson sample of one number, for
// every pair of moves by a record and its replacement. No two of them exceed the proven δ. If the
// record moves the number most, they attain it.
func TestSampledNumbers(t *testing.T) {
	const q, s = 0.3, 3
	for _, c := range []struct {
		inner  mechanism.Event
		law    func(x float64) float64 // up to a factor
		whole  bool
		factor float64
	}{
		{mechanism.DiscreteGaussian{StandardDeviation: 1.3, Sensitivity: s}, func(x float64) float64 { return math.Exp(-x * x / (2 * 1.3 * 1.3)) }, true, 0},
		{mechanism.DiscreteLaplace{Scale: 1.5, Sensitivity: s}, func(x float64) float64 { return math.Exp(-math.Abs(x) / 1.5) }, true, 0},
		{mechanism.Laplace{NoiseMultiplier: 0.5}, func(x float64) float64 { return math.Exp(-math.Abs(x)/1.5) / 3 }, false, 1},
	} {
		step, reach := 1.0, 90.0
		if !c.whole {
			step, reach = 0.01, 30
		}
		if c.factor == 0 {
			c.factor = 1 / stickOf(c.law, func(float64) float64 { return 0 }, 0, reach, 1)
		}
		moved := func(u float64) func(x float64) float64 {
			return func(x float64) float64 { return c.factor * ((1-q)*c.law(x) + q*c.law(x-u)) }
		}
		event := mechanism.PoissonSampled{Probability: q, Event: c.inner}
		for _, epsilon := range []float64{0, 0.2, 0.7, 1.2} {
			one, err := lossDistributions{}.Delta(event, epsilon, privacy.AddOrRemoveOne)
			two, failed := lossDistributions{}.Delta(event, epsilon, privacy.ReplaceOne)
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			most := map[privacy.Neighboring]float64{}
			for u := -float64(s); u <= s; u++ {
				out := moved(0)
				most[privacy.AddOrRemoveOne] = max(most[privacy.AddOrRemoveOne], stickOf(moved(u), out, epsilon, reach, step), stickOf(out, moved(u), epsilon, reach, step))
				for w := -float64(s); w <= s; w++ {
					most[privacy.ReplaceOne] = max(most[privacy.ReplaceOne], stickOf(moved(u), moved(w), epsilon, reach, step))
				}
			}
			for n, proven := range map[privacy.Neighboring]Interval{privacy.AddOrRemoveOne: one, privacy.ReplaceOne: two} {
				truth := most[n]
				if !(proven.Lower <= truth*(1+1e-4)+1e-12 && truth <= proven.Upper*(1+1e-4)+1e-12) || proven.Upper > truth*(1+3e-4)+1e-12 {
					t.Errorf("%v under %v at ε %v: proven %v, true %v", event, n, epsilon, proven, truth)
				}
			}
		}
	}
}

// TestSampledDiscreteGaussianDivergence holds the divergences, of both directions and under replace-one, against sums
// over the integers.
func TestSampledDiscreteGaussianDivergence(t *testing.T) {
	const sigma, s = 1.7, 2
	noise := func(x float64) float64 { return math.Exp(-x * x / (2 * sigma * sigma)) }
	for _, q := range []float64{0.01, 0.4, 0.9} {
		inner := mechanism.DiscreteGaussian{StandardDeviation: sigma, Sensitivity: s}
		at := sampledDiscreteGaussian(q, inner, privacy.AddOrRemoveOne)
		for _, order := range []float64{1.1, 1.5, 2, 2.7, 5, 9.5, 12} {
			total, remove, add, replace := 0.0, 0.0, 0.0, 0.0
			for x := -60.0; x <= 60; x++ {
				out := noise(x)
				ratio := 1 - q + q*noise(x-s)/out
				total += out
				remove += out * math.Pow(ratio, order)
				add += out * math.Pow(ratio, 1-order)
				replace += out * math.Pow(ratio, order) * math.Pow(1-q+q*noise(x+s)/out, 1-order)
			}
			replace = math.Log(replace/total) / (order - 1)
			if bound := sampledDiscreteGaussian(q, inner, privacy.ReplaceOne)(order); bound < replace {
				t.Errorf("q %v, order %v: got %v under replace-one, want at least %v", q, order, bound, replace)
			}
			remove, add = math.Log(remove/total)/(order-1), math.Log(add/total)/(order-1)
			got := at(order)
			if got < max(remove, add)*(1-1e-12) || order == math.Floor(order) && math.Abs(got/remove-1) > 1e-9 || add > remove {
				t.Errorf("q %v, order %v: got %v, want at least %v and %v", q, order, got, remove, add)
			}
		}
	}
}

// TestSampledNumbersWithoutDelta holds that pure noise stays pure in a sample, at the largest loss.
func TestSampledNumbersWithoutDelta(t *testing.T) {
	const q = 0.2
	for text, b := range map[string]float64{"poisson(0.2, laplace(2))": 2, "poisson(0.2, discrete-laplace(2, 1))": 2} {
		r := math.Exp(1 / b)
		for n, want := range map[privacy.Neighboring]float64{
			privacy.AddOrRemoveOne: math.Log(1 - q + q*r),
			privacy.ReplaceOne:     math.Log((1 - q + q*r) / (1 - q + q/r)),
		} {
			for _, a := range []Accountant{lossDistributions{}, basicComposition{}} {
				v, err := a.Epsilon(parsed(t, text), 0, n)
				if err != nil || math.Abs(v.Upper/want-1) > 1e-9 {
					t.Errorf("%s of %s under %v: got %v, %v, want %v", a.Name(), text, n, v, err, want)
				}
			}
		}
	}
}

// TestSampledDiscreteIsNearContinuous holds that wide discrete noise costs in a sample about what the continuous does.
func TestSampledDiscreteIsNearContinuous(t *testing.T) {
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
		for _, k := range []int64{6} {
			fine := fmt.Sprintf("repeat(9, poisson(0.1, discrete-gaussian(%d, %d)))", 2*k, k)
			v, err := lossDistributions{width: conformanceWidth}.Epsilon(parsed(t, fine), 1e-6, n)
			w, failed := lossDistributions{width: conformanceWidth}.Epsilon(parsed(t, "repeat(9, poisson(0.1, gaussian(2)))"), 1e-6, n)
			if err != nil || failed != nil || math.Abs(v.Upper/w.Upper-1) > 0.01 {
				t.Errorf("%s under %v: %v (%v), continuous %v (%v)", fine, n, v, err, w, failed)
			}
		}
	}
}
