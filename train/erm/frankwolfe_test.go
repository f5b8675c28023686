package erm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// TestFrankWolfeChoosesTheSteepestCoordinate compares choices at an epsilon of 1000 a step, at random weights, with
// differences of the sum of losses: a score that is 0.1 bounds worse has a probability below exp(-50).
func TestFrankWolfeChoosesTheSteepestCoordinate(t *testing.T) {
	s, d := small(t, 2, 300)
	r := rand.New(rand.NewPCG(3, 1))
	request := Request{Method: option.MethodFrankWolfe, Epsilon: 1000, Neighboring: privacy.AddOrRemoveOne, Intercept: 0.5, Steps: 1, ClippingNorm: 1}
	setup, err := NewSetup(request, s)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := train.Encode(setup.Features, s, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	peaks, err := release.NewRowsWithMax(rows)
	if err != nil {
		t.Fatal(err)
	}
	run, seen := frankWolfeRun{&fitting{Setup: setup, rows: rows, grant: silent{}}, *setup.Plan.FrankWolfe, peaks}, map[int]bool{}
	for range 100 {
		weights := make([]float64, 3)
		for j := range weights {
			weights[j] = 10 * r.NormFloat64()
		}
		chosen, failed := run.choose(weights)
		if failed != nil {
			t.Fatal(failed)
		}
		seen[chosen] = true
		slope := make([]float64, 3)
		for j := range slope {
			const h = 1e-4
			up, down := append([]float64(nil), weights...), append([]float64(nil), weights...)
			up[j], down[j] = up[j]+h, down[j]-h
			slope[j] = 300 * (meanLoss(setup, d, up) - meanLoss(setup, d, down)) / (2 * h)
		}
		most := max(math.Abs(slope[0]), math.Abs(slope[1]), math.Abs(slope[2]))
		if got := -slope[chosen/2] * float64(1-2*(chosen%2)); got < most-0.2 {
			t.Fatalf("candidate %d goes down by %v, want %v, at slopes %v", chosen, got, most, slope)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only the candidates %v were chosen, want more of the 6", seen)
	}
}

// TestFrankWolfeStaysSparse holds the ball and the number of weights that are not 0 at a small epsilon.
func TestFrankWolfeStaysSparse(t *testing.T) {
	if testing.Short() {
		t.Skip("a limit, which the ordinary run holds")
	}
	s, d := small(t, 2, 200)
	for _, steps := range []int{1, 5} {
		setup, err := NewSetup(Request{Method: option.MethodFrankWolfe, Epsilon: 0.1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: steps, L1Radius: 3}, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		weights, nonzero := result.Model.Weights(), 0
		for _, w := range weights {
			if w != 0 {
				nonzero++
			}
		}
		if len(weights) != 2 || nonzero > steps || nonzero == 0 || magnitudes(weights) > 3*(1+1e-9) {
			t.Errorf("%d steps: the weights are %v, want at most %d of 2 that are not 0 and a sum of magnitudes of at most 3", steps, weights, steps)
		}
	}
}

func TestFrankWolfeRefusals(t *testing.T) {
	s, _ := small(t, 2, 100)
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"baseline":      {func(r *Request) { r.Epsilon = math.Inf(1) }, "without privacy"},
		"ridge":         {func(r *Request) { r.SumRidge = 1 }, "ridge"},
		"noise":         {func(r *Request) { r.Noise = option.NoiseGaussian }, "noise"},
		"steps":         {func(r *Request) { r.Steps = -1 }, "steps"},
		"radius":        {func(r *Request) { r.L1Radius = -1 }, "radius"},
		"clipping norm": {func(r *Request) { r.ClippingNorm = math.NaN() }, "clipping norm"},
		"choice":        {func(r *Request) { r.Choice = "best" }, "choice"},
		"center":        {func(r *Request) { r.Center = train.Yes }, "centered"},
	} {
		r := Request{Method: option.MethodFrankWolfe, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
		c.change(&r)
		if _, err := NewSetup(r, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}

// remembering is a loss whose derivatives depend on how many records came before.
type remembering struct {
	model.Loss
	records float64
}

func (l *remembering) Residuals(dst, scores []float64, label float64) {
	l.Loss.Residuals(dst, scores, label)
	l.records++
	dst[0] += 1e-9 * l.records
}

// TestScoresOfNeighborsStopTheChoice lets scores depend on other records. In 1,000 choices 36 of
// them are computed once more in expectation, and all are missed with a probability below 1e-15.
func TestScoresOfNeighborsStopTheChoice(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the loss is for one goroutine
	s, d := small(t, 2, 300)
	request := Request{Method: option.MethodFrankWolfe, Epsilon: 1000, Neighboring: privacy.AddOrRemoveOne, Intercept: 0.5, Steps: 1, ClippingNorm: 1}
	setup, err := NewSetup(request, s)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := train.Encode(setup.Features, s, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	peaks, err := release.NewRowsWithMax(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []bool{false, true} {
		if looks {
			setup.Model.Loss = &remembering{Loss: setup.Model.Loss}
		}
		run, stopped := frankWolfeRun{&fitting{Setup: setup, rows: rows, grant: silent{}}, *setup.Plan.FrankWolfe, peaks}, error(nil)
		for range 1000 {
			if _, stopped = run.choose(make([]float64, 3)); stopped != nil {
				break
			}
		}
		if errors.Is(stopped, release.ErrComputation) != looks || !looks && stopped != nil {
			t.Errorf("scores that look at others: %v: got error %v", looks, stopped)
		}
	}
}
