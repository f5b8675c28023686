package train

import (
	"context"
	"math"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// tilted returns records whose second number hardly varies beside a large constant, and decides the label. Features
// are integer multiples of the step to which rows are rounded.
func tilted(t *testing.T, n int) (*data.Schema, *data.Dataset) {
	t.Helper()
	s := toySchema(t)
	s.Records = n
	a, b, y := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		step := i%64 - 32
		a[i], b[i] = 1+float32(900+i%7)/1024, 50+50*float32(step)/1024
		if math.Sin(7*float64(i))+float64(step)/8 > 0 {
			y[i] = 1
		}
	}
	columns := [][]float32{a, b}
	for len(columns) < len(s.Features()) {
		columns = append(columns, make([]float32, n))
	}
	d, err := data.New(s, columns, y)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// penalized is the mean loss of a logistic model of prepared rows, its ridge, and the norm of its gradient, in
// float64.
func penalized(t *testing.T, r *Result, d *data.Dataset, ridge float64) (value, slope float64) {
	t.Helper()
	m := r.Model.Features()
	w, x, scratch, row := r.Model.Weights(), make([]float64, m.Dim()), m.NewScratch(1), make([]float32, len(r.Model.Schema().Features()))
	gradient, n := make([]float64, len(w)), d.Records()
	for i := range n {
		m.Apply(x, 1, scratch, func(int) []float32 { return d.Row(row, i) })
		z, y := 0.0, float64(d.Target()[i])
		for j := range x {
			z += w[j] * x[j]
		}
		value += (math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y*z) / float64(n)
		for j := range x {
			gradient[j] += (1/(1+math.Exp(-z)) - y) * x[j] / float64(n)
		}
	}
	for j, v := range w {
		value += ridge / 2 * v * v
		slope += (gradient[j] + ridge*v) * (gradient[j] + ridge*v)
	}
	return value, math.Sqrt(slope)
}

// TestBaselineConverges holds a baseline on rows of one strong direction to the minimum: no point is lower than its
// loss less |gradient|²/(2·ridge), since the objective is strongly convex. A private run and descent of the usual
// length end above it. Two baselines are equal to the bit.
func TestBaselineConverges(t *testing.T) {
	const n = 800
	const ridge = 1e-5
	s, d := tilted(t, n)
	r := Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: option.ConvergedSteps, Normalization: feature.NormClip, Radius: 2, Center: No, Whiten: No}
	run := func(r Request, o Options) *Result {
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		if setup.Clips() != !math.IsInf(r.Epsilon, 1) {
			t.Errorf("epsilon %v clips: %v", r.Epsilon, setup.Clips())
		}
		out, err := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	o := Options{Optimizer: option.OptimizerLBFGS, Ridge: ridge}
	first := run(r, o)
	least, slope := penalized(t, first, d, ridge)
	if gap := slope * slope / (2 * ridge); !(gap <= 1e-4) {
		t.Errorf("the loss %v may be %v above the minimum, want at most 1e-4", least, gap)
	}
	for j, w := range run(r, o).Model.Weights() {
		if w != first.Model.Weights()[j] {
			t.Errorf("weight %d is %v once and %v again", j, w, first.Model.Weights()[j])
		}
	}
	r.Steps = 0
	descent, _ := penalized(t, run(r, Options{Momentum: option.DefaultMomentum, Ridge: ridge}), d, ridge)
	r.Epsilon = 1
	private, _ := penalized(t, run(r, Options{Momentum: option.DefaultMomentum, Ridge: ridge}), d, ridge)
	if !(least < descent-1e-3) || !(least < private-1e-3) {
		t.Errorf("the loss is %v, by descent %v and with noise %v, want less than both", least, descent, private)
	}
}

// TestSearchRefusals keeps the search for a minimum from noise, samples and what it does not return.
func TestSearchRefusals(t *testing.T) {
	for name, change := range map[string]func(*Request, *Options){
		"noise":    func(r *Request, _ *Options) { r.Epsilon = 1 },
		"samples":  func(r *Request, _ *Options) { r.SamplingProbability = 0.1 },
		"l1":       func(_ *Request, o *Options) { o.L1 = 1 },
		"warm-up":  func(_ *Request, o *Options) { o.WarmUp = 1 },
		"schedule": func(_ *Request, o *Options) { o.Schedule = option.ScheduleCosine },
		"average":  func(_ *Request, o *Options) { o.Average = Yes },
		"iterates": func(_ *Request, o *Options) { o.Output = option.OutputAllIterates },
	} {
		r, o := ask(), Options{Optimizer: option.OptimizerLBFGS}
		r.Epsilon = math.Inf(1)
		change(&r, &o)
		setup, err := NewPlan(r, toySchema(t))
		if err != nil {
			t.Fatal(err)
		}
		if setup.Check(context.Background(), o) == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
