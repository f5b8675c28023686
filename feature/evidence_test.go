package feature

import (
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// evidenceSchema has a number and levels with states that rows may lack.
func evidenceSchema() *data.Schema {
	return &data.Schema{MaxRecords: 10, Row: "one row", Target: data.Target{Column: "y", Upper: 1}, Columns: []data.Column{
		{Name: "size", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator},
	}}
}

// evidenceMap has the features size, size missing, a, b, other, missing.
func evidenceMap(t *testing.T) *Map {
	t.Helper()
	chain, err := NewPipeline(nil, evidenceSchema())
	if err != nil {
		t.Fatal(err)
	}
	return &Map{Pipeline: chain, Norm: NormUnit, Intercept: 0.5, Center: []float64{0.4, 0, 0.6, 0.2, 0, 0.01}, Evidence: []float64{1, 0, 1, 1, 0, 0.75}, Means: []float64{0.5, 0, 0.7, 0.25, 0, 0.05}}
}

// TestEvidence compares rows with those of the map without evidence: ordinary rows are the same to the last bit, and
// other states are filled before the row is normalized. It does so for every normalization and with a whitening.
func TestEvidence(t *testing.T) {
	empty := float32(math.NaN())
	rows := [][]float32{{0.3, 0}, {1, 1}, {empty, 0}, {0.5, 2}, {0.5, empty}, {empty, empty}}
	for name, edit := range map[string]func(m *Map){
		"unit":     func(*Map) {},
		"clip":     func(m *Map) { m.Norm, m.Radius = NormClip, 0.7 },
		"none":     func(m *Map) { m.Norm = NormNone },
		"whitened": func(m *Map) { m.Whitening = &Whitening{Scales: []float64{1, 2, 3, 4, 5, 6}} },
	} {
		m := evidenceMap(t)
		edit(m)
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		plain := *m
		plain.Evidence, plain.Means = nil, nil
		together, scratch := make([]float64, len(rows)*m.Dim()), m.NewScratch(len(rows))
		m.Apply(together, len(rows), scratch, func(r int) []float32 { return rows[r] })
		for i, row := range rows {
			x := make([]float64, 6)
			m.FeaturesOf(x, 1, m.Pipeline.NewScratch(), func(int) []float32 { return row })
			want := byHand(m, x)
			unfilled := make([]float64, m.Dim())
			plain.Apply(unfilled, 1, plain.NewScratch(1), func(int) []float32 { return row })
			same := true
			for j, v := range together[i*m.Dim() : (i+1)*m.Dim()] {
				if math.Abs(v-want[j]) > 1e-15 {
					t.Errorf("%s, row %v: coordinate %d is %v, want %v", name, row, j, v, want[j])
				}
				same = same && v == unfilled[j]
			}
			if ordinary := i < 2; same != ordinary {
				t.Errorf("%s, row %v: it is the row without evidence: %v, want %v", name, row, same, ordinary)
			}
		}
		if m.Sparse() != nil {
			t.Errorf("%s: a map with evidence was given as one for sparse rows", name)
		}
	}
}

// byHand maps a row with one more coordinate, which has the length that the row lacks.
func byHand(m *Map, x []float64) []float64 {
	scale := func(x []float64) {
		square := 0.0
		for _, v := range x {
			square += v * v
		}
		factor := 1 / math.Sqrt(square)
		switch m.Norm {
		case NormNone:
			factor = 1
		case NormClip:
			factor = min(1, m.Radius*factor)
		}
		for j := range x {
			x[j] *= factor
		}
	}
	lacking, _ := encoder.Fill(x, m.Names(), m.Evidence, m.Means, make([]float64, 6))
	x = append(x, math.Sqrt(lacking))
	scale(x)
	for j, c := range m.Center {
		x[j] -= c
	}
	scale(x)
	if w := m.Whitening; w != nil {
		square, mean, before := 0.0, 0.0, 1.0
		for j, s := range w.Scales {
			x[j] *= s
			if j >= 2 { // levels
				square, mean, before = square+m.Means[j]*s*s, mean+m.Means[j]*m.Means[j]*s*s, before-m.Means[j]*m.Means[j]
			}
		}
		x[6] *= math.Sqrt((square - mean) / before)
		scale(x)
	}
	if x = append(x, m.Intercept); m.Norm == NormUnit {
		scale(x)
	}
	return append(x[:6:6], x[7])
}

// TestFilledLevelsAreAsLong: a row with a level that no record has is like the mean over the levels, as far as its other
// features go. They are not stretched, although the mean of the levels is nearly the center.
func TestFilledLevelsAreAsLong(t *testing.T) {
	matrix := make([]float64, 36)
	for j := range 6 {
		matrix[7*j], matrix[(7*j+6)%36] = float64(1+j), 0.5
	}
	for name, w := range map[string]*Whitening{"plain": nil, "scaled": {Scales: []float64{2, 1, 3, 4, 1, 1}}, "whitened": {Matrix: matrix}} {
		m := evidenceMap(t)
		m.Center, m.Whitening = []float64{0.3, 0, 0.6, 0.25, 0, 0}, w
		size := func(kind float32) float64 {
			x := make([]float64, m.Dim())
			m.Apply(x, 1, m.NewScratch(1), func(int) []float32 { return []float32{0.35, kind} })
			return x[0]
		}
		a, b, unknown := size(0), size(1), size(2)
		if low, high := min(a, b)/2, 2*max(a, b); !(a > 0 && b > 0 && unknown > low && unknown < high) {
			t.Errorf("%s: the size is %v and %v beside levels and %v beside an unknown one, want about as much", name, a, b, unknown)
		}
		m.Means[2], m.Means[3], m.Means[5] = 0, 0, 0 // which has no frequencies
		if unknown = size(2); !(unknown > 0) || unknown > 2*max(a, b) {
			t.Errorf("%s: without frequencies the size is %v, beside levels %v and %v", name, unknown, a, b)
		}
	}
}

// TestEvidenceIsChecked wants evidence of missing cells and unknown levels alone, beside a center.
func TestEvidenceIsChecked(t *testing.T) {
	for name, edit := range map[string]func(m *Map){
		"no center":        func(m *Map) { m.Center = nil },
		"too few":          func(m *Map) { m.Evidence = m.Evidence[:5] },
		"a level":          func(m *Map) { m.Evidence[2] = 0.5 },
		"a number":         func(m *Map) { m.Evidence[0] = 0 },
		"more than 1":      func(m *Map) { m.Evidence[4] = 1.5 },
		"less than 0":      func(m *Map) { m.Evidence[4] = -0.5 },
		"too few means":    func(m *Map) { m.Means = m.Means[:5] },
		"a large mean":     func(m *Map) { m.Means[2] = 1.5 },
		"means alone":      func(m *Map) { m.Evidence = nil },
		"no mean":          func(m *Map) { m.Means[2] = math.NaN() },
		"no number":        func(m *Map) { m.Evidence[4] = math.NaN() },
		"more than 1 of a": func(m *Map) { m.Evidence[2] = 1.5 },
		"cells": func(m *Map) {
			evidenceOf(t, m, evidenceSchema(), Spec{Name: "interactions", Parameters: []byte(`{"pairs":"all"}`)})
		},
		"texts": func(m *Map) {
			s := evidenceSchema()
			s.Columns[1] = data.Column{Name: "title", Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: 256, NGrams: 1, StopWords: "none", Values: "presence"}}
			evidenceOf(t, m, s)
		},
	} {
		m := evidenceMap(t)
		edit(m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "evidence") {
			t.Errorf("%s: got %v, want that evidence is refused", name, err)
		}
	}
}

// evidenceOf gives a map another pipeline, with as many numbers.
func evidenceOf(t *testing.T, m *Map, s *data.Schema, specs ...Spec) {
	t.Helper()
	chain, err := NewPipeline(nil, s, specs...)
	if err != nil {
		t.Fatal(err)
	}
	m.Pipeline, m.Center, m.Evidence, m.Means = chain, make([]float64, chain.Dim()), make([]float64, chain.Dim()), make([]float64, chain.Dim())
	for j := range m.Evidence {
		m.Evidence[j] = 1
	}
}
