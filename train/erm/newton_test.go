package erm

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// twoSchema is housesSchema with two classes.
func twoSchema() *data.Schema {
	s := housesSchema(0)
	s.Target = data.Target{Column: "kind", Levels: []string{"a", "b"}}
	return s
}

// twoHouses are random records of two classes, whose first number tells something of the class.
func twoHouses(t testing.TB, r *rand.Rand, s *data.Schema, n int) *data.Dataset {
	t.Helper()
	columns, target := make([][]float32, 3), []float32{}
	for range n {
		v, _ := house(r, true)
		class := float32(0)
		if float64(v[0])+120*r.NormFloat64() > 150 {
			class = 1
		}
		for j := range columns {
			columns[j] = append(columns[j], v[j])
		}
		target = append(target, class)
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newtonSetup(t testing.TB, r Request, s *data.Schema) Setup {
	t.Helper()
	r.Method, r.Delta, r.Neighboring = "newton", 1e-6, privacy.AddOrRemoveOne
	setup, err := NewSetup(r, s)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// gradientOf is the gradient of the penalized sum of losses at weights, from the records themselves.
func gradientOf(s Setup, d *data.Dataset, weights []float64) []float64 {
	out, x, scratch := make([]float64, s.Plan.Dim), make([]float64, s.Plan.Dim), s.Features.NewScratch(1)
	values, residual := make([]float32, s.Features.Encoder().Values()), make([]float64, 1)
	for i := range d.Records() {
		s.Features.Apply(x, 1, scratch, func(int) []float32 { return d.Row(values, i) })
		label := float64(d.Target()[i])
		if s.Schema.Target.Regression() {
			label = encoder.ScaleTarget(s.Schema.Target, label)
		}
		s.Model.Loss.Residuals(residual, []float64{kernel.Dot(x, weights)}, label)
		for j, v := range x {
			out[j] += residual[0] * v
		}
	}
	for j, w := range weights {
		out[j] += s.Plan.Newton.Ridge * w
	}
	return out
}

// TestNewtonFindsTheMinimum holds the limit of no noise: at the weights the gradient, computed apart, is so
// small beside the ridge that the minimum is within 1e-4, by strong convexity. Rows are rounded to 2^-15.
func TestNewtonFindsTheMinimum(t *testing.T) {
	for _, schema := range []*data.Schema{twoSchema(), housesSchema(0)} {
		s := newtonSetup(t, Request{Epsilon: math.Inf(1), SumRidge: 5}, schema)
		r := rand.New(rand.NewPCG(41, 42))
		d := houses(t, r, schema, 800)
		if !schema.Target.Regression() {
			d = twoHouses(t, r, schema, 800)
		}
		w := fitted(t, Request{Method: "newton", Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, SumRidge: 5}, schema, d).Weights()
		norm := 0.0
		for _, g := range gradientOf(s, d, w) {
			norm = math.Hypot(norm, g)
		}
		start := 0.0
		for _, g := range gradientOf(s, d, make([]float64, len(w))) {
			start = math.Hypot(start, g)
		}
		// The second derivative is more than 5 in every direction, and some tens in those that matter.
		if norm > 2e-3 || start < 2 {
			t.Errorf("%s: gradient has norm %v at the end and %v at the start, want below 2e-3", s.Model.Loss.Name(), norm, start)
		}
	}
}

// TestNewtonSumsMoveByAtMostTheBound looks at what noise is added to, besides the step, on random neighbors and
// at random weights (the step's bound is tested in internal/release).
func TestNewtonSumsMoveByAtMostTheBound(t *testing.T) {
	for _, schema := range []*data.Schema{twoSchema(), housesSchema(0)} {
		s := newtonSetup(t, Request{Epsilon: 1}, schema)
		s.Plan.NonPrivate = true
		r := rand.New(rand.NewPCG(43, 44))
		gradients, traces := 0.0, 0.0
		for range 1000 {
			d := houses(t, r, schema, 1+r.IntN(3))
			if !schema.Target.Regression() {
				d = twoHouses(t, r, schema, 1+r.IntN(3))
			}
			w := make([]float64, s.Plan.Dim)
			for j := range w {
				w[j] = 6 * r.NormFloat64()
			}
			if r.IntN(3) == 0 { // where the second derivative is largest
				clear(w)
			}
			g, trace := newtonSums(t, s, d, w)
			h, less := newtonSums(t, s, d.Slice(1, d.Records()), w)
			distance := 0.0
			for j, v := range g {
				distance = math.Hypot(distance, v-h[j])
			}
			gradients = max(gradients, distance/s.Plan.Newton.GradientBound)
			traces = max(traces, math.Abs(trace-less)/s.Plan.Newton.Curvature)
		}
		if gradients > 1+1e-9 || traces > 1+1e-9 || gradients < 0.8 || traces < 0.8 {
			t.Errorf("%s: one record moves the gradient by %v bounds and the trace by %v, want 0.8 to 1", s.Model.Loss.Name(), gradients, traces)
		}
	}
}

// newtonSums are the gradient and the trace at weights, as they are released but without noise.
func newtonSums(t *testing.T, s Setup, d *data.Dataset, w []float64) (gradient []float64, trace float64) {
	t.Helper()
	rows, err := train.Encode(s.Features, s.Schema, d, 16)
	if err != nil {
		t.Fatal(err)
	}
	f := &fitting{Setup: s, rows: rows, grant: freePayer{}}
	run := newtonRun{f, *s.Plan.Newton, w, newRecords(f)}
	if gradient, err = run.gradient(); err != nil {
		t.Fatal(err)
	}
	if trace, err = run.trace(); err != nil {
		t.Fatal(err)
	}
	return gradient, trace
}

// TestNewtonIsPriced holds the certificate, and what a run pays, to the plan.
func TestNewtonIsPriced(t *testing.T) {
	schema := twoSchema()
	s := newtonSetup(t, Request{Epsilon: 1}, schema)
	c, err := s.Plan.Certificate()
	if err != nil || !(c.Epsilon <= 1 && c.Epsilon > 0.999) {
		t.Fatalf("certificate: epsilon %v (%v), want 1 from below", c.Epsilon, err)
	}
	if err = c.VerifyPlan(Methods()); err != nil {
		t.Error(err)
	}
	n := s.Plan.Newton
	mu := float64(n.Steps) * (math.Pow(n.GradientNoise, -2) + math.Pow(n.TraceNoise, -2) + math.Pow(n.StepNoise, -2))
	if got := math.Pow(n.GradientNoise, -2) * float64(n.Steps) / mu; math.Abs(got-newtonGradientShare) > 1e-9 {
		t.Errorf("gradients have %v of the budget, want %v", got, newtonGradientShare)
	}
	d := twoHouses(t, rand.New(rand.NewPCG(45, 46)), schema, 4000)
	m := fitted(t, Request{Method: "newton", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema, d)
	// About 0.72 of the classes follow from the first number; noise of ten deviations would not hide it.
	if share := accuracy(m, d); share < 0.62 {
		t.Errorf("the model is right about %v of the records, want more than 0.62", share)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Fit(ctx, newLedger(t, s.Plan), s, d, Options{}); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("canceled run: got %v", err)
	}
}

func TestNewtonRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		loss   model.Loss
		schema *data.Schema
	}{"softmax": {nil, classesSchema(0)}, "squared": {model.Squared, housesSchema(0)}} {
		_, err := NewSetup(Request{Method: "newton", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}, c.schema)
		if err == nil || !strings.Contains(err.Error(), "want logistic or huber") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}
