package wholerows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/model"
)

// wideModel is a random model of many features: a range of numbers, among which a column whose 0 is
// not encoded to 0, and a level column.
func wideModel(t testing.TB, r *rand.Rand, loss model.Loss, levels []string, m feature.Map, width int) *model.Model {
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
	out, err := model.New(s, &m, loss, w)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// denseRecords are records under the schema of wideModel whose numbers are multiples of 1/200, or any.
func denseRecords(t *testing.T, r *rand.Rand, m *model.Model, n int, multiples bool) *data.Dataset {
	t.Helper()
	columns := make([][]float32, len(m.Schema().Columns))
	for j := range columns {
		for range n {
			v := r.Float64()
			switch {
			case j == len(columns)-1:
				v = float64(r.IntN(2))
			case multiples:
				v = float64(r.IntN(200)) / 200
			}
			columns[j] = append(columns[j], float32(v))
		}
	}
	d, err := data.New(m.Schema(), columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// whitening returns a matrix of multiples of one unit that 16 bits hold, or of any numbers.
func whitening(r *rand.Rand, dim int, whole bool) *feature.Whitening {
	out := &feature.Whitening{Matrix: make([]float64, dim*dim)}
	for i := range dim {
		for j := range i + 1 {
			v := r.NormFloat64() / 10
			if i == j {
				v += 3
			}
			if whole {
				v = math.Round(v*5000) * (1.0 / 5000)
			}
			out.Matrix[i*dim+j], out.Matrix[j*dim+i] = v, v
		}
	}
	return out
}

// keptRows are the rows of a data set as integers.
func keptRows(m *model.Model, d *data.Dataset) *Rows {
	return New(m.Features().Pipeline, d.Records(), func() func(int) []float32 {
		return func(i int) []float32 { return d.Row(nil, i) }
	})
}

// TestWholeScores compares predictions of rows that are kept as integers with those of one row, for every
// normalization, with center, intercept and whitening and without, of rows and matrices of whole multiples and of any numbers.
func TestWholeScores(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	const width, records = 40, 230
	for _, c := range []struct {
		name string
		feature.Map
	}{
		{"unit", feature.Map{Norm: feature.NormUnit, Center: []float64{}, Intercept: 0.5}},
		{"clip", feature.Map{Norm: feature.NormClip, Radius: 2.5, Center: []float64{}, Intercept: 1}},
		{"no center", feature.Map{Norm: feature.NormUnit}},
		{"none", feature.Map{Norm: feature.NormNone, Center: []float64{}, Intercept: 1}},
	} {
		name, f := c.name, c.Map
		for _, loss := range []model.Loss{model.Logistic, model.Softmax, model.Squared} {
			levels := map[string][]string{"logistic": {"a", "b"}, "softmax": {"a", "b", "c"}}[loss.Name()]
			for _, whiten := range []string{"", "whole", "any"} {
				if f.Norm == feature.NormNone && whiten != "" {
					continue
				}
				m := wideModel(t, r, loss, levels, f, width)
				if whiten != "" {
					m.Features().Whitening = whitening(r, m.Features().Pipeline.Dim(), whiten == "whole")
				}
				for _, multiples := range []bool{true, false} {
					d := denseRecords(t, r, m, records, multiples)
					w := NewScores(m, d, keptRows(m, d))
					if whiten == "whole" && w.limbs != 1 || whiten == "any" && w.limbs != 2 {
						t.Fatalf("%s: %s whitening has %d limbs", name, whiten, w.limbs)
					}
					checkWhole(t, name+" "+loss.Name()+" "+whiten, m, d, w)
				}
			}
		}
	}
}

// TestWholeScoresLeaveEvidence wants models with evidence of states left to Model.Predict.
func TestWholeScoresLeaveEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	m := wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit, Center: []float64{}}, 4)
	d := denseRecords(t, r, m, 3, true)
	if NewScores(m, d, keptRows(m, d)) == nil {
		t.Fatal("got no scores of a model without evidence")
	}
	if m.Features().Evidence = make([]float64, m.Features().Pipeline.Dim()); NewScores(m, d, keptRows(m, d)) != nil {
		t.Error("got scores that know no evidence")
	}
}

// checkWhole compares predictions. Those of these models change by less than a score does, and scores by less than their
// rounding says.
func checkWhole(t *testing.T, name string, m *model.Model, d *data.Dataset, w *Scores) {
	t.Helper()
	k := m.Outputs()
	want, got, reader, predict := make([]float64, k), make([]float64, Block*k), m.NewReader(d), w.NewPredictor()
	norms, least, most := 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range m.Weights() {
		norms += v * v
	}
	norms = math.Sqrt(norms) * m.Features().RowBound()
	for b := range w.rows.Blocks() {
		first, n := w.rows.Block(b)
		predict(got[:n*k], b)
		for i := range n {
			reader.Predict(want, first+i)
			for c, v := range want {
				least, most = min(least, v), max(most, v)
				if g := got[i*k+c]; !(math.Abs(g-v) <= 1e-7*norms) {
					t.Fatalf("%s: prediction %d of row %d is %v, want %v", name, c, first+i, g, v)
				}
			}
		}
	}
	if most-least < 1e-3 {
		t.Errorf("%s: predictions are from %v to %v, want several", name, least, most)
	}
}

// TestWholeScoresOfRowsThatDoNotTell has a row that lies on the center but for little, and one that the whitening shortens
// to almost nothing: they are predicted with the bits of Predict.
func TestWholeScoresOfRowsThatDoNotTell(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for name, change := range map[string]func(m *model.Model, x []float64){
		"center": func(m *model.Model, x []float64) {
			m.Features().Center = slices.Clone(x)
			for j := range x {
				m.Features().Center[j] += 1e-3 * r.NormFloat64()
			}
		},
		"whitening": func(m *model.Model, x []float64) { // all but 1e-4 of the direction of the row is left out
			m.Features().Whitening = &feature.Whitening{}
			for i, u := range x {
				for j, v := range x {
					e := -(1 - 1e-4) * u * v
					if i == j {
						e++
					}
					m.Features().Whitening.Matrix = append(m.Features().Whitening.Matrix, e)
				}
			}
		},
	} {
		m := wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit, Intercept: 0.5}, 20)
		d := denseRecords(t, r, m, 3, false)
		change(m, newRow(m, d, 1))
		want, got := []float64{0}, []float64{0, 0, 0}
		m.NewReader(d).Predict(want, 1)
		NewScores(m, d, keptRows(m, d)).NewPredictor()(got, 0)
		if got[1] != want[0] {
			t.Errorf("%s: the prediction is %v, want the bits of %v", name, got[1], want[0])
		}
	}
}

// newRow returns the features of a record, scaled to norm 1.
func newRow(m *model.Model, d *data.Dataset, i int) []float64 {
	x := make([]float64, m.Features().Pipeline.Dim())
	m.Features().FeaturesOf(x, 1, m.Features().Pipeline.NewScratch(), func(int) []float32 { return d.Row(nil, i) })
	norm := kernel.Norm(x)
	for j := range x {
		x[j] /= norm
	}
	return x
}

// TestWholeScoresRefuses has models that do not take rows of integers.
func TestWholeScoresRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	narrow := wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit}, 20)
	d := denseRecords(t, r, narrow, 5, true)
	rows := keptRows(narrow, d)
	if NewScores(narrow, d, rows) == nil {
		t.Fatal("a model of its rows got nil")
	}
	scaled := wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit}, 20)
	scaled.Features().Whitening = &feature.Whitening{Scales: make([]float64, scaled.Features().Pipeline.Dim())}
	large := wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit}, 20)
	large.Features().Whitening = whitening(r, large.Features().Pipeline.Dim(), false)
	large.Features().Whitening.Matrix[0], large.Weights()[0] = 1e200, 1e200
	for name, m := range map[string]*model.Model{
		"of other rows":   wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit}, 21),
		"of 1300 columns": wideModel(t, r, model.Logistic, []string{"a", "b"}, feature.Map{Norm: feature.NormUnit}, 1300),
		"with scales":     scaled,
		"that overflows":  large,
	} {
		if NewScores(m, d, rows) != nil {
			t.Errorf("a model %s takes the rows, want nil", name)
		}
	}
}
