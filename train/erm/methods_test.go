package erm

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// small is a table of two columns and a target of so many levels (0: a number), with a rule and some noise.
func small(_ testing.TB, levels, records int) (*data.Schema, *data.Dataset) {
	target := data.Target{Column: "y", Levels: strings.Split("abcdef", "")[:levels]}
	if levels == 0 {
		target = data.Target{Column: "y", Lower: -1, Upper: 1}
	}
	column := func(name string) data.Column {
		return data.Column{Name: name, Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero}
	}
	s := &data.Schema{Name: "small", Row: "one person", Records: records, MaxRecords: 2 * records, Columns: []data.Column{column("u"), column("v")}, Target: target}
	r := rand.New(rand.NewPCG(5, 6))
	columns, y := [][]float32{nil, nil}, make([]float32, records)
	for i := range y {
		u, v := r.Float64(), r.Float64()
		columns[0], columns[1] = append(columns[0], float32(u)), append(columns[1], float32(v))
		at := 0.5 + u - v + 0.2*r.NormFloat64()
		if y[i] = float32(max(-1, min(1, at))); levels > 0 {
			y[i] = float32(max(0, min(float64(levels-1), math.Floor(at*float64(levels)))))
		}
	}
	d, err := data.New(s, columns, y)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		panic(err)
	}
	return s, d
}

// requests are requests that every method or some take, by name. Those whose prices take long are there with the tag
// long.
func requests() map[string]Request {
	private := Request{Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	with := func(change func(*Request)) Request {
		r := private
		change(&r)
		return r
	}
	all := map[string]Request{
		"output":             with(func(r *Request) { r.Method = option.MethodOutput }),
		"output replace-one": with(func(r *Request) { r.Method, r.Neighboring = option.MethodOutput, privacy.ReplaceOne }),
		"output l1":          with(func(r *Request) { r.Method, r.Noise, r.Delta = option.MethodOutput, option.NoiseL1, 0 }),
		"output l-infinity":  with(func(r *Request) { r.Method, r.Noise, r.Delta = option.MethodOutput, option.NoiseLInfinity, 0 }),
		"output pure":        with(func(r *Request) { r.Method, r.Delta = option.MethodOutput, 0 }),
		"output l2":          with(func(r *Request) { r.Method, r.Noise = option.MethodOutput, option.NoiseL2 }),
		"output one-vs-rest": with(func(r *Request) { r.Method, r.Loss = option.MethodOutput, model.OneVsRest }),
		"output baseline":    with(func(r *Request) { r.Method, r.Epsilon = option.MethodOutput, math.Inf(1) }),
		"exponential":        with(func(r *Request) { r.Method, r.Delta, r.GridPoints = option.MethodExponential, 0, 9 }),
		"exponential choice": with(func(r *Request) {
			r.Method, r.GridPoints, r.Choice, r.Neighboring = option.MethodExponential, 5, option.ChoiceExponential, privacy.ReplaceOne
		}),
		"objective":     with(func(r *Request) { r.Method = option.MethodObjective }),
		"least squares": with(func(r *Request) { r.Method = "least-squares" }),
		"newton":        with(func(r *Request) { r.Method = "newton" }),
		"zeroth-order":  with(func(r *Request) { r.Method, r.Steps = option.MethodZeroth, 50 }),
		"zeroth-order pure": with(func(r *Request) {
			r.Method, r.Delta, r.Neighboring, r.Steps = option.MethodZeroth, 0, privacy.ReplaceOne, 50
		}),
		"zeroth-order heads": with(func(r *Request) { r.Method, r.Loss, r.Steps = option.MethodZeroth, model.OneVsRest, 20 }),
		"frank-wolfe":        with(func(r *Request) { r.Method, r.Steps = option.MethodFrankWolfe, 20 }),
		"frank-wolfe pure": with(func(r *Request) {
			r.Method, r.Delta, r.Neighboring, r.Steps = option.MethodFrankWolfe, 0, privacy.ReplaceOne, 5
		}),
		"frank-wolfe heads": with(func(r *Request) { r.Method, r.Loss, r.Steps = option.MethodFrankWolfe, model.OneVsRest, 5 }),
	}
	if thorough {
		all["objective zero-out"] = with(func(r *Request) { r.Method, r.Neighboring = option.MethodObjective, privacy.ZeroOut })
		all["objective two heads"] = with(func(r *Request) { r.Method, r.Loss = option.MethodObjective, model.OneVsRest })
	}
	return all
}

// planned returns the setups of all requests, made once.
var planned = sync.OnceValue(func() map[string]Setup {
	all := map[string]Setup{}
	s, _ := small(nil, 2, 2000)
	for name, r := range requests() {
		setup, err := NewSetup(r, s)
		if err != nil {
			panic(name + ": " + err.Error())
		}
		all[name] = setup
	}
	return all
})

// TestMethods runs every request: the certificate is within the budget and follows from the plan, the ledger
// holds one reservation, all of it is used, and the model has the plan's shape.
func TestMethods(t *testing.T) {
	_, d := small(t, 2, 2000)
	seen := map[string]bool{}
	for name, r := range requests() {
		seen[r.Method] = true
		setup := planned()[name]
		c, err := setup.Plan.Certificate()
		if err != nil || !(float64(c.Epsilon) <= r.Epsilon) || !(float64(c.Epsilon) >= 0.99*r.Epsilon) {
			t.Errorf("%s: epsilon is %v (%v), want %v from below", name, c.Epsilon, err, r.Epsilon)
		}
		if err = c.VerifyPlan(Methods()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		l := ledgerOf(t, c)
		result, err := Fit(context.Background(), l, setup, d, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(result.Model.Weights()) != setup.Plan.Dim*setup.Plan.Columns || len(l.Event()) != 1 {
			t.Errorf("%s: %d weights and %d reservations, want %d and 1", name, len(result.Model.Weights()), len(l.Event()), setup.Plan.Dim*setup.Plan.Columns)
		}
		if len(setup.Plan.Steps()) == 0 || len(setup.Plan.Facts()) == 0 {
			t.Errorf("%s: the plan has no steps or facts to read", name)
		}
		if _, err = Fit(context.Background(), l, setup, d, Options{}); err == nil {
			t.Errorf("%s: a second run on a ledger for one was paid", name)
		}
	}
	for _, name := range []string{option.MethodOutput, option.MethodObjective, option.MethodExponential, option.MethodZeroth, option.MethodFrankWolfe} {
		if !seen[name] || Summary(name) == "" {
			t.Errorf("method %s has no request here, or no summary", name)
		}
	}
}

// TestPlansAreHeldToTheirNumbers edits each plan's JSON; every edit is refused or changes the event.
func TestPlansAreHeldToTheirNumbers(t *testing.T) {
	for name, setup := range planned() {
		text, err := setup.Plan.json()
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{`"sensitivity":`, `"distance":`, `"smoothness":`, `"row-bound":`, `"max-records":`, `"ridge":`} {
			from, to, found := strings.Cut(string(text), field)
			if !found || field == `"row-bound":` && (setup.Plan.Exponential != nil || setup.Plan.Zeroth != nil || setup.Plan.FrankWolfe != nil) { // the bound of losses, of their differences, or of coordinates alone counts there
				continue
			}
			edited := from + field + "3" + to[strings.IndexAny(to, ",}"):]
			if p, err := strict.ReadPlan[Plan]("erm", json.RawMessage(edited)); err == nil && p.Event().String() == setup.Plan.Event().String() {
				t.Errorf("%s: the plan was taken with another %s", name, field)
			}
		}
		if p := setup.Plan; p.Output != nil && p.Objective != nil {
			t.Errorf("%s: the plan has two sections", name)
		}
		double := setup.Plan
		double.Output, double.Objective = &outputPlan{}, &objectivePlan{}
		if double.Validate() == nil {
			t.Errorf("%s: a plan with two sections was taken", name)
		}
	}
}

func TestMethodRefusals(t *testing.T) {
	two, _ := small(t, 2, 100)
	three, _ := small(t, 3, 100)
	number, _ := small(t, 0, 100)
	for name, c := range map[string]struct {
		schema *data.Schema
		change func(*Request)
		want   string
	}{
		"objective of softmax":      {three, func(*Request) {}, "one score"},
		"objective of huber":        {number, func(*Request) {}, "twice differentiable"},
		"objective at delta 0":      {two, func(r *Request) { r.Delta = 0 }, "delta is 0"},
		"objective, replace-one":    {two, func(r *Request) { r.Neighboring = privacy.ReplaceOne }, "replace-one"},
		"objective, baseline":       {two, func(r *Request) { r.Epsilon = math.Inf(1) }, "without privacy"},
		"objective, small ridge":    {two, func(r *Request) { r.SumRidge = 0.2 }, "ridge"},
		"output, unknown noise":     {two, func(r *Request) { r.Method, r.Noise = option.MethodOutput, "uniform" }, "noise"},
		"output, normal at 0":       {two, func(r *Request) { r.Method, r.Noise, r.Delta = option.MethodOutput, option.NoiseGaussian, 0 }, "delta"},
		"output, l2 at 0":           {two, func(r *Request) { r.Method, r.Noise, r.Delta = option.MethodOutput, option.NoiseL2, 0 }, "delta"},
		"output, permuted, add":     {two, func(r *Request) { r.Method, r.Solver = option.MethodOutput, option.SolverPermuted }, "permuted-descent is asked for under"},
		"output, rate too large":    {two, func(r *Request) { r.Method, r.Solver, r.SolverRate = option.MethodOutput, option.SolverGradient, 1 }, "rate"},
		"output, unknown solver":    {two, func(r *Request) { r.Method, r.Solver = option.MethodOutput, "magic" }, "solver is"},
		"output, another's option":  {two, func(r *Request) { r.Method, r.SolverPasses = option.MethodOutput, 3 }, "another solver"},
		"objective, needless noise": {two, func(r *Request) { r.Noise = option.NoiseL1 }, "noise"},
	} {
		r := Request{Method: option.MethodObjective, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
		c.change(&r)
		if _, err := NewSetup(r, c.schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}

// TestLargeBudgetReachesTheMinimum compares output perturbation at a large epsilon, and a baseline, with
// Newton's method on the mapped rows. At epsilon 700 the noise is Laplace noise of scale 0.0055 on three weights,
// above 0.1 with a probability below 1e-7.
func TestLargeBudgetReachesTheMinimum(t *testing.T) {
	s, d := small(t, 2, 1000)
	for epsilon, tolerance := range map[float64]float64{700: 0.1, math.Inf(1): 1e-4} {
		setup, err := NewSetup(Request{Method: option.MethodOutput, Epsilon: epsilon, Neighboring: privacy.AddOrRemoveOne, SumRidge: 0.5}, s)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := newton(setup, d, 0.5)
		for j, w := range result.Model.Weights() {
			if math.Abs(w-want[j]) > tolerance {
				t.Errorf("epsilon %v: weight %d is %v, want %v", epsilon, j, w, want[j])
			}
		}
	}
}

// newton minimizes the logistic loss with a ridge over rows mapped in float64, by full Newton steps.
func newton(s Setup, d *data.Dataset, ridge float64) []float64 {
	dim, n := s.Plan.Dim, d.Records()
	x := make([]float64, n*dim)
	s.Features.Apply(x, n, s.Features.NewScratch(n), func(i int) []float32 { return d.Row(make([]float32, 2), i) })
	w := make([]float64, dim)
	for range 50 {
		a := make([][]float64, dim) // the second derivative beside the gradient
		for j := range a {
			a[j] = make([]float64, dim+1)
			a[j][j], a[j][dim] = ridge, ridge*w[j]
		}
		for i := range n {
			row, z := x[i*dim:(i+1)*dim], 0.0
			for j, v := range row {
				z += v * w[j]
			}
			p := 1 / (1 + math.Exp(-z))
			for j, v := range row {
				a[j][dim] += (p - float64(d.Target()[i])) * v
				for k, u := range row {
					a[j][k] += p * (1 - p) * v * u
				}
			}
		}
		for j := range a { // elimination without pivots: positive definite
			for k := range a {
				if factor := a[k][j] / a[j][j]; k != j {
					for l := j; l <= dim; l++ {
						a[k][l] -= factor * a[j][l]
					}
				}
			}
		}
		for j := range w {
			w[j] -= a[j][dim] / a[j][j]
		}
	}
	return w
}

// TestLearnedColumnsAreRefused: bounds that another training learned are not paid for by a plan of this package.
func TestLearnedColumnsAreRefused(t *testing.T) {
	s := housesSchema(1000)
	s.Columns[0].Learning = data.Private
	learned, err := s.WithBounds("size", 20, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{option.MethodSufficientStatistics, "newton", option.MethodOutput, option.MethodZeroth} {
		r := Request{Method: method, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
		if _, err := NewSetup(r, learned); err == nil || !strings.Contains(err.Error(), "another training learned") {
			t.Errorf("%s: got %v, want the learned column refused", method, err)
		}
	}
}
