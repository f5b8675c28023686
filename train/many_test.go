package train

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// jobs are plans that differ in loss, clipping, steps, center and intercept.
func jobs(t testing.TB, s *data.Schema, epsilon float64) []Run {
	t.Helper()
	var out []Run
	for i := range 5 {
		r := Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Center: Yes, Whiten: No, Steps: 8 + 3*i, ClippingNorm: 0.3 + 0.2*float64(i)}
		switch i {
		case 0:
			r.Whiten = Yes
		case 1:
			r.Loss = model.OneVsRest
		case 2:
			r.Center = No
		case 3:
			r.Intercept = -1
		case 4:
			r.PrivateRadius = true
		}
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Run{setup, Options{Momentum: 0.1 * float64(i), Average: No}})
	}
	return out
}

// TestFitManyIsFit fits five models in one pass and one by one, without privacy: the same bits.
func TestFitManyIsFit(t *testing.T) {
	s := toySchema(t)
	s.Records = 1300
	d := toyData(t, s, 1300)
	all := slices.Repeat(jobs(t, s, math.Inf(1)), 4) // so many take longer blocks
	got, err := FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), all, d)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range all {
		want, failed := Fit(context.Background(), rich(t, privacy.AddOrRemoveOne), j.Setup, d, j.Options)
		if failed != nil {
			t.Fatal(failed)
		}
		for k, w := range want.Model.Weights() {
			if math.Float64bits(w) != math.Float64bits(got[i].Model.Weights()[k]) {
				t.Fatalf("model %d: weight %d is %v together, %v alone", i, k, got[i].Model.Weights()[k], w)
			}
		}
	}
}

// TestFitManyPaysForEach holds that the ledger is charged for every model, and refuses when the budget
// ends before the last.
func TestFitManyPaysForEach(t *testing.T) {
	s := toySchema(t)
	s.Records = 400
	d := toyData(t, s, 400)
	all := jobs(t, s, 1)
	if _, err := FitMany(context.Background(), budget(t, 3), all, d); err != nil {
		t.Errorf("five models at epsilon 1 under a budget of 3: %v", err)
	}
	if _, err := FitMany(context.Background(), budget(t, 2), all, d); err == nil || !strings.Contains(err.Error(), "of 5") {
		t.Errorf("five models at epsilon 1 under a budget of 2: got %v, want a refusal that names the model", err)
	}
}

func TestFitManyRefusals(t *testing.T) {
	s := toySchema(t)
	s.Records = 400
	d := toyData(t, s, 400)
	for name, change := range map[string]func(*Request, *Options){
		"sampled":      func(r *Request, _ *Options) { r.SamplingProbability = 0.1 },
		"variances":    func(r *Request, _ *Options) { r.Whiten, r.Structure = Yes, option.StructureDiagonal },
		"clipped rows": func(r *Request, _ *Options) { r.Whiten, r.Normalization = Yes, feature.NormClip },
		"feature bits": func(_ *Request, o *Options) { o.FeatureBits = 8 },
		"NaN":          func(_ *Request, o *Options) { o.Momentum = math.NaN() },
	} {
		r, o := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Steps: 3}, Options{}
		change(&r, &o)
		setup, err := NewPlan(r, s)
		if err != nil {
			t.Fatal(err)
		}
		l := rich(t, privacy.AddOrRemoveOne)
		if _, err = FitMany(context.Background(), l, append(jobs(t, s, 1)[:1], Run{setup, o}), d); err == nil || !strings.Contains(err.Error(), "model 2 of 2") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

// TestTableFitManyIsFitMany fits on an encoded table, without privacy: the same bits. It refuses other transforms.
func TestTableFitManyIsFitMany(t *testing.T) {
	s := toySchema(t)
	s.Records = 700
	d := toyData(t, s, 700)
	all := jobs(t, s, math.Inf(1))
	want, err := FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), all, d)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(all[0].Setup, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for k, w := range want[i].Model.Weights() {
			if math.Float64bits(w) != math.Float64bits(got[i].Model.Weights()[k]) {
				t.Fatalf("model %d: weight %d is %v on a table, %v without", i, k, got[i].Model.Weights()[k], w)
			}
		}
	}
	setup, err := NewPlan(Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: No, Steps: 3, Transforms: []feature.Spec{{Name: "fourier", Parameters: []byte(`{"features": 8}`)}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	other := append(all[:1:1], Run{setup, Options{}})
	if _, err = table.FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), other); err == nil || !strings.Contains(err.Error(), "model 2 of 2") {
		t.Errorf("other transforms: got %v, want a refusal", err)
	}
	if _, err = FitMany(context.Background(), rich(t, privacy.AddOrRemoveOne), other, d); err == nil || !strings.Contains(err.Error(), "transforms of its own") {
		t.Errorf("other transforms: got %v, want a refusal", err)
	}
}
