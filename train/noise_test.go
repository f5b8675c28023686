package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestContractingScheduleIsOptimal compares the noise at the end of a linear recursion with the bound of
// Cauchy and Schwarz, (Σ a_t)²/μ², computed here from the weights a_t.
func TestContractingScheduleIsOptimal(t *testing.T) {
	for _, c := range []struct {
		contraction float64
		steps       int
	}{{0.5, 1}, {0.5, 7}, {0.9, 60}, {0.999, 1000}} {
		z := contractingSchedule(c.contraction, c.steps)
		sum, squares, end, mu2 := 0.0, 0.0, 0.0, 0.0
		for step, v := range z {
			a := math.Pow(c.contraction, float64(c.steps-1-step))
			sum, squares, end, mu2 = sum+a, squares+a*a, end+a*a*v*v, mu2+1/v/v
		}
		if math.Abs(mu2-float64(c.steps)) > 1e-9*mu2 || math.Abs(effectiveMultiplier(z)-1) > 1e-12 {
			t.Errorf("%+v: μ² is %v, want that of %d steps of multiplier 1", c, mu2, c.steps)
		}
		if want := sum * sum / mu2; math.Abs(end-want) > 1e-9*want || end > squares*(1+1e-12) {
			t.Errorf("%+v: variance at the end is %v, want the least, %v, not above %v of constant noise", c, end, want, squares)
		}
	}
}

// contracting asks for steps that contract.
func contracting(steps int) Request {
	r := ask()
	r.Steps, r.NoiseContraction, r.Center, r.Whiten = steps, 0.8, No, No
	return r
}

func TestScheduledPlan(t *testing.T) {
	s := toySchema(t)
	s.Records = 4000
	setup, err := NewPlan(contracting(20), s)
	if err != nil {
		t.Fatal(err)
	}
	p := setup.Plan
	if n := len(p.NoiseMultipliers); n != 20 || math.Abs(p.NoiseMultipliers[0]/p.NoiseMultipliers[19]-math.Pow(0.8, -9.5)) > 1e-9 {
		t.Fatalf("multipliers are %v, want 20 that shrink", p.NoiseMultipliers)
	}
	constant := contracting(20)
	constant.NoiseContraction = 0
	plain, err := NewPlan(constant, s)
	if err != nil || math.Abs(p.NoiseMultiplier/plain.Plan.NoiseMultiplier-1) > 1e-9 {
		t.Errorf("effective multiplier is %v, of a constant plan %v, %v", p.NoiseMultiplier, plain.Plan.NoiseMultiplier, err)
	}
	if text := p.Event().String(); strings.Count(text, "gaussian") != 20 {
		t.Errorf("event is %s, want 20 Gaussians", text)
	}
	if a := account.For(p.Event()).Name(); a != "gdp" {
		t.Errorf("accountant is %s, want gdp", a)
	}
	price, err := certificate.New("", nil, p.Derivation())
	if err != nil || float64(price.Epsilon) > 1 || float64(price.Epsilon) < 1-1e-6 {
		t.Errorf("epsilon is %v, %v, want just below 1", float64(price.Epsilon), err)
	}
	text, err := p.json()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Methods()[option.MethodGD](text)
	if err != nil || back.Event.String() != p.Event().String() {
		t.Errorf("read back: %v, %v", back.Event, err)
	}
	for name, change := range map[string]func(*Plan){
		"too few":   func(p *Plan) { p.NoiseMultipliers = p.NoiseMultipliers[:19] },
		"other sum": func(p *Plan) { p.NoiseMultiplier *= 1.01 },
		"a zero":    func(p *Plan) { p.NoiseMultipliers = make([]float64, 20) },
		"sampled":   func(p *Plan) { p.Sampling, p.SamplingProbability = samplingPoisson, 0.1 },
	} {
		bad := p
		change(&bad)
		if err = bad.Validate(); err == nil {
			t.Errorf("%s: the plan passes", name)
		}
	}
}

func TestScheduleRefusals(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"one":      func(r *Request) { r.NoiseContraction = 1 },
		"negative": func(r *Request) { r.NoiseContraction = -0.5 },
		"NaN":      func(r *Request) { r.NoiseContraction = math.NaN() },
		"sampled":  func(r *Request) { r.SamplingProbability = 0.1 },
		"per step": func(r *Request) { r.PerStep = true },
		"too much": func(r *Request) { r.NoiseContraction = 0.1 },
		"too long": func(r *Request) { r.NoiseContraction, r.Steps = 0.9999999, maxScheduled+1 },
	} {
		r := contracting(20)
		change(&r)
		if _, err := NewPlan(r, toySchema(t)); err == nil || !strings.Contains(err.Error(), "noise contraction") {
			t.Errorf("%s: got %v, want an error about the noise contraction", name, err)
		}
	}
}

// events is a payer that writes down what was paid.
type events struct{ paid mechanism.Sequence }

func (e *events) Pay(event mechanism.Event) error {
	e.paid = append(e.paid, event)
	return nil
}

// TestScheduledNoiseIsWhatIsDrawn trains on no records with a ridge: what is left is w ← (1-ηλ)·w +
// noise, whose variance at the end is (η·C/N)²·Σ (1-ηλ)^(2(T-1-t))·z_t². With the multipliers in
// another order, or constant, it would be off by a factor. The sum of squares of 300 runs of d weights
// is χ² of 300·d degrees, whose relative deviation √(2/(300·d)) is exceeded 5.5-fold with probability
// below 1e-7.
func TestScheduledNoiseIsWhatIsDrawn(t *testing.T) {
	const runs, steps, rate, ridge = 300, 12, 0.5, 0.4
	s := toySchema(t)
	s.Records = 100
	setup, err := NewPlan(contracting(steps), s)
	if err != nil {
		t.Fatal(err)
	}
	p, want := setup.Plan, 0.0
	for step, z := range p.NoiseMultipliers {
		v := math.Pow(1-rate*ridge, float64(steps-1-step)) * z * rate * p.Clipping.Bound / 100
		want += v * v
	}
	encoded, err := setup.encode(toyData(t, s, 0), 0)
	if err != nil {
		t.Fatal(err)
	}
	squares, count := 0.0, 0.0
	for range runs {
		ready := prepared{setup: setup, features: setup.Features, divisor: 100}
		rows, failed := setup.descend(encoded, ready)
		if failed != nil {
			t.Fatal(failed)
		}
		payer := &events{}
		run, failed := newDescent(setup, Options{LearningRate: rate, Ridge: ridge, Output: option.OutputLast}, payer, rows, table{}, ready)
		if failed != nil {
			t.Fatal(failed)
		}
		result, failed := run.fit(context.Background())
		if failed != nil {
			t.Fatal(failed)
		}
		for _, w := range result.Model.Weights() {
			squares, count = squares+w*w, count+1
		}
		if got := (mechanism.Sequence{payer.paid}).String(); got != p.Training().String() {
			t.Fatalf("paid %s, want %s", got, p.Training())
		}
	}
	if ratio := squares / count / want; math.Abs(ratio-1) > 5.5*math.Sqrt(2/count) {
		t.Errorf("variance at the end is %v times %v, want 1 ± %v", ratio, want, 5.5*math.Sqrt(2/count))
	}
}

// TestScheduledFitIsPaid trains under a ledger whose limit the schedule meets, with progress. The accuracy is 0.775 with a
// standard deviation of 0.002 (40 runs).
func TestScheduledFitIsPaid(t *testing.T) {
	last := Progress{}
	r := contracting(20)
	r.Neighboring = privacy.AddOrRemoveOne
	got := accuracy(t, fitted(t, r, Options{LearningRate: 2, Progress: func(p Progress) { last = p }}).Model)
	if got < 0.7 || last.Step != 20 || last.Epsilon > 1 || last.Epsilon < 0.999 {
		t.Errorf("accuracy %.3f, progress %+v, want at least 0.7 and epsilon 1 at step 20", got, last)
	}
}
