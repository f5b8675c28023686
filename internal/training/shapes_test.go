package training

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// shapedModel returns a model with random weights. Its rows are not normalized, so that its score is the sum of functions of
// columns and pairs.
func shapedModel(t *testing.T, specs ...feature.Spec) *model.Model {
	t.Helper()
	s := &data.Schema{Name: "made", Row: "one person", MaxRecords: 5000, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
		{Name: "kind", Kind: data.Categorical, Levels: []string{"a", "b", "c"}, Unknown: data.Other, Missing: data.Indicator},
		{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 8, OutOfRange: data.Clamp, Missing: data.Indicator},
		{Name: "age", Kind: data.Numeric, Lower: 0, Upper: 90, Bins: []float64{20, 40}, OutOfRange: data.Clamp, Missing: data.Zero},
	}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s, specs...)
	if err != nil {
		t.Fatal(err)
	}
	f, r := &feature.Map{Pipeline: chain, Norm: feature.NormNone, Intercept: 1}, rand.New(rand.NewPCG(6, 6))
	weights := make([]float64, f.Dim())
	for j := range weights {
		weights[j] = r.NormFloat64() / 3
	}
	m, err := model.New(s, f, model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShapesAddUp: between two rows the score differs by the sum of the differences of shapes, for numbers, bins, levels
// and pairs.
func TestShapesAddUp(t *testing.T) {
	for name, specs := range map[string][]feature.Spec{"columns": nil, "cells and pairs": {{Name: "interactions", Parameters: []byte(`{"bins":8,"pair-bins":4,"pairs":"kind*size"}`)}}} {
		m := shapedModel(t, specs...)
		all := map[string]report.Shape{}
		for _, s := range shapes(m, bars{half: 0.5}, nil, preparation{}) {
			all[s.Name] = s
		}
		score := func(kind, size, age float64) float64 {
			p := make([]float64, 1)
			d, err := data.New(m.Schema(), [][]float32{{float32(kind)}, {float32(size)}, {float32(age)}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err = m.PredictAll(t.Context(), d, func(_ int, got []float64) error { p[0] = got[0]; return nil }); err != nil {
				t.Fatal(err)
			}
			return math.Log(p[0] / (1 - p[0]))
		}
		state := func(shape, name string) float64 {
			for _, c := range all[shape].States {
				if c.Feature == name {
					return c.Value
				}
			}
			t.Fatalf("%s: the shape of %s has no state %s: %v", name, shape, name, all[shape].States)
			return 0
		}
		at := func(shape string, x float64) float64 { // of a bin, or of a point
			points := all[shape].Points
			for i, p := range points {
				if p.X == x || p.X < x && i+1 < len(points) && points[i+1].X > x && points[i+1].Y == p.Y {
					return p.Y
				}
			}
			t.Fatalf("%s: the shape of %s has no value at %v: %v", name, shape, x, points)
			return 0
		}
		low, high := 1.0, 7.0 // points of a line
		if name != "columns" {
			low, high = 1.1, 7.1 // within cells
		}
		want := state("kind", "c") - state("kind", "a") + at("size", high) - at("size", low) + at("age", 50) - at("age", 10)
		unseen := state("kind", "missing") - state("kind", "a") + state("size", "missing") - at("size", low)
		if name != "columns" {
			want += state("kind × size", "c, 6 to 8") - state("kind × size", "a, 0 to 2")
			unseen += state("kind × size", "missing, missing") - state("kind × size", "a, 0 to 2")
		}
		start := score(0, low, 10)
		if got := score(2, high, 50) - start; math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: the score changes by %v, and its shapes by %v", name, got, want)
		}
		if got := score(math.NaN(), math.NaN(), 10) - start; math.Abs(got-unseen) > 1e-5 {
			t.Errorf("%s, missing cells: the score changes by %v, and its shapes by %v", name, got, unseen)
		}
		for _, p := range all["age"].Points { // one indicator against the mean of three: a band of √(2/3) halves
			if math.Abs((p.High-p.Low)/2-0.5*math.Sqrt(2./3)) > 1e-9 && name == "columns" {
				t.Errorf("age: got the band %v to %v, want %v each way", p.Low, p.High, 0.5*math.Sqrt(2./3))
			}
		}
	}
}

// TestShapesOfPairsAreMeans: a place of a pair stands for the mean of its finer cells.
func TestShapesOfPairsAreMeans(t *testing.T) {
	m := shapedModel(t, feature.Spec{Name: "interactions", Parameters: []byte(`{"bins":2,"pair-bins":64,"pairs":"kind*size"}`)})
	states := map[string]float64{}
	for _, s := range shapes(m, bars{half: 0.5}, nil, preparation{}) {
		for _, c := range s.States {
			states[s.Name+" "+c.Feature] = c.Value
		}
	}
	want := 0.0
	for _, size := range []float64{7.5625, 7.6875, 7.8125, 7.9375} {
		for kind, sign := range []float64{-0.25, 0, 0.25} {
			d, err := data.New(m.Schema(), [][]float32{{float32(kind)}, {float32(size)}, {10}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err = m.PredictAll(t.Context(), d, func(_ int, got []float64) error { want += sign * math.Log(got[0]/(1-got[0])); return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := states["kind c"] - states["kind a"] + states["kind × size c, 7.5 to 8"] - states["kind × size a, 7.5 to 8"]
	if math.Abs(got-want) > 1e-5 || want == 0 {
		t.Errorf("shapes change by %v, want the mean change of the score of %v", got, want)
	}
}

// TestShapesOfHalfLogarithms wants places at equal steps of the scale for a number with half-logarithmic bins.
func TestShapesOfHalfLogarithms(t *testing.T) {
	m := shapedModel(t, feature.Spec{Name: "interactions", Parameters: []byte(`{"bins":32,"half-logarithmic":"size","pairs":"none"}`)})
	for _, s := range shapes(m, bars{half: 0.5}, nil, preparation{}) {
		if s.Name != "size" {
			continue
		}
		if len(s.Points) != 2*fewSteps || len(s.Knots) != fewSteps+1 {
			t.Fatalf("got %d points and %d knots, want %d and %d", len(s.Points), len(s.Knots), 2*fewSteps, fewSteps+1)
		}
		for k := range fewSteps {
			if s.Knots[k] != s.Points[2*k].X || s.Knots[k+1] != s.Points[2*k+1].X {
				t.Errorf("place %d is not between its knots", k)
			}
			for side, x := range []float64{s.Points[2*k].X, s.Points[2*k+1].X} {
				if got, want := (x/8+math.Log1p(x)/math.Log1p(8))/2, float64(k+side)/fewSteps; math.Abs(got-want) > 1e-12 {
					t.Errorf("place %d has an end at %v of the scale, want %v", k, got, want)
				}
			}
			if k > 0 && s.Points[2*k].Y == s.Points[2*k-1].Y {
				t.Errorf("places %d and %d are the same cell", k-1, k)
			}
		}
		return
	}
	t.Error("there is no shape of size")
}

// TestShapesHaveUnits wants the unit of a number, and of the days of a date, with its shape and on its axis.
func TestShapesHaveUnits(t *testing.T) {
	s, err := data.ParseSchema("units", []byte(`dither-schema: 1
row: one person
max-records: 9
target: {column: y, levels: [a, b]}
defaults: {missing: zero, out-of-range: clamp, unknown: other}
columns:
  age: {numeric: [0, 90], unit: years}
  pay: {numeric: [0, 9]}
  joined: {date: {since: 2020-01-01, range: [0, 9], parts: [month]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	f := &feature.Map{Pipeline: chain, Norm: feature.NormNone}
	m, err := model.New(s, f, model.Logistic, make([]float64, f.Dim()))
	if err != nil {
		t.Fatal(err)
	}
	units := map[string]string{}
	for _, shape := range shapes(m, bars{}, nil, preparation{}) {
		units[shape.Name] = shape.Unit
	}
	if want := map[string]string{"age": "years", "pay": "", "joined": "days after 2020-01-01", "joined.month": ""}; !maps.Equal(units, want) {
		t.Errorf("got the units %v, want %v", units, want)
	}
}

// TestPlacesOfIntegers wants each integer in one place, which stands for integers of its own, at equal widths, on the
// half-logarithmic scale and in pairs.
func TestPlacesOfIntegers(t *testing.T) {
	for upper, spec := range map[float64]string{5: `{"bins":8,"pairs":"none"}`, 40: `{"bins":64,"half-logarithmic":"n","pairs":"none"}`, 31: `{"bins":32,"pairs":"none"}`,
		4102444800000: `{"bins":64,"half-logarithmic":"n","pairs":"none"}`} {
		s := &data.Schema{MaxRecords: 50, Target: data.Target{Column: "y", Levels: []string{"no", "yes"}}, Columns: []data.Column{
			{Name: "n", Kind: data.Numeric, Lower: -1, Upper: upper - 1, Integer: true, OutOfRange: data.Clamp, Missing: data.Zero}}}
		chain, err := feature.NewPipeline(nil, s, feature.Spec{Name: "interactions", Parameters: []byte(spec)})
		if err != nil {
			t.Fatal(err)
		}
		own := shaper{features: &feature.Map{Pipeline: chain}, columns: s.Features(), cells: true, halfLogarithmic: halfLogarithmicOf(chain.Specs()[0])}
		for _, bins := range []int{32, 4} {
			held := 0
			for _, p := range own.places(0, bins, bins == 4) {
				near := max(1e-9, 1e-6*p.from) // of single precision
				for _, v := range p.values {
					if v := float64(v); v != math.Trunc(v) || v < p.from-near || v > p.to+near || v == p.to && v < upper-1 && upper < 1e6 {
						t.Errorf("%s: %s stands for %v", spec, p.name, v)
					}
				}
				for n := -1.0; n <= upper-1 && upper < 1e6; n++ {
					if n >= p.from-1e-9 && (n < p.to-1e-9 || n == upper-1 && p.to >= n-1e-9) {
						held++
					}
				}
			}
			if upper < 1e6 && held != int(upper)+1 {
				t.Errorf("%s, bins %v: the places hold %d integers, want %d", spec, bins, held, int(upper)+1)
			}
		}
	}
}
