package model

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/network"
)

// textModel is a model of texts with so many buckets, and a center.
func textModel(t *testing.T, buckets int, missing data.Treatment) *Model {
	t.Helper()
	s := &data.Schema{Name: "t", Row: "one review", MaxRecords: 99, Target: data.Target{Column: "y", Levels: []string{"bad", "good"}}, Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Upper: 100, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "review", Kind: data.Text, Missing: missing, Hashing: &data.Hashing{Buckets: buckets, NGrams: 2, StopWords: "english", Values: "presence"}},
	}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	f := &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Center: make([]float64, chain.Dim()), Intercept: 0.5}
	r := rand.New(rand.NewPCG(71, 72))
	w := make([]float64, f.Dim())
	for j := range w {
		w[j] = r.NormFloat64()
	}
	for j := range f.Center {
		f.Center[j] = r.NormFloat64() / 100
	}
	m, err := New(s, f, logistic{}, w)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTextPrediction compares predictions for rows, for records, and of a model that was written
// and read again. They are equal bit for bit, for models of few and of many features.
func TestTextPrediction(t *testing.T) {
	const table = "age,review,y\n10,\"A good film, really\",good\n20,the worst,bad\n,,good\n30,?!,bad\n"
	texts := [][2]string{{"10", "A good film, really"}, {"20", "the worst"}, {"", ""}, {"30", "?!"}}
	for _, buckets := range []int{256, 4096} {
		m := textModel(t, buckets, data.Zero)
		written, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(written, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := data.ReadFrom(context.Background(), m.Schema(), "t.csv", strings.NewReader(table), data.ReadOptions{})
		if err != nil || d.Records() != 4 {
			t.Fatal(d, err)
		}
		reader, row, want, seen := m.NewReader(d), again.NewRow(), make([]float64, 1), map[float64]bool{}
		for i, cells := range texts {
			reader.Predict(want, i)
			seen[want[0]] = true
			row.Reset()
			if err = row.SetText("age", cells[0]); err == nil {
				err = row.SetText("review", cells[1])
			}
			got, ok := row.Predict()
			if err != nil || !ok || math.Float64bits(got[0]) != math.Float64bits(want[0]) {
				t.Errorf("%d buckets, %q: got %v, %v, error %v, want %v", buckets, cells, got, ok, err, want)
			}
		}
		if len(seen) != 4 {
			t.Errorf("got %d distinct predictions, want 4", len(seen))
		}
	}
}

// TestTextRowDrops wants a row without its text dropped where the schema says so, and a number to be a
// text.
func TestTextRowDrops(t *testing.T) {
	m := textModel(t, 256, data.Drop)
	row := m.NewRow()
	if _, ok := row.Predict(); ok {
		t.Error("a row without a text: got a prediction")
	}
	predict := func(set func() error) float64 {
		row.Reset()
		if err := set(); err != nil {
			t.Fatal(err)
		}
		if err := row.SetMissing(); err != nil {
			t.Fatal(err)
		}
		got, ok := row.Predict()
		if !ok {
			return math.NaN()
		}
		return got[0]
	}
	number := predict(func() error { return row.SetNumber("review", 1999) })
	text := predict(func() error { return row.SetText("review", "1999") })
	other := predict(func() error { return row.SetText("review", "2000") })
	if number != text || text == other || text != text {
		t.Errorf("got %v for a number, %v for its text, %v for another", number, text, other)
	}
	row.Reset()
	if _, ok := row.Predict(); ok {
		t.Error("a row whose text was taken away: got a prediction")
	}
	if again := predict(func() error { _ = row.SetText("review", "other words"); return row.SetText("review", "1999") }); again != text {
		t.Errorf("a text set twice: got %v, want %v", again, text)
	}
	if none := predict(func() error { return row.SetText("review", "NA") }); none == none {
		t.Errorf("a missing mark: got %v, want no prediction", none)
	}
}

// TestTextNetworkPrediction compares the predictions of a network that uses only the nonzero
// features of a row. Predictions for rows, for records and for whole features are equal bit for
// bit. They equal sums that are written out.
func TestTextNetworkPrediction(t *testing.T) {
	const table = "age,review,y\n10,\"A good film, really\",good\n20,the worst,bad\n,,good\n30,?!,bad\n"
	for _, norm := range []feature.Normalization{feature.NormNone, feature.NormUnit} {
		linear := textModel(t, 256, data.Zero)
		f := &feature.Map{Pipeline: linear.features.Pipeline, Norm: norm}
		n, err := network.New(network.Shape{f.Dim()}, network.SparseLinear{Outputs: 3}, network.Linear{Outputs: 1})
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]float32, n.Weights())
		n.Init(weights, 9)
		m, err := NewNetwork(linear.schema, f, logistic{}, n, weights)
		if err != nil || m.trained.sparse == nil {
			t.Fatal(m, err)
		}
		d, err := data.ReadFrom(context.Background(), m.Schema(), "t.csv", strings.NewReader(table), data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		reader, scratch, seen := m.NewReader(d), m.NewScratch(), map[float64]bool{}
		got, other, whole, x := make([]float64, 1), make([]float64, 1), make([]float64, 1), make([]float64, f.Dim())
		for i := range d.Records() {
			reader.Predict(got, i)
			seen[got[0]] = true
			m.Predict(other, d.Row(nil, i), scratch)
			f.Apply(x, 1, f.NewScratch(1), func(int) []float32 { return d.Row(nil, i) })
			score := float64(weights[len(weights)-1])
			for k := range 3 {
				hidden := 0.0
				for j, v := range x {
					hidden += v * float64(weights[3*j+k])
				}
				score += hidden * float64(weights[3*f.Dim()+k])
			}
			f.Pipeline.FeaturesOf(x, 1, f.Pipeline.NewScratch(), func(int) []float32 { return d.Row(nil, i) })
			m.PredictFeatures(whole, x, 1, f.NewScratch(1))
			if want := 1 / (1 + math.Exp(-score)); got[0] != other[0] || math.Abs(whole[0]-want) > 1e-6 || math.Abs(got[0]-want) > 1e-6 {
				t.Errorf("%s, record %d: got %v, %v and %v, want %v", norm, i, got, other, whole, want)
			}
		}
		if len(seen) != 4 {
			t.Errorf("got %d distinct predictions, want 4", len(seen))
		}
	}
}
