package feature

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

func schema() *data.Schema {
	return &data.Schema{
		Name: "toy", Row: "one person", MaxRecords: 10,
		Columns: []data.Column{
			{Name: "age", Kind: data.Numeric, Lower: 10, Upper: 30, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "pay", Kind: data.Numeric, Lower: 0, Upper: math.E - 1, Transform: data.TransformLog1p, OutOfRange: data.Clamp, Missing: data.Zero, Fill: math.Sqrt(math.E) - 1},
			{Name: "hours", Kind: data.Numeric, Lower: 0, Upper: 99, Bins: []float64{20, 40}, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "job", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
			{Name: "note", Kind: data.Ignored},
			{Name: "site", Kind: data.Categorical, Levels: []string{"x"}, Unknown: data.Zero, Missing: data.Zero},
		},
		Target: data.Target{Column: "y", Levels: []string{"no", "yes"}},
	}
}

var nan = float32(math.NaN())

// TestTextBound wants the bound of a map without normalization to hold for negative features.
func TestTextBound(t *testing.T) {
	e, err := encoder.New(&data.Schema{Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "title", Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: 256, NGrams: 1, StopWords: "none", Values: "logarithm"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	center := make([]float64, e.Dim())
	center[2] = 0.75
	m := &Map{Pipeline: plainChain(e), Norm: NormNone, Center: center}
	if bound, signed := m.Bound(); bound != 1 || !signed || m.CoordinateBound() != 1.75 {
		t.Errorf("got bound %v, signed %v, of coordinates %v, want 1, true and 1.75", bound, signed, m.CoordinateBound())
	}
}

// maps returns one of each kind of map.
func allMaps(t *testing.T) map[string]*Map {
	t.Helper()
	e, err := encoder.New(schema())
	if err != nil {
		t.Fatal(err)
	}
	d := e.Dim()
	center, whitening := make([]float64, d), make([]float64, d*d)
	r := rand.New(rand.NewPCG(1, 1))
	for j := range center {
		center[j] = r.NormFloat64() / 3
		for k := range j + 1 {
			v := r.NormFloat64()
			whitening[j*d+k], whitening[k*d+j] = v, v
		}
	}
	return map[string]*Map{
		"plain":     {Pipeline: plainChain(e), Norm: NormNone},
		"intercept": {Pipeline: plainChain(e), Norm: NormNone, Center: center, Intercept: 0.5},
		"clip":      {Pipeline: plainChain(e), Norm: NormClip, Radius: 0.7, Center: center, Intercept: 0.2},
		"unit":      {Pipeline: plainChain(e), Norm: NormUnit, Center: center, Intercept: 0.5},
		"whitened":  {Pipeline: plainChain(e), Norm: NormUnit, Center: center, Whitening: &Whitening{Matrix: whitening}, Intercept: 0.5},
		"scaled":    {Pipeline: plainChain(e), Norm: NormUnit, Center: center, Whitening: &Whitening{Scales: whitening[:d]}, Intercept: 0.5},
		"kronecker": {Pipeline: plainChain(e), Norm: NormUnit, Center: center, Whitening: kronecker(d), Intercept: 0.5},
		"clip2":     {Pipeline: plainChain(e), Norm: NormClip, Radius: 2, Whitening: &Whitening{Matrix: whitening}},
	}
}

func randomValues(r *rand.Rand) []float32 {
	v := []float32{float32(r.NormFloat64() * 30), float32(r.Float64() * 2), float32(r.IntN(100)), float32(r.IntN(4)), float32(r.IntN(2))}
	for j := range v {
		if r.IntN(8) == 0 {
			v[j] = nan
		}
	}
	return v
}

// TestMapKeepsItsBounds holds the public bounds, the intercept included, on wild rows.
func TestMapKeepsItsBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for name, m := range allMaps(t) {
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		s, x, largest := m.NewScratch(1), make([]float64, m.Dim()), 0.0
		for range 3000 {
			v := randomValues(r)
			m.Apply(x, 1, s, func(int) []float32 { return v })
			norm := 0.0
			for _, f := range x {
				norm = math.Hypot(norm, f)
				if math.Abs(f) > m.CoordinateBound()*(1+1e-12) {
					t.Fatalf("%s: coordinate %v passes %v", name, f, m.CoordinateBound())
				}
			}
			largest = max(largest, norm)
		}
		if bound := m.RowBound(); largest > bound*(1+1e-12) || m.Norm != NormNone && largest < 0.99*bound {
			t.Errorf("%s: largest norm is %v, want up to %v", name, largest, bound)
		}
	}
}

// TestMapLooksAtOneRow holds that a row's bits do not depend on what stands beside it.
func TestMapLooksAtOneRow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rows := make([][]float32, 11)
	for i := range rows {
		rows[i] = randomValues(r)
	}
	for name, m := range allMaps(t) {
		d := m.Dim()
		together, alone, s := make([]float64, len(rows)*d), make([]float64, d), m.NewScratch(len(rows))
		m.Apply(together, len(rows), s, func(i int) []float32 { return rows[i] })
		for i := range rows {
			m.Apply(alone, 1, s, func(int) []float32 { return rows[i] })
			for j := range alone {
				if math.Float64bits(alone[j]) != math.Float64bits(together[i*d+j]) {
					t.Fatalf("%s: row %d coordinate %d is %v alone and %v among others", name, i, j, alone[j], together[i*d+j])
				}
			}
		}
	}
}

func TestMapDoesNotAllocate(t *testing.T) {
	for name, m := range allMaps(t) {
		s, x, v := m.NewScratch(1), make([]float64, m.Dim()), randomValues(rand.New(rand.NewPCG(4, 4)))
		row := func(int) []float32 { return v }
		if n := testing.AllocsPerRun(100, func() { m.Apply(x, 1, s, row) }); n != 0 {
			t.Errorf("%s: allocations a row: got %v, want 0", name, n)
		}
	}
}

func TestMapValidate(t *testing.T) {
	e := allMaps(t)["plain"].Encoder()
	for name, m := range map[string]*Map{
		"unknown norm":           {Pipeline: plainChain(e), Norm: "max"},
		"no radius":              {Pipeline: plainChain(e), Norm: NormClip},
		"short center":           {Pipeline: plainChain(e), Norm: NormUnit, Center: []float64{1}},
		"short whitening":        {Pipeline: plainChain(e), Norm: NormUnit, Whitening: &Whitening{Matrix: []float64{1}}},
		"whitening without norm": {Pipeline: plainChain(e), Norm: NormNone, Whitening: &Whitening{Matrix: make([]float64, e.Dim()*e.Dim())}},
		"negative intercept":     {Pipeline: plainChain(e), Norm: NormUnit, Intercept: -1},
		"NaN intercept":          {Pipeline: plainChain(e), Norm: NormUnit, Intercept: math.NaN()},
		"NaN in center":          {Pipeline: plainChain(e), Norm: NormUnit, Center: append(make([]float64, e.Dim()-1), math.NaN())},
	} {
		if m.Validate() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// plainChain is an encoder without transforms.
func plainChain(e *encoder.Encoder) *Pipeline { return &Pipeline{encoder: e} }
