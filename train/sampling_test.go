package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// declaredSchema declares 4000 records.
func declaredSchema(t *testing.T) *data.Schema {
	t.Helper()
	s := toySchema(t)
	s.Records = 4000
	return s
}

// trainOn fits a request on n toy records under a ledger that holds its plan.
func trainOn(t *testing.T, r Request, n int) (Setup, *Result, error) {
	t.Helper()
	s := declaredSchema(t)
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := privacy.NewGuarantee(r.Epsilon, r.Delta, r.Neighboring, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewSingle(limit)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), l, setup, toyData(t, s, n), Options{Momentum: 0.5})
	return setup, result, err
}

// TestOtherSamplingsLearn trains on batches of fixed size and on parts, prices both as what they are,
// and lets the fixed-size run have fewer rows than declared. Accuracies are 0.878 with a standard deviation of 0.0013 (80 runs).
func TestOtherSamplingsLearn(t *testing.T) {
	fixed := ask()
	fixed.Neighboring, fixed.Epsilon, fixed.BatchSize, fixed.Steps, fixed.Center, fixed.Whiten = privacy.ReplaceOne, 8, 400, 40, No, No
	setup, result, err := trainOn(t, fixed, 3900)
	if err != nil {
		t.Fatal(err)
	}
	if got := setup.Plan.Event().String(); !strings.Contains(got, "repeat(40, without-replacement(4000, 400, gaussian(") || setup.Plan.Share() != 0.1 {
		t.Errorf("fixed size: event %s, share %v", got, setup.Plan.Share())
	}
	if a := accuracy(t, result.Model); a < 0.78 {
		t.Errorf("fixed size: accuracy %.3f", a)
	}
	if _, _, err = trainOn(t, fixed, 4001); err == nil {
		t.Error("more rows than the declared number were trained on in batches of fixed size")
	}
	parted := ask()
	parted.Epsilon, parted.Parts, parted.Steps, parted.Center, parted.Whiten = 2, 4, 41, No, No
	if setup, result, err = trainOn(t, parted, 4000); err != nil {
		t.Fatal(err)
	}
	if got := setup.Plan.Event().String(); !strings.Contains(got, "repeat(11, partition(4, gaussian(") || setup.Plan.Method() != option.MethodSGD {
		t.Errorf("parts: event %s of %s", got, setup.Plan.Method())
	}
	if a := accuracy(t, result.Model); a < 0.78 {
		t.Errorf("parts: accuracy %.3f", a)
	}
}

// TestFixedSizeShowsBothNumbers holds that a fixed size under add-or-remove-one is refused with its cost
// beside that of Poisson samples, which is far smaller.
func TestFixedSizeShowsBothNumbers(t *testing.T) {
	r := ask()
	r.Epsilon, r.BatchSize, r.Steps = 1.5, 40, 1000
	_, err := NewPlan(r, declaredSchema(t))
	if err == nil {
		t.Fatal("a fixed size was taken under add-or-remove-one")
	}
	for _, want := range []string{"sampling probability 0.01", "1000 Poisson samples cost epsilon 1.5 under add-or-remove-one", "of fixed size cost", "replace-one"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	for name, change := range map[string]func(*Request){
		"two samplings":      func(r *Request) { r.SamplingProbability = 0.1 },
		"larger than all":    func(r *Request) { r.BatchSize = 4001 },
		"negative size":      func(r *Request) { r.BatchSize = -1 },
		"negative parts":     func(r *Request) { r.BatchSize, r.Parts = 0, -1 },
		"infinitely private": func(r *Request) { r.Epsilon = math.Inf(1) },
	} {
		bad := r
		change(&bad)
		if _, err = NewPlan(bad, declaredSchema(t)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestPlanSamplingMustFit refuses plans from files whose sampling contradicts itself.
func TestPlanSamplingMustFit(t *testing.T) {
	setup, err := NewPlan(ask(), toySchema(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Plan){
		"probability of full batches": func(p *Plan) { p.SamplingProbability = 0.1 },
		"poisson without probability": func(p *Plan) { p.Sampling = samplingPoisson },
		"both":                        func(p *Plan) { p.Sampling, p.SamplingProbability, p.Parts = samplingPoisson, 0.1, 3 },
		"fixed size, add or remove":   func(p *Plan) { p.Sampling, p.BatchSize = samplingFixedSize, 10 },
		"unknown":                     func(p *Plan) { p.Sampling = "shuffled" },
	} {
		p := setup.Plan
		change(&p)
		if err = p.Validate(); err == nil {
			t.Errorf("%s: %v is valid", name, p.Event())
		}
	}
	if e := (Plan{Sampling: samplingPartition, Parts: 3, Steps: 7, NoiseMultiplier: 2}).steps(2); e.(mechanism.Repeat).Count != 3 {
		t.Errorf("7 steps over 3 parts: %v, want 3 rounds", e)
	}
}
