package grid

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// TestSetNoise holds that the noise is the one that was asked for and the price that of the accountant.
func TestSetNoise(t *testing.T) {
	s := schema(t)
	c := candidate(t, s, train.Request{Epsilon: 1, Steps: 9})
	if err := setNoise(&c, "6"); err != nil {
		t.Fatal(err)
	}
	want, err := account.GDP.Epsilon(mechanism.Gaussian{NoiseMultiplier: 2}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(c.Certificate.Epsilon); c.Linear.Plan.NoiseMultiplier != 6 || !(got >= want.Upper && got < want.Upper*1.02) {
		t.Errorf("nine steps of noise multiplier 6 cost %v, want %v, that of one with 2", got, want.Upper)
	}
	counted := *s
	counted.Records = 0 // the number of records is released first, with noise in proportion
	c = candidate(t, &counted, train.Request{Epsilon: 1, Steps: 9})
	before := c.Linear.Plan.Preparation[0].NoiseMultiplier / c.Linear.Plan.NoiseMultiplier
	if err = setNoise(&c, "6"); err != nil {
		t.Fatal(err)
	}
	if after := c.Linear.Plan.Preparation[0].NoiseMultiplier / 6; math.Abs(after/before-1) > 1e-12 {
		t.Errorf("noise before the steps is %v of theirs, want %v as before", after, before)
	}
	baseline := candidate(t, s, train.Request{Epsilon: math.Inf(1), Steps: 7})
	for _, text := range []string{"0", "-1", "x", "Inf"} {
		if setNoise(&c, text) == nil {
			t.Errorf("noise multiplier %s was taken, want a refusal", text)
		}
	}
	if setNoise(&baseline, "1") == nil {
		t.Error("noise was given to a run without privacy, want a refusal")
	}
}

// schema is one of two numbers and a target with two levels, whose number of records is public.
func schema(t *testing.T) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("toy", []byte("dither-schema: 1\nrow: one person\nrecords: 300\nmax-records: 4000\ntarget: {column: y, levels: [no, yes]}\n"+
		"defaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  a: {numeric: [0, 1]}\n  b: {numeric: [0, 1]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// candidate plans descent.
func candidate(t *testing.T, s *data.Schema, r train.Request, settings ...sweep.Setting) sweep.Candidate {
	t.Helper()
	r.Delta, r.Neighboring, r.Whiten = 1e-6, privacy.AddOrRemoveOne, train.No
	setup, err := train.NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	c := sweep.Candidate{Settings: settings, Linear: &setup, Options: train.Options{Momentum: 0.5}, Baseline: math.IsInf(r.Epsilon, 1)}
	if err = c.Certify(); err != nil {
		t.Fatal(err)
	}
	return c
}
