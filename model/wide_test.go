package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// wideModel is a random model of many features: a range of numbers, among which a column whose 0 is
// not encoded to 0, and a level column.
func wideModel(t testing.TB, r *rand.Rand, loss Loss, levels []string, m feature.Map, width int) *Model {
	t.Helper()
	s := &data.Schema{MaxRecords: 100, Row: "one row", Target: data.Target{Column: "y", Levels: levels, Upper: 4}, Columns: []data.Column{
		{Name: "a", Kind: data.Numeric, Lower: -1, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "f", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Indicator, Repeat: width},
		{Name: "b", Kind: data.Categorical, Levels: []string{"1", "0"}, Unknown: data.Other, Missing: data.Zero},
	}}
	if levels != nil {
		s.Target.Upper = 0
	}
	s, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	if m.Pipeline, err = feature.NewPipeline(nil, s); err != nil {
		t.Fatal(err)
	}
	if m.Center != nil {
		m.Center = make([]float64, m.Pipeline.Dim())
		for j := range m.Center {
			m.Center[j] = r.NormFloat64() / 100
		}
	}
	w := make([]float64, loss.Columns(len(levels))*m.Dim())
	for j := range w {
		w[j] = r.NormFloat64()
	}
	out, err := New(s, &m, loss, w)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wideRecords are random sparse records under the schema of a model.
func wideRecords(t testing.TB, r *rand.Rand, m *Model, records int) *data.Dataset {
	t.Helper()
	start, columns, values := []int{0}, []uint32{}, []float32{}
	width := len(m.Schema().Columns)
	for range records {
		for j := r.IntN(40); j < width-1; j += 1 + r.IntN(80) {
			v := float32(r.Float64())
			if r.IntN(5) == 0 {
				v = float32(math.NaN())
			}
			columns, values = append(columns, uint32(j)), append(values, v)
		}
		start = append(start, len(columns))
	}
	d, err := data.NewSparse(m.Schema(), start, columns, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWideModel compares the predictions of a model of many features for sparse records with those
// for whole rows, bit by bit. It also compares them with the map and the scores written out.
// Rounding is far below the tolerance: rows of 1300 features have norm at most 40, and weights are
// about 1.
func TestWideModel(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for name, c := range map[string]struct {
		loss   Loss
		levels []string
		m      feature.Map
	}{
		"defaults":            {logistic{}, []string{"0", "1"}, feature.Map{Norm: feature.NormUnit, Center: []float64{}, Intercept: 0.5}},
		"three classes":       {softmax{}, []string{"0", "1", "2"}, feature.Map{Norm: feature.NormClip, Radius: 1, Center: []float64{}, Intercept: 0.5}},
		"neither center":      {oneVsRest{}, []string{"0", "1", "2"}, feature.Map{Norm: feature.NormUnit}},
		"regression as it is": {huber{1}, nil, feature.Map{Norm: feature.NormNone, Intercept: 2}},
	} {
		m := wideModel(t, r, c.loss, c.levels, c.m, 600)
		if m.wide == nil {
			t.Fatalf("%s: the model looks at all features", name)
		}
		d := wideRecords(t, r, m, 50)
		got, whole, naive := make([]float64, m.Outputs()), make([]float64, m.Outputs()), make([]float64, m.Outputs())
		reader, scratch, x := m.NewReader(d), m.NewScratch(), make([]float64, m.Features().Dim())
		for i := range d.Records() {
			row := d.Row(nil, i)
			reader.Predict(got, i)
			m.Predict(whole, row, scratch)
			m.Features().Apply(x, 1, m.Features().NewScratch(1), func(int) []float32 { return row })
			m.Linear().Scores(naive, x, m.Weights())
			m.finish(naive)
			for k := range got {
				if math.Float64bits(got[k]) != math.Float64bits(whole[k]) || !(math.Abs(got[k]-naive[k]) <= 1e-9) {
					t.Fatalf("%s: record %d: got %v from cells, %v from the row, %v written out", name, i, got, whole, naive)
				}
			}
		}
	}
}

// TestReaderNarrow compares the predictions of a model of few features for sparse records with those
// for whole rows, bit by bit.
func TestReaderNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	m := wideModel(t, r, logistic{}, []string{"0", "1"}, feature.Map{Norm: feature.NormUnit, Center: []float64{}, Intercept: 0.5}, 20)
	d := wideRecords(t, r, m, 20)
	got, want, reader, scratch := []float64{0}, []float64{0}, m.NewReader(d), m.NewScratch()
	for i := range d.Records() {
		reader.Predict(got, i)
		m.Predict(want, d.Row(nil, i), scratch)
		if m.wide != nil || got[0] != want[0] || !(got[0] > 0 && got[0] < 1) {
			t.Fatalf("record %d: got %v, want %v", i, got, want)
		}
	}
}

// BenchmarkWideModel predicts a record of about 600 cells under 50 000 features for 20 classes, from
// its cells and from the whole row.
func BenchmarkWideModel(b *testing.B) {
	r := rand.New(rand.NewPCG(25, 26))
	m := wideModel(b, r, softmax{}, strings.Fields("a b c d e f g h i j k l m n o p q r s t"), feature.Map{Norm: feature.NormUnit, Center: []float64{}, Intercept: 0.5}, 25000)
	d := wideRecords(b, r, m, 1)
	out, reader, row, scratch := make([]float64, m.Outputs()), m.NewReader(d), d.Row(nil, 0), m.NewScratch()
	b.Run("cells", func(b *testing.B) {
		for b.Loop() {
			reader.Predict(out, 0)
		}
	})
	b.Run("row", func(b *testing.B) {
		for b.Loop() {
			m.Predict(out, row, scratch)
		}
	})
}
