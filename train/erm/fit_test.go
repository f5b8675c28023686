package erm

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// signedSum is a method for tests of the frame: the noisy sum of rows, each with the sign of its class.
type signedSum struct{}

func (signedSum) name() string          { return "signed-sum" }
func (signedSum) summary() string       { return "a sum" }
func (signedSum) validate(Plan) error   { return nil }
func (signedSum) draws(p Plan) int      { return p.Dim }
func (m signedSum) steps(p Plan) []step { return []step{{"sum", m.event(p)}} }
func (signedSum) facts(Plan) []fact     { return nil }
func (signedSum) noise(p Plan) mechanism.Noise {
	return p.noise(mechanism.Gaussian{NoiseMultiplier: p.RowBound})
}
func (m signedSum) event(p Plan) mechanism.Event { return m.noise(p) }

func (m signedSum) plan(r Request, s *Setup) error {
	z, err := r.calibrate(s.Plan, s.Plan.Dim, func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} })
	s.Plan.RowBound = z // kept where the plan has room
	return err
}

func (m signedSum) fit(_ context.Context, f *fitting) ([]float64, error) {
	sample, err := release.Draw(release.Full(), f.rows.Len())
	if err != nil {
		return nil, err
	}
	noise := m.noise(f.Plan)
	sum, err := release.NewSum(sample, f.rows, release.SumOptions{Noise: noise, Columns: 1, Bound: 1, MaxRecords: f.Plan.MaxRecords})
	if err != nil {
		return nil, err
	}
	err = pass.All(sum, f.rows, func(c *kernel.Contributions, b release.Block) {
		c.Columns, c.Coefficients = 1, make([]float64, b.Len())
		for i, label := range b.Labels() {
			c.Coefficients[i] = 2*float64(label) - 1
		}
	})
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(f.grant, noise, sum.Seal())
	return noisy.Values(), err
}

// withMethod adds a method to the table for one test.
func withMethod(t *testing.T, m method) {
	t.Helper()
	before := methods
	methods = append(append([]method{}, before...), m)
	t.Cleanup(func() { methods = before })
}

func builtinSet(t testing.TB) (*data.Schema, *data.Dataset) {
	t.Helper()
	set, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := set.Schema()
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.ReadTrain(context.Background(), schema, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return schema, d
}

// newLedger returns a ledger for what the plan's certificate says.
func newLedger(t testing.TB, p Plan) *ledger.Ledger {
	t.Helper()
	c, err := p.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	return ledgerOf(t, c)
}

// ledgerOf returns a ledger for what a certificate says.
func ledgerOf(t testing.TB, c certificate.Certificate) *ledger.Ledger {
	t.Helper()
	limit, err := privacy.NewGuarantee(float64(c.Epsilon)*(1+1e-3), c.Delta, c.Neighboring, privacy.Unit{Row: c.Unit, RowsPerPerson: c.GroupRows})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.NewSingle(limit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFrame(t *testing.T) {
	withMethod(t, signedSum{})
	schema, d := builtinSet(t)
	s, err := NewSetup(Request{Method: "signed-sum", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Plan.Certificate()
	if err != nil || !(c.Epsilon <= 1 && c.Epsilon > 0.999) {
		t.Fatalf("certificate: epsilon %v (%v), want 1 from below", c.Epsilon, err)
	}
	if err = c.VerifyPlan(Methods()); err != nil {
		t.Error(err)
	}
	l := newLedger(t, s.Plan)
	result, err := Fit(context.Background(), l, s, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Event()) != 1 || len(result.Model.Weights()) != s.Plan.Dim {
		t.Errorf("the ledger has %d entries and the model %d weights, want 1 and %d", len(l.Event()), len(result.Model.Weights()), s.Plan.Dim)
	}
	if share := accuracy(result.Model, d); share < 0.55 {
		t.Errorf("a sum of signed rows is right about %v of the records, want more than a coin", share)
	}
}

// accuracy is the share of records of two classes that a model is right about.
func accuracy(m *model.Model, d *data.Dataset) float64 {
	right, scores, reader := 0, make([]float64, 1), m.NewReader(d)
	for i := range d.Records() {
		reader.Predict(scores, i)
		if (scores[0] > 0.5) == (d.Target()[i] > 0.5) {
			right++
		}
	}
	return float64(right) / float64(d.Records())
}

func TestFrameRefusals(t *testing.T) {
	withMethod(t, signedSum{})
	schema, _ := builtinSet(t)
	good := Request{Method: "signed-sum", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	for name, c := range map[string]struct {
		change func(*Request)
		want   string
	}{
		"method":      {func(r *Request) { r.Method = "magic" }, `method is "magic"`},
		"relation":    {func(r *Request) { r.Neighboring = 0 }, "neighboring"},
		"public size": {func(r *Request) { r.Neighboring = privacy.ReplaceOne }, "declares none"},
		"ridge":       {func(r *Request) { r.SumRidge = math.NaN() }, "ridge"},
		"epsilon":     {func(r *Request) { r.Epsilon = -1 }, "epsilon"},
	} {
		r := good
		c.change(&r)
		if _, err := NewSetup(r, schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	s, err := NewSetup(good, schema)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Plan.json()
	if err != nil {
		t.Fatal(err)
	}
	for name, edited := range map[string]string{
		"unknown field": strings.Replace(string(text), `"method"`, `"surprise":1,"method"`, 1),
		"other method":  strings.Replace(string(text), `"signed-sum"`, `"other"`, 1),
		"row bound":     strings.Replace(string(text), `"row-bound":`, `"row-bound":-`, 1),
		"no relation":   strings.Replace(string(text), `"add-or-remove-one"`, `"replace-one"`, 1),
	} {
		if _, err := strict.ReadPlan[Plan]("erm", json.RawMessage(edited)); err == nil {
			t.Errorf("%s: the plan %s was taken", name, edited)
		}
	}
}
