package erm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// lineSchema declares one predictor and a numeric target.
func lineSchema() *data.Schema {
	return &data.Schema{Name: "line", Row: "one plot", MaxRecords: 100000,
		Columns: []data.Column{{Name: "water", Kind: data.Numeric, Lower: 0, Upper: 10, OutOfRange: data.Clamp, Missing: data.Zero}},
		Target:  data.Target{Column: "growth", Lower: -10, Upper: 40}}
}

// line is growth = 3 + 2·water + an error of deviation 1.5.
func line(r *rand.Rand, s *data.Schema, n int) *data.Dataset {
	x, y := make([]float32, n), make([]float32, n)
	for i := range n {
		x[i] = float32(10 * r.Float64())
		y[i] = 3 + 2*x[i] + float32(1.5*r.NormFloat64())
	}
	d, err := data.New(s, [][]float32{x}, y)
	if err != nil {
		panic(err)
	}
	return d
}

// Slope and intercept of one predictor, whose least squares solution has no bounded sensitivity: the sums of
// products have. The printed digits hold but for noise ten deviations out.
func ExampleFit() {
	schema := lineSchema()
	records := line(rand.New(rand.NewPCG(1, 1)), schema, 50000)
	setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	limit, err := privacy.NewGuarantee(1.001, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: schema.Row})
	if err != nil {
		fmt.Println(err)
		return
	}
	budget, err := ledger.NewSingle(limit)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := Fit(context.Background(), budget, setup, records, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range result.Inference.Estimates {
		fmt.Printf("%s %.0f\n", e.Name, e.Value)
	}
	// Output:
	// intercept 3
	// water 2
}

// TestLineIntervalsCover holds the intervals of slope and intercept at ε = 1 through the whole path. The share of
// 150 deviates by at most √(0.95·0.05/150) = 0.018; 5 of these are allowed, below 1e-6.
func TestLineIntervalsCover(t *testing.T) {
	const trials = 150
	r, schema := rand.New(rand.NewPCG(4, 5)), lineSchema()
	setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	covered, noise := [2]int{}, 0.0
	for range trials {
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, line(r, schema, 2000), Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := result.Inference
		if i == nil || i.Refusal != "" || len(i.Estimates) != 2 {
			t.Fatalf("got inference %+v, want two estimates", i)
		}
		for k, want := range []float64{3, 2} {
			if e := i.Estimates[k]; e.Lower <= want && want <= e.Upper {
				covered[k]++
			}
		}
		noise += i.Estimates[1].NoiseError / i.Estimates[1].StandardError / trials
	}
	for k, name := range []string{"intercept", "slope"} {
		if got := float64(covered[k]) / trials; math.Abs(got-0.95) > 0.02+5*0.018 {
			t.Errorf("%s: %.3f of the intervals cover, want 0.95 ± 0.11", name, got)
		}
	}
	if noise < 0.3 {
		t.Errorf("noise is %.2f of the error, want a test of intervals with noise", noise)
	}
}

// TestUnits compares coefficients in the units of the table with least squares on the table itself.
func TestUnits(t *testing.T) {
	schema, r := housesSchema(0), rand.New(rand.NewPCG(8, 8))
	schema.Columns[0].Transform = data.TransformLog1p
	const n = 400
	x, y := [3][]float32{}, []float32{}
	for range n {
		size, age, place := float32(300*r.Float64()), float32(100*r.Float64()), float32(r.IntN(3))
		if r.IntN(5) == 0 {
			age = float32(math.NaN())
		}
		place = min(place, 1)
		price := 100000 + 50000*math.Log1p(float64(size))
		if age == age {
			price -= 1000 * float64(age)
		} else {
			price -= 7000
		}
		switch place {
		case 0:
			price += 90000
		case 1:
			price += 20000
		}
		for j, v := range []float32{size, age, place} {
			x[j] = append(x[j], v)
		}
		y = append(y, float32(price))
	}
	d, err := data.New(schema, x[:], y)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{190000, 50000, -1000, -7000, -70000}
	names := []string{"intercept", "log(1 + size)", "age", "age = missing", "place = land"}
	if result.Inference == nil || len(result.Inference.Estimates) != len(want) {
		t.Fatalf("got inference %+v, want %d estimates", result.Inference, len(want))
	}
	for k, e := range result.Inference.Estimates {
		if e.Name != names[k] || math.Abs(e.Value-want[k]) > 1e-3*math.Abs(want[k])+100 {
			t.Errorf("estimate %d: got %s %v, want %s %v", k, e.Name, e.Value, names[k], want[k])
		}
	}
	if got := result.Inference.Determination; math.Abs(got-1) > 1e-4 {
		t.Errorf("R² is %v, want 1", got)
	}
}

// plotsSchema declares plots under the defaults of schemas: a missing cell and an undeclared level have indicators of
// their own, which stay empty. So does the first level, so that the second is what others are compared with.
func plotsSchema() *data.Schema {
	s := lineSchema()
	s.Columns[0].Missing = data.Indicator
	s.Columns = append(s.Columns, data.Column{Name: "soil", Kind: data.Categorical, Levels: []string{"rock", "clay", "sand"}, Missing: data.Indicator, Unknown: data.Other})
	return s
}

// plots are growth = 3 + 2·water + 4 on sand + an error of deviation 1.5, and none on rock.
func plots(r *rand.Rand, s *data.Schema, n int) *data.Dataset {
	x, soil, y := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		x[i], soil[i] = float32(10*r.Float64()), float32(1+r.IntN(2))
		y[i] = 3 + 2*x[i] + 4*(soil[i]-1) + float32(1.5*r.NormFloat64())
	}
	d, err := data.New(s, [][]float32{x, soil}, y)
	if err != nil {
		panic(err)
	}
	return d
}

// TestIntervalsUnderDefaultSchemas wants intervals though columns are empty, which are named, with the coverage
// that is stated. If 0.95 of the intervals cover, 20 of 100 or more fail to with a probability of 1e-7, for each
// of three estimates.
func TestIntervalsUnderDefaultSchemas(t *testing.T) {
	const trials = 100
	r, schema := rand.New(rand.NewPCG(14, 15)), plotsSchema()
	setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 2, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	covered := [3]int{}
	for range trials {
		result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, plots(r, schema, 4000), Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := result.Inference
		if i == nil || i.Refusal != "" || len(i.Estimates) != 3 || len(i.Omitted) != 4 {
			t.Fatalf("got inference %+v, want three estimates and four features left out", i)
		}
		for k, want := range []string{"water = missing", "soil = rock", "soil = other", "soil = missing"} {
			if got := i.Omitted[k]; got.Name != want || got.Reason != reasonEmpty {
				t.Fatalf("feature %d left out is %+v, want %s, empty", k, got, want)
			}
		}
		for k, want := range []float64{3, 2, 4} {
			if e := i.Estimates[k]; e.Lower <= want && want <= e.Upper {
				covered[k]++
			}
		}
	}
	for k, n := range covered {
		if got := float64(n) / trials; math.Abs(got-0.95) > 0.145 {
			t.Errorf("estimate %d: %.3f of the intervals cover, want 0.95 ± 0.145", k, got)
		}
	}
}
