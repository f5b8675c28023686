package model

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// TestPredictRows compares predictions that are made together with those of one row, bit by bit: with and without
// whitening, of wide models and of sparse records, in blocks of several lengths.
func TestPredictRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for name, c := range map[string]struct {
		width    int
		whitened bool
		takes    bool
	}{"narrow": {20, false, true}, "whitened": {20, true, true}, "wide": {1300, false, false}} {
		m := wideModel(t, r, logistic{}, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit, Center: []float64{}, Intercept: 0.5}, c.width)
		if c.whitened {
			m.features.Whitening = &feature.Whitening{Matrix: make([]float64, m.features.Pipeline.Dim()*m.features.Pipeline.Dim())}
			for j := range m.features.Whitening.Matrix {
				m.features.Whitening.Matrix[j] = r.NormFloat64()
			}
		}
		if m.TakesFeatures() != c.takes {
			t.Fatalf("%s: takes features %v, want %v", name, m.TakesFeatures(), c.takes)
		}
		const records = 50
		columns := make([][]float32, len(m.Schema().Columns))
		for j := range columns {
			for range records {
				columns[j] = append(columns[j], float32(r.IntN(2)))
			}
		}
		d, err := data.New(m.Schema(), columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		for table, d := range map[string]*data.Dataset{"dense": d, "sparse": wideRecords(t, r, m, records)} {
			checkRows(t, name+" "+table, m, d)
		}
	}
}

// checkRows predicts all records of a data set in two ways.
func checkRows(t *testing.T, name string, m *Model, d *data.Dataset) {
	t.Helper()
	k, n := m.Outputs(), d.Records()
	want, got := make([]float64, n*k), make([]float64, n*k)
	one, several := m.NewReader(d), m.NewReader(d)
	for i := range n {
		one.Predict(want[i*k:(i+1)*k], i)
	}
	if slices.Max(want) == slices.Min(want) {
		t.Fatalf("%s: all predictions are %v, want several", name, want[0])
	}
	for first, rows := 0, 3; first < n; first, rows = first+rows, rows+4 {
		rows = min(rows, n-first)
		several.PredictRows(got[first*k:(first+rows)*k], first, rows)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: predictions of rows together are %v, want %v", name, got, want)
	}
}
