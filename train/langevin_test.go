package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

func langevin() Request {
	r := ask()
	r.Steps, r.Center, r.Whiten = 60, No, No
	return r
}

// TestLangevinLaw samples without records, where the mean loss is (λ/2)·‖w‖² alone and the iterates of the
// algorithm are exactly normal, of variance τ/(λ·(1-ηλ/2)) once (1-ηλ)^2T is forgotten. Over the weights
// of 300 runs, 5.5 deviations √(2/count) of the mean square are passed with probability below 1e-7.
func TestLangevinLaw(t *testing.T) {
	const ridge, temperature = 0.5, 0.02
	s := declaredToy(t)
	s.Records, s.MaxRecords = 50, 50
	setup, err := NewPlan(langevin(), s)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := setup.encode(toyData(t, s, 0), 0)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Ridge: ridge, Temperature: temperature, Output: option.OutputLast}
	squares, count, rate := 0.0, 0.0, 0.0
	for range 300 {
		ready := prepared{setup: setup, features: setup.Features, divisor: 50}
		rows, failed := setup.descend(encoded, ready)
		if failed != nil {
			t.Fatal(failed)
		}
		run, failed := newDescent(setup, o, free{}, rows, table{}, ready)
		if failed != nil {
			t.Fatal(failed)
		}
		result, failed := run.fit(context.Background())
		if failed != nil {
			t.Fatal(failed)
		}
		rate = result.LearningRate
		for _, w := range result.Model.Weights() {
			squares, count = squares+w*w, count+1
		}
	}
	want := temperature / ridge / (1 - rate*ridge/2) * (1 - math.Pow(1-rate*ridge, 2*60))
	if ratio := squares / count / want; math.Abs(ratio-1) > 5.5*math.Sqrt(2/count) {
		t.Errorf("learning rate %v: the variance is %v times %v", rate, ratio, want)
	}
	if p := setup.Plan; math.Abs(rate*math.Pow(p.NoiseMultiplier*p.Clipping.Bound/50, 2)/2-temperature) > 1e-12 {
		t.Errorf("learning rate %v is not that of temperature %v", rate, temperature)
	}
}

func TestTemperatureRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request, *data.Schema, *Options)
		want   string
	}{
		"too hot":       {func(_ *Request, _ *data.Schema, o *Options) { o.Temperature = 1e3 }, "might diverge"},
		"negative":      {func(_ *Request, _ *data.Schema, o *Options) { o.Temperature = -1 }, "temperature"},
		"momentum":      {func(_ *Request, _ *data.Schema, o *Options) { o.Momentum = 0.9 }, "momentum"},
		"rate":          {func(_ *Request, _ *data.Schema, o *Options) { o.LearningRate = 1 }, "learning rate"},
		"no count":      {func(_ *Request, s *data.Schema, _ *Options) { s.Records = 0 }, "undeclared"},
		"rows":          {func(r *Request, _ *data.Schema, _ *Options) { r.Normalization = feature.NormNone }, "rows of"},
		"samples":       {func(r *Request, _ *data.Schema, _ *Options) { r.SamplingProbability = 0.5 }, "samples"},
		"changes":       {func(r *Request, _ *data.Schema, _ *Options) { r.NoiseContraction = 0.9 }, "changes"},
		"weights":       {func(r *Request, _ *data.Schema, _ *Options) { r.ClassWeights = []float64{1, 0.5} }, "weights"},
		"baseline":      {func(r *Request, _ *data.Schema, _ *Options) { r.Epsilon = math.Inf(1) }, "without noise"},
		"last iterate":  {func(r *Request, _ *data.Schema, o *Options) { *r = alone(); o.Ridge = 0.05 }, "temperature"},
		"other schemes": {func(_ *Request, _ *data.Schema, o *Options) { o.Schedule = option.ScheduleCosine }, "schedule"},
	} {
		r, s, o := langevin(), declaredToy(t), Options{Ridge: 0.1, Temperature: 1e-5}
		c.change(&r, s, &o)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err = setup.Check(context.Background(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.want)
		}
	}
}

// TestLangevinAverageLearns takes the mean of all iterates of a sampler at the temperature of the posterior. The accuracy is
// 0.851 with a standard deviation of 0.0034 (40 runs).
func TestLangevinAverageLearns(t *testing.T) {
	s := declaredToy(t)
	r := langevin()
	r.Epsilon, r.Steps, r.Neighboring = 0.5, 400, privacy.AddOrRemoveOne
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), budget(t, 0.5), setup, toyData(t, s, 4000), Options{Ridge: 1e-3, Temperature: 1.0 / 4000, Output: option.OutputUniformAverage})
	if err != nil {
		t.Fatal(err)
	}
	if got := accuracy(t, result.Model); got < 0.75 {
		t.Errorf("accuracy is %.3f at learning rate %v, want at least 0.75", got, result.LearningRate)
	}
}
