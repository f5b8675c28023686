package training

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// TestCoefficients wants the largest weights of each score, largest first, with the names of their
// features, and the number of the others.
func TestCoefficients(t *testing.T) {
	const width = mostCoefficients + 500
	s, err := (&data.Schema{MaxRecords: 1, Target: data.Target{Column: "y", Levels: []string{"a", "b", "c"}},
		Columns: []data.Column{{Name: "f", Kind: data.Numeric, Upper: 1, Repeat: width}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, 3*(width+1))
	for j := range weights {
		weights[j] = math.Sin(float64(j * j)) // of both signs, in no order
	}
	m, err := model.New(s, &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 1}, model.OneVsRest, weights)
	if err != nil {
		t.Fatal(err)
	}
	listed, unlisted := coefficients(m, bars{})
	if unlisted != 501 || len(listed) != 3*mostCoefficients {
		t.Fatalf("got %d coefficients and %d unlisted, want %d and 501", len(listed), unlisted, 3*mostCoefficients)
	}
	for k, level := range s.Target.Levels {
		column := slices.Clone(weights[k*(width+1) : (k+1)*(width+1)])
		slices.SortFunc(column, func(a, b float64) int { return -int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
		for i, c := range listed[k*mostCoefficients : (k+1)*mostCoefficients] {
			if c.Score != level || c.Value != column[i] || c.Feature != "intercept" && weights[k*(width+1)+slices.IndexFunc(s.Columns, func(d data.Column) bool { return d.Name == c.Feature })] != c.Value {
				t.Fatalf("score %s, place %d: got %+v, want weight %v", level, i, c, column[i])
			}
		}
	}
}

// TestEvidenceInCoefficients wants the weight of a state that is filled to be its share of its own and the rest of the mean
// of its column. A shape has the same effect.
func TestEvidenceInCoefficients(t *testing.T) {
	s := &data.Schema{MaxRecords: 1, Row: "one row", Target: data.Target{Column: "y", Upper: 1}, Columns: []data.Column{
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator}}}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	f := &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 1, Center: []float64{0.5, 0.25, 0.01, 0}, Evidence: []float64{1, 1, 0, 0.5}, Means: []float64{2. / 3, 1. / 3, 0, 0}}
	m, err := model.New(s, f, model.Huber(1), []float64{3, 6, 90, -10, 7})
	if err != nil {
		t.Fatal(err)
	}
	got := effective(m)[0]
	for j, want := range []float64{3, 6, 4, -3, 7} { // the mean of the column is (3·0.5 + 6·0.25)/0.75
		if math.Abs(got[j]-want) > 1e-12 {
			t.Errorf("feature %d has the weight %v, want %v", j, got[j], want)
		}
	}
	shape := shapes(m, bars{}, nil, preparation{})[0]
	unknown, missing, second := shape.States[2].Value-shape.States[0].Value, shape.States[3].Value-shape.States[0].Value, shape.States[1].Value-shape.States[0].Value
	if math.Abs(unknown/second-1./3) > 1e-12 || math.Abs(missing/second+2) > 1e-12 || !(second > 0) {
		t.Errorf("unknown levels are at %v, missing cells at %v and the second level at %v from the first level, want 1 to -6 to 3", unknown, missing, second)
	}
}

// TestCoefficientsWithoutUnusedPlaces wants the weight of each learned level, also of one that is called as a place without a
// level is, and no weight of such places.
func TestCoefficientsWithoutUnusedPlaces(t *testing.T) {
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "kind", Kind: data.Categorical, Levels: []string{"unused 1", "b", "unused x"}, MaxLevels: 5, Learning: data.Learned, Unknown: data.Other, Missing: data.Indicator}}}
	for _, specs := range [][]feature.Spec{nil, {{Name: "interactions", Parameters: []byte(`{"pairs": "none", "bins": 2}`)}}} {
		chain, err := feature.NewPipeline(nil, s, specs...)
		if err != nil {
			t.Fatal(err)
		}
		weights := []float64{7, 6, 5, 4, 30, 20, 1, 0.5} // three levels, other, two places without a level, missing and the intercept
		m, err := model.New(s, &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 1}, model.Logistic, weights)
		if err != nil {
			t.Fatal(err)
		}
		got, want := "", "unused 1=7 b=6 unused x=5 other=4 missing=1 =0.5 "
		listed, _ := coefficients(m, bars{})
		for _, c := range listed {
			got += fmt.Sprintf("%s=%v ", c.Level, c.Value)
		}
		if got != want {
			t.Errorf("transforms %v: got %q, want %q", specs, got, want)
		}
	}
}
