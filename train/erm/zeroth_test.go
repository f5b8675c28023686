package erm

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// silent takes every payment.
type silent struct{}

func (silent) Pay(mechanism.Event) error { return nil }

// zerothExact returns a run over records without noise, at the directions of its first step.
func zerothExact(t *testing.T, noise string, s *data.Schema, d *data.Dataset) *zerothRun {
	t.Helper()
	setup, err := NewSetup(Request{Method: option.MethodZeroth, Epsilon: math.Inf(1), Neighboring: privacy.AddOrRemoveOne, Noise: noise, Center: train.No}, s)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := train.Encode(setup.Features, s, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	run := newZerothRun(&fitting{Setup: setup, rows: rows, grant: silent{}})
	for k := range run.plan.Directions {
		n := len(run.average)
		signs(run.all[(k+1)*n:(k+2)*n], uint64(k))
	}
	return run
}

// TestNeighborsMoveDifferencesByAtMostTheNorm takes 1000 tables at random weights, up to scores far beyond any
// use, and the same without their last record: what is released moves by at most the clipping norm, in the norm
// of the noise, and by at least 0.95 of it for some pair. The sums have steps of the grid of 2^-30 of the norm or less.
func TestNeighborsMoveDifferencesByAtMostTheNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s, _ := small(t, 2, 4)
	for noise, norm := range map[string]func(v []float64) float64{option.NoiseGaussian: kernel.Norm, option.NoiseL1: magnitudes} {
		largest := 0.0
		for range 500 {
			columns, y := [][]float32{nil, nil}, []float32{}
			for range 4 {
				columns[0], columns[1] = append(columns[0], r.Float32()), append(columns[1], r.Float32())
				y = append(y, float32(r.IntN(2)))
			}
			weights := make([]float64, 3)
			for j := range weights {
				weights[j] = 10 * r.NormFloat64() * math.Exp(5*r.NormFloat64())
			}
			var sums [2][]float64
			var bound float64
			for k, n := range []int{3, 4} {
				d, err := data.New(s, [][]float32{columns[0][:n], columns[1][:n]}, y[:n])
				if err != nil {
					t.Fatal(err)
				}
				run := zerothExact(t, noise, s, d)
				copy(run.all, weights)
				bound = run.plan.ClippingNorm
				if sums[k], err = run.release(); err != nil {
					t.Fatal(err)
				}
			}
			for j := range sums[1] {
				sums[1][j] -= sums[0][j]
			}
			move := norm(sums[1]) / bound
			if largest = max(largest, move); !(move <= 1+1e-9) {
				t.Fatalf("%s: one record moved the sum by %v of the clipping norm at weights %v", noise, move, weights)
			}
		}
		if largest < 0.95 {
			t.Errorf("%s: the largest move is %v of the clipping norm, want 0.95 or more", noise, largest)
		}
	}
}

func magnitudes(v []float64) (sum float64) {
	for _, x := range v {
		sum += math.Abs(x)
	}
	return sum
}

// TestDifferencesAreDerivatives compares differences at a small radius ρ with residual·direction. The error of
// a central difference is at most ρ²/6 times the third derivative of the loss along the direction, which is
// below 10 here, and 2^-50/ρ of rounding.
func TestDifferencesAreDerivatives(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		loss    model.Loss
		classes int
	}{{model.Logistic, 2}, {model.Softmax, 3}, {model.OneVsRest, 3}, {model.Squared, 0}} {
		columns := c.loss.Columns(c.classes)
		part := zerothPart{zerothRun: &zerothRun{fitting: &fitting{Setup: Setup{Model: model.Linear{Loss: c.loss, Columns: columns}, Plan: Plan{Columns: columns}}},
			plan: zerothPlan{Radius: 1e-4}}, before: make([]float64, columns), after: make([]float64, columns)}
		for range 100 {
			scores, wide, residuals, got := make([]float32, 3*columns), make([]float64, columns), make([]float64, columns), make([]float64, 2)
			for j := range scores {
				scores[j] = float32(2 * r.NormFloat64())
			}
			for j := range wide {
				wide[j] = float64(scores[j])
			}
			label := float64(r.IntN(2))
			c.loss.Residuals(residuals, wide, label)
			part.differences(got, scores, label)
			for k, v := range got {
				want := 0.0
				for j, a := range residuals {
					want += a * float64(scores[(k+1)*columns+j])
				}
				if math.Abs(v-want) > 1e-6 {
					t.Fatalf("%s: the difference along %v at %v is %v, want %v", c.loss.Name(), scores[(k+1)*columns:(k+2)*columns], wide, v, want)
				}
			}
			if part.differences(got, scores, math.NaN()); got[0] != 0 || got[1] != 0 {
				t.Fatalf("%s: a record without a label has differences %v, want 0", c.loss.Name(), got)
			}
		}
	}
}

// TestZerothReachesTheMinimum holds the loss without noise close to the least one, which Newton's method finds,
// and results at a large epsilon close to those without noise: directions are the same.
// With the tag long it does so for both kinds of noise, else for the normal one. If no step undid noise of
// an earlier one, all steps together would leave normal noise of deviation 0.07 on a weight, and Laplace noise of 0.042:
// the tolerances are seven of these.
func TestZerothReachesTheMinimum(t *testing.T) {
	if testing.Short() {
		t.Skip("a limit, which the ordinary run holds")
	}
	s, d := small(t, 2, 1000)
	fit := func(epsilon, delta float64, noise string) (Setup, []float64) {
		setup, err := NewSetup(Request{Method: option.MethodZeroth, Epsilon: epsilon, Delta: delta, Neighboring: privacy.AddOrRemoveOne, Noise: noise, Center: train.No}, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return setup, result.Model.Weights()
	}
	for noise, c := range map[string]struct{ epsilon, delta, tolerance float64 }{option.NoiseGaussian: {80, 1e-6, 0.5}, option.NoiseL1: {1000, 0, 0.3}} {
		if noise == option.NoiseL1 && !thorough {
			continue // the same steps, of which TestMethods pays for each
		}
		setup, exact := fit(math.Inf(1), c.delta, noise)
		least := meanLoss(setup, d, newton(setup, d, 1e-9))
		if got := meanLoss(setup, d, exact); !(got-least < 0.01) {
			t.Errorf("%s: the mean loss is %v, want %v", noise, got, least)
		}
		_, noisy := fit(c.epsilon, c.delta, noise)
		for j, w := range noisy {
			if math.Abs(w-exact[j]) > c.tolerance {
				t.Errorf("%s: weight %d is %v, want %v as without noise", noise, j, w, exact[j])
			}
		}
	}
}

// meanLoss is the mean logistic loss of weights over rows mapped in float64.
func meanLoss(s Setup, d *data.Dataset, w []float64) (sum float64) {
	dim, n := s.Plan.Dim, d.Records()
	x := make([]float64, n*dim)
	s.Features.Apply(x, n, s.Features.NewScratch(n), func(i int) []float32 { return d.Row(make([]float32, 2), i) })
	for i := range n {
		sum += model.Logistic.Value([]float64{kernel.Dot(x[i*dim:(i+1)*dim], w)}, float64(d.Target()[i]))
	}
	return sum / float64(n)
}

// TestSignsAreAStream holds the first signs of three directions, which must not change; they are those of
// SplitMix64 in another program. It also holds that signs are balanced: of 8192, the number of one kind has a
// standard deviation of 45, and 300 away from 4096 is beyond six of them.
func TestSignsAreAStream(t *testing.T) {
	for number, want := range []string{"-+--+++-+++-+-++", "-++++-+-+---+---", "-+-----++------+"} {
		dst, text, plus := make([]float64, 8192), "", 0
		signs(dst, uint64(number))
		for j, v := range dst {
			if v > 0 {
				plus++
			}
			if j < 16 {
				text += map[float64]string{1: "+", -1: "-"}[v]
			}
		}
		if text != want || plus < 4096-300 || plus > 4096+300 {
			t.Errorf("direction %d begins with %s and has %d of 8192 signs +, want %s and about half", number, text, plus, want)
		}
	}
}

func TestZerothRefusals(t *testing.T) {
	s, _ := small(t, 2, 100)
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"ridge":              {func(r *Request) { r.SumRidge = 1 }, "ridge"},
		"steps":              {func(r *Request) { r.Steps = -1 }, "steps"},
		"directions":         {func(r *Request) { r.Directions = 1000 }, "directions"},
		"noise":              {func(r *Request) { r.Noise = option.NoiseLInfinity }, "noise is"},
		"normal, no delta":   {func(r *Request) { r.Noise, r.Delta = option.NoiseGaussian, 0 }, "delta"},
		"radius":             {func(r *Request) { r.Smoothing = math.NaN() }, "radius"},
		"clipping norm":      {func(r *Request) { r.ClippingNorm = math.Inf(1) }, "clipping norm"},
		"infinite step size": {func(r *Request) { r.StepSize = math.Inf(1) }, "rate"},
	} {
		r := Request{Method: option.MethodZeroth, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
		c.change(&r)
		if _, err := NewSetup(r, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}
