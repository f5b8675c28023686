package erm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// searched is a function with its gradient and where to begin.
type searched struct {
	value    func(x []float64) float64
	gradient func(dst, x []float64)
	start    []float64
}

// hard are functions on which descents fail or take long: a curved valley, scales from 1e-4 to 1e4, a root that is
// hardly curved, far starts and steep exponentials.
func hard() map[string]searched {
	r := rand.New(rand.NewPCG(11, 9))
	away := make([]float64, 40)
	for j := range away {
		away[j] = r.NormFloat64()
	}
	return map[string]searched{
		"valley": {func(x []float64) float64 { return 100*math.Pow(x[1]-x[0]*x[0], 2) + (1-x[0])*(1-x[0]) },
			func(dst, x []float64) {
				dst[0], dst[1] = -400*x[0]*(x[1]-x[0]*x[0])-2*(1-x[0]), 200*(x[1]-x[0]*x[0])
			}, []float64{-1.2, 1}},
		"scales": {func(x []float64) float64 {
			sum := 0.0
			for j, v := range x {
				sum += math.Pow(10, float64(j-4)) * (v - away[j]) * (v - away[j]) / 2
			}
			return sum
		}, func(dst, x []float64) {
			for j, v := range x {
				dst[j] = math.Pow(10, float64(j-4)) * (v - away[j])
			}
		}, make([]float64, 9)},
		"far": {func(x []float64) float64 { return math.Hypot(1, x[0]-3) + math.Hypot(1, x[1]) },
			func(dst, x []float64) {
				dst[0], dst[1] = (x[0]-3)/math.Hypot(1, x[0]-3), x[1]/math.Hypot(1, x[1])
			}, []float64{1e4, -1e5}},
		"exponential": {func(x []float64) float64 { return math.Exp(x[0]) - 2*x[0] + math.Cosh(x[1]) },
			func(dst, x []float64) { dst[0], dst[1] = math.Exp(x[0])-2, math.Sinh(x[1]) }, []float64{20, 30}},
		"at the minimum": {func(x []float64) float64 { return x[0] * x[0] }, func(dst, x []float64) { dst[0] = 2 * x[0] }, []float64{0}},
	}
}

// TestSearch wants the minimum that gonum finds, with a gradient as small as was asked for, and not many times the evaluations.
func TestSearch(t *testing.T) {
	for name, f := range hard() {
		evaluations, given := 0, append([]float64(nil), f.start...)
		s := newSearch(f.start, func(gradient, x []float64) (float64, error) {
			evaluations++
			f.gradient(gradient, x)
			return f.value(x), nil
		})
		if err := s.run(1e-9); err != nil {
			t.Fatal(err)
		}
		if !(s.least <= 1e-9) {
			t.Errorf("%s: the gradient at the end is %v after %d evaluations, want at most 1e-9", name, s.least, evaluations)
		}
		want, err := optimize.Minimize(optimize.Problem{Func: f.value, Grad: f.gradient}, given,
			&optimize.Settings{GradientThreshold: 1e-9, Converger: optimize.NeverTerminate{}}, &optimize.LBFGS{})
		if err != nil {
			t.Logf("%s: the library ends with %v", name, err)
		}
		if got := f.value(s.best); !(got <= want.F+1e-12*max(1, math.Abs(want.F))) {
			t.Errorf("%s: the minimum is %v at %v, the library's %v at %v", name, got, s.best, want.F, want.X)
		}
		if most := 3*want.FuncEvaluations + 30; evaluations > most {
			t.Errorf("%s: %d evaluations, want at most %d", name, evaluations, most)
		}
	}
}

// TestSearchEnds wants an end on functions without a minimum, without numbers and with gradients that are wrong, and the
// error of an evaluation.
func TestSearchEnds(t *testing.T) {
	for name, f := range map[string]func(gradient, x []float64) (float64, error){
		"falls forever": func(gradient, x []float64) (float64, error) { gradient[0] = 1; return x[0], nil },
		"no number":     func(gradient, x []float64) (float64, error) { gradient[0] = math.NaN(); return math.NaN(), nil },
		"wrong sign":    func(gradient, x []float64) (float64, error) { gradient[0] = -2 * x[0]; return x[0] * x[0], nil },
		"kink": func(gradient, x []float64) (float64, error) {
			gradient[0] = math.Copysign(1, x[0])
			return math.Abs(x[0]), nil
		},
	} {
		s := newSearch([]float64{1}, f)
		if err := s.run(1e-9); err != nil || s.least <= 1e-9 {
			t.Errorf("%s: got gradient %v and %v, want an end without either", name, s.least, err)
		}
	}
	stop, calls := errors.New("stop"), 0
	s := newSearch([]float64{7}, func(gradient, x []float64) (float64, error) {
		if calls++; calls == 3 {
			return 0, stop
		}
		gradient[0] = 2e3 * x[0]
		return 1e3 * x[0] * x[0], nil
	})
	if err := s.run(1e-9); !errors.Is(err, stop) {
		t.Errorf("got %v, want the error of the third evaluation", err)
	}
}

// TestSearchDescends wants no end above the start among hills, where slopes alone lead up.
func TestSearchDescends(t *testing.T) {
	value := func(x float64) float64 { return x*x/20 - math.Cos(3*x) }
	for start := -10.0; start < 10; start += 0.05 {
		s := newSearch([]float64{start}, func(gradient, x []float64) (float64, error) {
			gradient[0] = x[0]/10 + 3*math.Sin(3*x[0])
			return value(x[0]), nil
		})
		if err := s.run(1e-9); err != nil || !(s.least <= 1e-9) || !(value(s.best[0]) <= value(start)+1e-11) {
			t.Errorf("from %v: ended at %v with %v, gradient %v and %v; the start has %v", start, s.best, value(s.best[0]), s.least, err, value(start))
		}
	}
}
