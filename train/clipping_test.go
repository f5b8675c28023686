package train

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// squareLoss is half the squared residual, a loss without a Lipschitz constant.
type squareLoss struct{}

var _ model.Loss = squareLoss{}

func (squareLoss) Name() string    { return squaredLoss }
func (squareLoss) Columns(int) int { return 1 }
func (squareLoss) Value(scores []float64, label float64) float64 {
	return (scores[0] - label) * (scores[0] - label) / 2
}
func (squareLoss) Residuals(dst, scores []float64, label float64) { dst[0] = scores[0] - label }
func (squareLoss) Lipschitz(int) float64                          { return math.Inf(1) }
func (squareLoss) Smoothness() float64                            { return 1 }
func (squareLoss) Predict([]float64)                              {}

// free pays for everything.
type free struct{}

func (free) Pay(mechanism.Event) error { return nil }

// valueSchema is the toy with a number to predict, of which 4 is scaled to 1 and -4 to -1.
func valueSchema(t testing.TB) *data.Schema {
	t.Helper()
	s := toySchema(t)
	s.Target = data.Target{Column: "dose", Lower: -4, Upper: 4}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// sumOfGradients is the exact sum that a step would release.
func sumOfGradients(t testing.TB, s Setup, d *data.Dataset, weights []float64) ([]float64, *descent) {
	t.Helper()
	encoded, err := s.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	ready := prepared{setup: s, features: s.Features, divisor: 1}
	rows, err := s.descend(encoded, ready)
	if err != nil {
		t.Fatal(err)
	}
	run, err := newDescent(s, Options{}, free{}, rows, table{}, ready)
	if err != nil {
		t.Fatal(err)
	}
	copy(run.weights, weights)
	noisy, err := run.gradient()
	if err != nil {
		t.Fatal(err)
	}
	return noisy.Values(), run
}

// clippingCase is a plan without noise under each way to bound a gradient.
type clippingCase struct {
	name  string
	setup Setup
	cut   bool // contributions beyond the bound are proposed, and cut
}

func clippingCases(t testing.TB) []clippingCase {
	t.Helper()
	bare := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: No, Whiten: No}
	plan := func(change func(*Request), s *data.Schema) Setup {
		s.Records = 1000
		r := bare
		change(&r)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		return setup
	}
	gradient := plan(func(r *Request) { r.ClippingNorm = 0.2 }, toySchema(t))
	example := plan(func(r *Request) { r.ClippingMode, r.ClippingNorm = option.ClipExample, 0.6 }, toySchema(t))
	declared := plan(func(r *Request) { r.ClippingMode, r.ClippingNorm = option.ClipDeclaredLipschitz, 0.3 }, toySchema(t))
	square := plan(func(r *Request) {
		r.ClippingMode, r.ClippingNorm, r.ParameterRadius = option.ClipDataAndParameter, 0.6, 3
	}, valueSchema(t))
	square.Model.Loss = squareLoss{}
	r := bare
	r.ClippingMode, r.ClippingNorm, r.ParameterRadius = option.ClipDataAndParameter, 0.6, 3
	var err error
	if square.Plan.Clipping, err = r.clipping(square.Model, square.Features); err != nil {
		t.Fatal(err)
	}
	return []clippingCase{{"gradient", gradient, false}, {"example", example, false}, {"data-and-parameter", square, false}, {"declared-lipschitz", declared, true}}
}

// randomRecords are cells within and outside of the declared bounds, some of them missing.
func randomRecords(t testing.TB, s *data.Schema, r *rand.Rand, n int) *data.Dataset {
	t.Helper()
	columns, target := make([][]float32, 3), make([]float32, n)
	for i := range n {
		cells := []float64{4 * (r.Float64() - 0.25), 200 * (r.Float64() - 0.25), float64(r.IntN(3))}
		if r.IntN(10) == 0 {
			cells[r.IntN(2)] = []float64{math.NaN(), 1e30, math.Inf(-1)}[r.IntN(3)]
		}
		for j := range columns {
			columns[j] = append(columns[j], float32(cells[j]))
		}
		target[i] = float32(r.IntN(2))
		if s.Target.Regression() {
			target[i] = float32(8*r.Float64() - 4)
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOneRecordMovesTheSumByTheBound removes a record from each of 1000 random tables, and replaces it,
// at random weights, in every mode: the sum before noise moves by at most the bound that is charged, or
// by two of them. What is
// proposed is within the bound by itself, but where the mode says that it is cut.
func TestOneRecordMovesTheSumByTheBound(t *testing.T) {
	const pairs = 1000
	for _, c := range clippingCases(t) {
		r, beyond, largest := rand.New(rand.NewPCG(3, 17)), 0, 0.0
		for range pairs {
			n := 1 + r.IntN(4)
			d := randomRecords(t, c.setup.Schema, r, n)
			weights := make([]float64, c.setup.Model.Weights())
			for j := range weights {
				weights[j] = r.NormFloat64() * math.Exp(2*r.NormFloat64())
			}
			c.setup.Plan.Clipping.project(weights)
			all := make([]int, n-1)
			for i := range all {
				all[i] = i
			}
			with, run := sumOfGradients(t, c.setup, d, weights)
			without, _ := sumOfGradients(t, c.setup, d.Take(all), weights)
			moved := distanceOf(with, without)
			bound := c.setup.Plan.Clipping.Bound
			if largest = max(largest, moved/bound); moved > bound*(1+1e-9) {
				t.Fatalf("%s: one record moves the sum by %v, want at most %v", c.name, moved, bound)
			}
			replaced, _ := sumOfGradients(t, c.setup, replaceLast(t, c.setup.Schema, r, d), weights)
			if moved = distanceOf(with, replaced); moved > 2*bound*(1+1e-9) {
				t.Fatalf("%s: replacing a record moves the sum by %v, want at most twice %v", c.name, moved, bound)
			}
			if proposedNorm(t, run, n-1) > bound*(1+1e-5) { // scores are computed in float32
				beyond++
			}
		}
		if largest < 0.5 || largest == 1 || (beyond > 0) != c.cut {
			t.Errorf("%s: the largest move is %v of the bound and %d proposals are beyond it, want a test that reaches far and proposals beyond: %v", c.name, largest, beyond, c.cut)
		}
	}
}

func distanceOf(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum = math.Hypot(sum, v-b[j])
	}
	return sum
}

// replaceLast puts a random record in the place of the last.
func replaceLast(t *testing.T, s *data.Schema, r *rand.Rand, d *data.Dataset) *data.Dataset {
	t.Helper()
	n, other := d.Records(), randomRecords(t, s, r, 1)
	columns, target := make([][]float32, 3), append([]float32(nil), d.Target()...)
	for j := range columns {
		columns[j] = append([]float32(nil), d.Column(j)...)
		columns[j][n-1] = other.Column(j)[0]
	}
	target[n-1] = other.Target()[0]
	out, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// proposedNorm is the norm of what a record proposes.
func proposedNorm(t *testing.T, run *descent, record int) float64 {
	t.Helper()
	b, err := run.rows.LoadAt([]int{record}, release.Block{})
	if err != nil {
		t.Fatal(err)
	}
	var c kernel.Contributions
	scorer := run.scorer()
	run.propose(&c, b, func(dst []float32) { scorer.Scores(dst, b) })
	return kernel.Norm(c.Coefficients) * b.Norm(0)
}

// TestTheBoundIsReached constructs a record that moves the sum by the bound, in every mode.
func TestTheBoundIsReached(t *testing.T) {
	for _, c := range clippingCases(t) {
		s := c.setup
		label := float32(1)
		if s.Schema.Target.Regression() {
			label = 4
		}
		d, err := data.New(s.Schema, [][]float32{{2}, {100}, {0}}, []float32{label})
		if err != nil {
			t.Fatal(err)
		}
		x, values := make([]float64, s.Features.Dim()), make([]float32, 3)
		s.Features.Apply(x, 1, s.Features.NewScratch(1), func(int) []float32 { return d.Row(values, 0) })
		for j := range x {
			x[j] *= -1000 // far on the wrong side
		}
		s.Plan.Clipping.project(x)
		sum, _ := sumOfGradients(t, s, d, x)
		if got := kernel.Norm(sum) / s.Plan.Clipping.Bound; got < 0.95 || got > 1+1e-9 {
			t.Errorf("%s: the record moves the sum by %v of the bound, want at least 0.95 and at most 1", c.name, got)
		}
	}
}

// TestBoundOfTheSquaredLoss compares with R·(R·ρ + 1), R being the norm of a clipped row and its
// intercept.
func TestBoundOfTheSquaredLoss(t *testing.T) {
	s := clippingCases(t)[2].setup
	rows := math.Hypot(0.6, option.DefaultIntercept)
	if got, want := s.Plan.Clipping, rows*(rows*3+1); math.Abs(got.Bound-want) > 1e-12 || math.Abs(got.Norm-rows) > 1e-12 || got.ParameterRadius != 3 {
		t.Errorf("clipping is %+v, want norm %v, bound %v, radius 3", got, rows, want)
	}
	// A loss with a Lipschitz constant keeps that.
	r := ask()
	r.ClippingMode, r.ParameterRadius, r.Radius, r.Whiten = option.ClipDataAndParameter, 100, 2, No
	bounded, err := NewPlan(r, toySchema(t))
	if want := math.Hypot(2, option.DefaultIntercept); err != nil || math.Abs(bounded.Plan.Clipping.Bound-want) > 1e-12 {
		t.Errorf("the logistic loss has clipping %+v, %v, want bound %v", bounded.Plan.Clipping, err, want)
	}
}

// TestWeightsStayInTheBall takes steps so long that noise leads beyond the ball. In each of 1000 runs the last weights were on
// its surface. The mean of all iterates had a norm of 0.085 on average and at least 0.026, spread as that of six normal
// numbers is, which is below 0.001 with a probability of 1e-11.
func TestWeightsStayInTheBall(t *testing.T) {
	s := valueSchema(t)
	s.Records = 500
	r := ask()
	r.Epsilon, r.ClippingMode, r.ParameterRadius = 0.5, option.ClipDataAndParameter, 0.25
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	d := randomRecords(t, s, rand.New(rand.NewPCG(1, 2)), 500)
	for _, average := range []Tristate{Yes, No} {
		result, failed := Fit(context.Background(), budget(t, 1), setup, d, Options{LearningRate: 50, Momentum: 0.5, Average: average})
		if failed != nil {
			t.Fatal(failed)
		}
		if norm := kernel.Norm(result.Model.Weights()); norm > 0.25 || norm < 0.001 {
			t.Errorf("weights of norm %v, want at most the radius 0.25, reached by noise", norm)
		}
	}
	nan := []float64{math.NaN(), 1}
	if setup.Plan.Clipping.project(nan) || nan[1] != 1 {
		t.Error("weights that are no numbers were projected")
	}
}

func TestClippingRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"no constant":     {func(r *Request) { r.ClippingMode = option.ClipDeclaredLipschitz }, "declared Lipschitz constant"},
		"no radius":       {func(r *Request) { r.ClippingMode = option.ClipDataAndParameter }, "parameter radius"},
		"radius alone":    {func(r *Request) { r.ParameterRadius = 1 }, "parameter radius"},
		"negative radius": {func(r *Request) { r.ClippingMode, r.ParameterRadius = option.ClipDataAndParameter, -1 }, "parameter radius"},
		"infinite radius": {func(r *Request) { r.ClippingMode, r.ParameterRadius = option.ClipDataAndParameter, math.Inf(1) }, "parameter radius"},
		"private radius": {func(r *Request) {
			r.ClippingMode, r.ParameterRadius, r.PrivateRadius = option.ClipDataAndParameter, 1, true
		}, "private radius"},
		"of persons": {func(r *Request) {
			r.ClippingMode, r.ParameterRadius, r.Person = option.ClipDataAndParameter, 1, &PersonUnit{Column: "color", MaxRows: 2}
		}, "persons"},
		"no such mode":     {func(r *Request) { r.ClippingMode = "fiat" }, "clipping mode"},
		"rows not bounded": {func(r *Request) { r.ClippingMode, r.Normalization = option.ClipDeclaredLipschitz, feature.NormNone }, "declared Lipschitz constant"},
	} {
		r := ask()
		c.change(&r)
		if _, err := NewPlan(r, toySchema(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.want)
		}
	}
	for _, mode := range []string{option.ClipExample, option.ClipDataAndParameter} {
		r := Request{ClippingMode: mode, ParameterRadius: 1}
		poisson := model.Linear{Loss: unboundedLoss{}, Columns: 1, Dim: 4}
		if _, err := r.clipping(poisson, &feature.Map{Norm: feature.NormUnit}); err == nil || !strings.Contains(err.Error(), "Lipschitz") {
			t.Errorf("%s with a loss of unbounded derivative: got %v, want an error", mode, err)
		}
	}
	plan := clippingCases(t)[0].setup.Plan
	plan.Clipping.ParameterRadius = 1
	if err := plan.Validate(); err == nil {
		t.Error("a plan with a radius that clips nothing passes")
	}
}

// unboundedLoss has another name than the squared loss.
type unboundedLoss struct{ squareLoss }

func (unboundedLoss) Name() string { return "log-link" }
