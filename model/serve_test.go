package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

func toySchema(levels ...string) *data.Schema {
	s := &data.Schema{
		Name: "toy", Row: "one person", MaxRecords: 10,
		Columns: []data.Column{
			{Name: "age", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "job", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Drop},
		},
		Target: data.Target{Column: "y", Levels: levels},
	}
	if len(levels) == 0 {
		s.Target.Lower, s.Target.Upper = 10, 30
	}
	return s
}

func toyModel(t testing.TB, levels ...string) *Model {
	t.Helper()
	s := toySchema(levels...)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	d := chain.Dim()
	r := rand.New(rand.NewPCG(1, 1))
	f := &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Center: make([]float64, d), Whitening: &feature.Whitening{Matrix: make([]float64, d*d)}, Intercept: 0.5}
	for i := range d {
		f.Center[i] = r.Float64() / 3
		for j := range i + 1 {
			v := r.NormFloat64()
			f.Whitening.Matrix[i*d+j], f.Whitening.Matrix[j*d+i] = v, v
		}
	}
	loss, err := LossFor(data.Target{Levels: levels}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, loss.Columns(len(levels))*f.Dim())
	for j := range w {
		w[j] = r.NormFloat64() * 3
	}
	m, err := New(s, f, loss, w)
	if err != nil {
		t.Fatal(err)
	}
	m.Provenance = Provenance{Program: "test", Run: "0", Created: "now", Private: true}
	return m
}

func TestModelFileRoundTrip(t *testing.T) {
	for _, levels := range [][]string{{"no", "yes"}, {"x", "y", "z"}, nil} {
		m := toyModel(t, levels...)
		for _, n := range m.Features().Names() { // a missing age has evidence
			share := 1.0
			if n.Aside {
				share = 0.3
			}
			m.Features().Evidence, m.Features().Means = append(m.Features().Evidence, share), append(m.Features().Means, share/2)
		}
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err = os.WriteFile(filepath.Join(dir, FileName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.Encode()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("levels %v: the model changes when it is read and written (%v)", levels, err)
		}
		if !slices.Equal(back.Features().Evidence, m.Features().Evidence) || !slices.Equal(back.Features().Means, m.Features().Means) || !slices.Contains(back.Features().Evidence, 0.3) {
			t.Errorf("levels %v: the evidence became %v", levels, back.Features().Evidence)
		}
		one, two := m.NewRow(), back.NewRow()
		for _, r := range []*Row{one, two} {
			if err := r.SetText("age", "41.5"); err != nil {
				t.Fatal(err)
			}
			if err := r.SetText("job", "b"); err != nil {
				t.Fatal(err)
			}
		}
		p, _ := one.Predict()
		q, _ := two.Predict()
		for k := range p {
			if math.Float64bits(p[k]) != math.Float64bits(q[k]) {
				t.Errorf("levels %v: prediction %v became %v", levels, p, q)
			}
		}
	}
}

func TestPredictions(t *testing.T) {
	m := toyModel(t, "x", "y", "z")
	r := m.NewRow()
	_ = r.SetNumber("age", 30)
	_ = r.SetText("job", "a")
	p, ok := r.Predict()
	if sum := p[0] + p[1] + p[2]; !ok || math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities %v sum to %v", p, sum)
	}
	m = toyModel(t)
	r = m.NewRow()
	for _, age := range []float64{-1e300, 0, 50, 1e300, math.NaN()} {
		_ = r.SetNumber("age", age)
		_ = r.SetText("job", "who")
		if p, ok := r.Predict(); !ok || !(p[0] >= 10 && p[0] <= 30) {
			t.Errorf("age %v: prediction %v, want inside the declared bounds", age, p)
		}
	}
}

func TestRowTreatsCellsAsDeclared(t *testing.T) {
	m := toyModel(t, "no", "yes")
	r := m.NewRow()
	if _, ok := r.Predict(); ok {
		t.Error("a row without job predicts, want it dropped as declared")
	}
	if err := r.SetText("wage", "3"); err == nil {
		t.Error("an unknown column was set")
	}
	if err := r.SetNumber("wage", 3); err == nil {
		t.Error("an unknown column was set")
	}
	_ = r.SetText("job", "a")
	if _, ok := r.Predict(); ok || !slices.Equal(r.Unset(), []string{"age"}) {
		t.Errorf("a row of which age is not set: got a prediction %v, unset %v, want none and age", ok, r.Unset())
	}
	if err := r.SetMissing("wage"); err == nil {
		t.Error("an unknown column was set")
	}
	if err := r.SetMissing("age"); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Predict(); !ok || r.Unset() != nil {
		t.Error("a row without age is dropped, want its missing indicator")
	}
	r.Reset()
	if _, ok := r.Predict(); ok || len(r.Unset()) != 2 {
		t.Error("Reset keeps a cell")
	}
	_ = r.SetText("job", "a")
	if err := r.SetMissing(); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Predict(); !ok || r.Unset() != nil {
		t.Error("SetMissing without a column leaves one, or takes job away")
	}
}

func TestPredictDoesNotAllocateAndIsSafeTogether(t *testing.T) {
	m := toyModel(t, "no", "yes")
	r := m.NewRow()
	_ = r.SetText("job", "a")
	_ = r.SetMissing("age")
	want, _ := r.Predict()
	first := want[0]
	if n := testing.AllocsPerRun(200, func() { _, _ = r.Predict() }); n != 0 {
		t.Errorf("allocations a row: got %v, want 0", n)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			row := m.NewRow()
			for range 500 {
				_ = row.SetText("job", "a")
				_ = row.SetMissing()
				if p, ok := row.Predict(); !ok || p[0] != first {
					t.Errorf("got %v, want %v", p, first)
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestDecodeRefusals(t *testing.T) {
	good, err := toyModel(t, "no", "yes").Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string][2]string{
		"unknown field":   {`"format"`, `"surprise": 1, "format"`},
		"other format":    {fileFormat, "pickle"},
		"other version":   {`"format-version": 1`, `"format-version": 9`},
		"unknown loss":    {`"logistic"`, `"perceptron"`},
		"bad whitening":   {`"whitening": "`, `"whitening": "!`},
		"short whitening": {`"whitening": "`, `"whitening": "AAAAAAAAAAA=", "x": "`},
		"bad norm":        {`"unit"`, `"max"`},
		"infinite number": {`"intercept": 0.5`, `"intercept": 1e999`},
		"missing weights": {`"weights"`, `"radius": 1, "weights": [], "y"`},
		"broken schema":   {`max-records: 10`, `max-records: ten`},
	} {
		text := strings.Replace(string(good), edit[0], edit[1], 1)
		if text == string(good) {
			t.Errorf("%s: the edit does not apply", name)
		}
		if _, err := Decode([]byte(text), nil); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder: got no error")
	}
}

func FuzzDecode(f *testing.F) {
	text, err := toyModel(f, "no", "yes").Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Decode(text, nil)
		if err != nil {
			return
		}
		if _, err := m.Encode(); err != nil {
			t.Errorf("a model that was read cannot be written: %v", err)
		}
	})
}

func BenchmarkPredict(b *testing.B) {
	r := toyModel(b, "no", "yes").NewRow()
	_ = r.SetText("job", "a")
	_ = r.SetMissing("age")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Predict()
	}
}
