package train

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// toySchema has two numbers and a level, and two classes.
func toySchema(t testing.TB) *data.Schema {
	t.Helper()
	s := &data.Schema{
		Name: "toy", Row: "one person", RowsPerPerson: 3, MaxRecords: 5000,
		Columns: []data.Column{
			{Name: "height", Kind: data.Numeric, Lower: 0, Upper: 2, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "weight", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Zero},
			{Name: "color", Kind: data.Categorical, Levels: []string{"red", "blue"}, Unknown: data.Other, Missing: data.Zero},
		},
		Target: data.Target{Column: "sick", Levels: []string{"no", "yes"}},
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// ask is the tool's default request.
func ask() Request {
	return Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
}

func TestNewPlanCostsWhatWasAsked(t *testing.T) {
	declared := toySchema(t)
	declared.Records = 4000
	for name, c := range map[string]struct {
		schema *data.Schema
		change func(*Request)
	}{
		"defaults":     {toySchema(t), func(*Request) {}},
		"declared":     {declared, func(*Request) {}},
		"replace-one":  {declared, func(r *Request) { r.Neighboring = privacy.ReplaceOne }},
		"zero-out":     {declared, func(r *Request) { r.Neighboring = privacy.ZeroOut }},
		"whitened":     {toySchema(t), func(r *Request) { r.Whiten = Yes }},
		"bare":         {declared, func(r *Request) { r.Center, r.Whiten = No, No }},
		"small budget": {toySchema(t), func(r *Request) { r.Epsilon, r.Delta = 0.01, 1e-9 }},
		"large budget": {toySchema(t), func(r *Request) { r.Epsilon = 20 }},
	} {
		r := ask()
		c.change(&r)
		s, err := NewPlan(r, c.schema)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		price, err := certificate.New("", nil, s.Plan.Derivation())
		if err != nil || float64(price.Epsilon) > r.Epsilon || float64(price.Epsilon) < r.Epsilon*(1-1e-6) {
			t.Errorf("%s: epsilon is %v (%v), want just below %v", name, float64(price.Epsilon), err, r.Epsilon)
		}
		if float64(price.GroupEpsilon) <= float64(price.Epsilon) {
			t.Errorf("%s: epsilon of three rows is %v, want more than %v", name, float64(price.GroupEpsilon), float64(price.Epsilon))
		}
	}
}

func TestPerStepPlan(t *testing.T) {
	s := toySchema(t)
	s.Records = 4000
	r := Request{Epsilon: 0.1, PerStep: true, Delta: 1e-5, Steps: 10, Neighboring: privacy.AddOrRemoveOne, Center: No, Whiten: No}
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	// μ of (0.1, 1e-5) is 0.03252 (scipy); ten such steps have μ 0.10284.
	if z := setup.Plan.NoiseMultiplier; math.Abs(1/z-0.03252) > 6e-6 {
		t.Errorf("noise multiplier: got %v, want 1/0.03252", z)
	}
	price, err := certificate.New("", nil, setup.Plan.Derivation())
	if err != nil || float64(price.Epsilon) < 0.1 || float64(price.Epsilon) > 1 {
		t.Errorf("total epsilon: got %v (%v), want more than one step's and less than ten's", float64(price.Epsilon), err)
	}
}

func TestReplaceOneTakesTwiceTheNoise(t *testing.T) {
	s := toySchema(t)
	s.Records, s.MaxRecords = 4000000, 4000000 // so that the noise in frequencies is small enough under both
	r := ask()
	r.Whiten = No
	add, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	r.Neighboring = privacy.ReplaceOne
	replace, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := replace.Plan.NoiseMultiplier / add.Plan.NoiseMultiplier; math.Abs(got-2) > 1e-6 {
		t.Errorf("noise under replace-one is %v times that under add-or-remove-one, want 2", got)
	}
}

func TestNewPlanRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request, *data.Schema)
		want   string
	}{
		"epsilon zero":           {func(r *Request, _ *data.Schema) { r.Epsilon = 0 }, "epsilon"},
		"epsilon NaN":            {func(r *Request, _ *data.Schema) { r.Epsilon = math.NaN() }, "epsilon"},
		"delta zero":             {func(r *Request, _ *data.Schema) { r.Delta = 0 }, "delta"},
		"delta one":              {func(r *Request, _ *data.Schema) { r.Delta = 1 }, "delta"},
		"no relation":            {func(r *Request, _ *data.Schema) { r.Neighboring = 0 }, "neighboring"},
		"replace-one without n":  {func(r *Request, _ *data.Schema) { r.Neighboring = privacy.ReplaceOne }, "records"},
		"negative steps":         {func(r *Request, _ *data.Schema) { r.Steps = -1 }, "steps"},
		"infinite clipping norm": {func(r *Request, _ *data.Schema) { r.ClippingNorm = math.Inf(1) }, "clipping norm"},
		"unknown mode":           {func(r *Request, _ *data.Schema) { r.ClippingMode = "weights" }, "clipping mode"},
		"unknown normalization":  {func(r *Request, _ *data.Schema) { r.Normalization = "max" }, "normalization"},
		"whitening without norm": {func(r *Request, _ *data.Schema) { r.Normalization, r.Whiten = feature.NormNone, Yes }, "whitening"},
		"wrong loss":             {func(r *Request, _ *data.Schema) { r.Loss = model.Huber(1) }, "loss"},
		"invalid schema":         {func(_ *Request, s *data.Schema) { s.MaxRecords = 0 }, "max-records"},
		"no unit":                {func(_ *Request, s *data.Schema) { s.Row = "" }, "row is missing"},
		"epsilon beyond reach":   {func(r *Request, _ *data.Schema) { r.Epsilon, r.Delta = 1e-18, 1e-30 }, ""},
	} {
		r, s := ask(), toySchema(t)
		c.change(&r, s)
		if _, err := NewPlan(r, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", name, err, c.want)
		}
	}
}

func TestPlanThroughJSON(t *testing.T) {
	s, err := NewPlan(ask(), toySchema(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Plan.json()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Methods()[option.MethodGD](text)
	if err != nil || d.Event.String() != s.Plan.Event().String() || d.NoiseDraws != s.Plan.NoiseDraws() {
		t.Errorf("read back: got %v, %v, want %v", d, err, s.Plan.Derivation())
	}
	for _, bad := range []string{`{}`, `{"steps": 5, "surprise": 1}`, `[]`, strings.Replace(string(text), `"steps":120`, `"steps":0`, 1)} {
		if _, err := Methods()[option.MethodGD](json.RawMessage(bad)); err == nil {
			t.Errorf("%.40s…: got no error", bad)
		}
	}
}

func TestSampledPlan(t *testing.T) {
	r := ask()
	r.SamplingProbability = 0.05
	s, err := NewPlan(r, toySchema(t))
	if err != nil {
		t.Fatal(err)
	}
	if s.Plan.Method() != option.MethodSGD || s.Plan.Steps != 400 {
		t.Errorf("method %s with %d steps, want %s with 400", s.Plan.Method(), s.Plan.Steps, option.MethodSGD)
	}
	c, err := s.Plan.Certificate()
	if err != nil || c.Accountant != "pld" || float64(c.Epsilon) > 1 || float64(c.Epsilon) < 0.9999 || float64(c.GroupEpsilon) < 2*float64(c.Epsilon) {
		t.Errorf("certificate: accountant %s, epsilon %v, for three rows %v, %v", c.Accountant, c.Epsilon, c.GroupEpsilon, err)
	}
	text, _ := s.Plan.json()
	if _, err = Methods()[option.MethodSGD](text); err != nil {
		t.Error(err)
	}
	if _, err = Methods()[option.MethodGD](text); err == nil {
		t.Error("a sampled plan was taken for one of all records")
	}
	full, err := NewPlan(Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 400}, toySchema(t))
	if err != nil || !(s.Plan.NoiseMultiplier < full.Plan.NoiseMultiplier) {
		t.Errorf("sampled noise %v, want less than %v of as many full steps", s.Plan.NoiseMultiplier, full.Plan.NoiseMultiplier)
	}
	for name, change := range map[string]func(*Request){
		"probability 1": func(r *Request) { r.SamplingProbability = 1 },
		"negative":      func(r *Request) { r.SamplingProbability = -0.1 },
		"NaN":           func(r *Request) { r.SamplingProbability = math.NaN() },
	} {
		bad := r
		change(&bad)
		declared := toySchema(t)
		declared.Records = 4000
		if _, err := NewPlan(bad, declared); err == nil {
			t.Errorf("%s: got a plan, want an error", name)
		}
	}
}

func TestPlanEventFollowsThePreparation(t *testing.T) {
	p := Plan{Preparation: []PreparationStep{{NoiseMultiplier: 30}, {NoiseMultiplier: 40}}, NoiseMultiplier: 20, Steps: 5}
	if got, want := p.Event().String(), "sequence(gaussian(30), gaussian(40), repeat(5, gaussian(20)))"; got != want {
		t.Errorf("event: got %s, want %s", got, want)
	}
	p.NonPrivate = true
	if got, want := p.Event().String(), "sequence(non-private(), non-private(), repeat(5, non-private()))"; got != want {
		t.Errorf("baseline: got %s, want %s", got, want)
	}
	if _, err := mechanism.ParseEvent(p.Event().String()); err != nil {
		t.Error(err)
	}
}
