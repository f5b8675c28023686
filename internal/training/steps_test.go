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

// fineModel returns a model of a column with 1024 cells, whose weights change from cell to cell. Of the records, 90 % are in
// the first cell, and the shares of the others grow in proportion. Frequencies are those of cells at each resolution.
func fineModel(t *testing.T, column string) (*model.Model, []float64) {
	t.Helper()
	m, frequencies := pairedModel(t, column, `{"pairs":"none","bins":1024}`,
		func(_, level string) float64 { return math.Sin(float64(len(level))) },
		func(string, string) float64 { return 0 })
	weights, names := slices.Clone(m.Weights()), m.Features().Names()
	cells := map[int]int{}
	for _, n := range names {
		cells[n.Cell.Grid]++
	}
	for j, n := range names {
		weights[j] = math.Sin(float64(j * j))
		if frequencies[j] = 0.1 * float64(2*n.Cell.States[0]+1) / float64(cells[n.Cell.Grid]*cells[n.Cell.Grid]); n.Cell.States[0] == 0 {
			frequencies[j] += 0.9
		}
	}
	m, err := model.New(m.Schema(), m.Features(), model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m, frequencies
}

// TestStepsAreMeans: the value of a step is the mean of the model over the records in its cells, and the band is that of the
// mean. The effect is over all cells. Without frequencies cells count alike.
func TestStepsAreMeans(t *testing.T) {
	m, frequencies := fineModel(t, "  n: {numeric: [0, 1024]}\n")
	for name, known := range map[string][]float64{"frequencies": frequencies, "none": nil} {
		part := func(cell int) float64 {
			if known == nil {
				return 1. / 1024
			}
			return known[len(known)-1024+cell]
		}
		raw, mean, square := make([]float64, 1024), 0.0, 0.0
		for cell := range raw {
			raw[cell] = scoreOf(t, m, float32(cell)+0.5)
			mean += part(cell) * raw[cell]
		}
		for cell := range raw {
			square += part(cell) * (raw[cell] - mean) * (raw[cell] - mean)
		}
		s := shapes(m, bars{}, known, preparation{})[0]
		if math.Abs(s.Effect-math.Sqrt(square)) > 1e-5 {
			t.Errorf("%s: got the effect %v, want %v", name, s.Effect, math.Sqrt(square))
		}
		steps := len(s.Points) / 2
		if known != nil && (steps <= fewSteps || steps > mostSteps || s.Points[1].X != 1) || known == nil && steps != fewSteps {
			t.Errorf("%s: got %d steps, the first one up to %v", name, steps, s.Points[1].X)
		}
		narrow := shapes(m, bars{half: 1}, known, preparation{})[0]
		for k := 0; k < len(s.Points); k += 2 {
			from, to, want, sum := int(s.Points[k].X), int(s.Points[k+1].X), 0.0, 0.0
			for cell := from; cell < to; cell++ {
				sum += part(cell)
				want += part(cell) * (raw[cell] - mean)
			}
			if math.Abs(s.Points[k].Y-want/sum) > 1e-5 {
				t.Errorf("%s: the step from %d to %d is at %v, want %v", name, from, to, s.Points[k].Y, want/sum)
			}
			if k > 0 && s.Points[k].X != s.Points[k-1].X {
				t.Errorf("%s: a step begins at %v and not at %v", name, s.Points[k].X, s.Points[k-1].X)
			}
			if known == nil { // indicators of 32 to 1024 cells, less means of all records
				square := 0.0
				for cells := 2; cells <= 1024; cells *= 2 {
					inside := max(1, cells/steps)
					square += 1/float64(inside) - 1/float64(cells)
				}
				if half := (narrow.Points[k].High - narrow.Points[k].Low) / 2; math.Abs(half-math.Sqrt(square)) > 1e-9 {
					t.Errorf("half of the band of the step from %d is %v, want %v", from, half, math.Sqrt(square))
				}
			}
		}
		if uneven := s.Knots != nil; uneven != (known != nil) || uneven && len(s.Knots) != steps+1 {
			t.Errorf("%s: got the knots %v of %d steps", name, s.Knots, steps)
		}
	}
}

// scoreOf returns the log-odds of a row with one value.
func scoreOf(t *testing.T, m *model.Model, v float32) (out float64) {
	t.Helper()
	d, err := data.New(m.Schema(), [][]float32{{v}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = m.PredictAll(t.Context(), d, func(_ int, got []float64) error { out = math.Log(got[0] / (1 - got[0])); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEffectsOfPlaces: effects and values of the pairs of columns do not depend on the number of places of the map.
func TestEffectsOfPlaces(t *testing.T) {
	m, frequencies := pairedModel(t, "  a: {numeric: [0, 64]}\n  b: {numeric: [0, 64]}\n", `{"pairs":"a*b","bins":2,"pair-bins":64,"buckets":65536}`,
		func(column, level string) float64 {
			return math.Sin(float64(17*len(column)) + float64(len(level)*int(level[0])) + 3*float64(level[len(level)-1]))
		},
		func(string, string) float64 { return 1 })
	for _, own := range shapes(m, bars{half: 0.01}, frequencies, preparation{}) {
		if own.Pair != nil {
			mean := 0.0
			for k, c := range own.States {
				mean += own.Shares[k] * c.Value * c.Value
			}
			if len(own.States) != pairPoints*pairPoints || !(own.Effect > 1.2*math.Sqrt(mean)) {
				t.Errorf("got %d cells and the effect %v, want 256 and more than that of the means %v", len(own.States), own.Effect, math.Sqrt(mean))
			}
			return
		}
	}
	t.Error("there is no pair")
}

// TestPointsAreMeans: a cell of a map of points has the mean of its columns over their finer cells.
func TestPointsAreMeans(t *testing.T) {
	m, _ := pairedModel(t, "  lon: {numeric: [0, 8]}\n  lat: {numeric: [0, 8]}\n", `{"pairs":"none","bins":64,"coordinates":"lon*lat","coordinate-bins":8}`,
		func(column, level string) float64 {
			return math.Sin(float64(17*len(column)+5*int(level[0])+len(level)*int(level[len(level)-1]))) / 3
		},
		func(string, string) float64 { return 0 })
	score := func(lon float32) (out float64) {
		d, err := data.New(m.Schema(), [][]float32{{lon}, {2.05}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err = m.PredictAll(t.Context(), d, func(_ int, got []float64) error { out = math.Log(got[0] / (1 - got[0])); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, s := range shapes(m, bars{}, nil, preparation{}) {
		if s.Pair == nil {
			continue
		}
		for k := range 7 {
			want := 0.0
			for cell := range 8 {
				want += (score(float32(k)+1+float32(cell)/8+0.05) - score(float32(k)+float32(cell)/8+0.05)) / 8
			}
			if got := s.States[8*2+k+1].Value - s.States[8*2+k].Value; math.Abs(got-want) > 1e-5 {
				t.Errorf("from cell %d to the next one the map changes by %v, and the score by %v on average", k, got, want)
			}
		}
		return
	}
	t.Error("there is no map")
}

// TestStepsOfIntegers wants steps that join, each of which holds its integers, for numbers of cells and for plain ones.
func TestStepsOfIntegers(t *testing.T) {
	for _, parameters := range []string{"", `{"pairs":"none"}`} {
		for upper, want := range map[int]int{1: 2, 5: 6, 40: 41, 90: 0} {
			m, _ := pairedModel(t, fmt.Sprintf("  n: {numeric: [0, %d], integer: true}\n", upper), `{"pairs":"none"}`,
				func(_, level string) float64 { return float64(len(level)) / 20 }, func(string, string) float64 { return 0 })
			if parameters == "" {
				chain, err := feature.NewPipeline(nil, m.Schema())
				if err != nil {
					t.Fatal(err)
				}
				if m, err = model.New(m.Schema(), &feature.Map{Pipeline: chain, Norm: feature.NormNone}, model.Logistic, []float64{3}); err != nil {
					t.Fatal(err)
				}
			}
			points := shapes(m, bars{}, nil, preparation{})[0].Points
			if want > 0 && (len(points) != 2*want || points[0].X != -0.5 || points[len(points)-1].X != float64(upper)+0.5) {
				t.Errorf("%q: %d: got the points %v", parameters, upper, points)
			}
			for k := 0; k+1 < len(points) && (want > 0 || parameters != ""); k += 2 {
				middle := (points[k].X + points[k+1].X) / 2
				difference := scoreOf(t, m, float32(middle)) - scoreOf(t, m, 0)
				if got := points[k].Y - points[0].Y; want > 0 && math.Abs(got-difference) > 1e-5 || k > 0 && points[k].X != points[k-1].X {
					t.Errorf("%q: %d: the step from %v to %v is %v above the first one, want %v", parameters, upper, points[k].X, points[k+1].X, got, difference)
				}
			}
		}
	}
}

// TestRunsFollowRecords wants steps that are short where the records are. Bins are those of 100 000 dollars.
func TestRunsFollowRecords(t *testing.T) {
	m, frequencies := fineModel(t, "  gain: {numeric: [0, 99999], integer: true}\n")
	own := shapes(m, bars{}, frequencies, preparation{})[0]
	for k := 1; k < len(own.Knots); k++ {
		if !(own.Knots[k] > own.Knots[k-1]) {
			t.Errorf("knot %d is %v after %v", k, own.Knots[k], own.Knots[k-1])
		}
	}
	if own.Points[0].X != 0 || own.Points[1].X != 97.5 || len(own.Knots) != len(own.Points)/2+1 {
		t.Errorf("got the first step %v to %v, want the first cell", own.Points[0], own.Points[1])
	}
}

// TestUnits: values are multiplied by the mean scale of rows and are in log-odds or in the unit of the target. The scale of rows
// of cells is compared with that of drawn rows.
func TestUnits(t *testing.T) {
	m, frequencies := fineModel(t, "  n: {numeric: [0, 1024]}\n")
	plain := shapes(m, bars{half: 1}, frequencies, preparation{})[0]
	f := *m.Features()
	scales := make([]float64, f.Pipeline.Dim())
	for j := range scales {
		scales[j] = math.Exp(math.Sin(float64(j)))
	}
	f.Norm, f.Intercept, f.Whitening = feature.NormUnit, 0.5, &feature.Whitening{Scales: scales}
	weights := append(slices.Clone(m.Weights()), 0)
	for j, s := range scales {
		weights[j] /= s
	}
	scaled, err := model.New(m.Schema(), &f, model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for cell := range 1024 {
		square := 0.0
		for b := 2; b <= 1024; b *= 2 {
			s := scales[b-2+cell*b/1024]
			square += s * s
		}
		want += frequencies[len(frequencies)-1024+cell] / math.Sqrt(square) / math.Hypot(1, 0.5)
	}
	got := shapes(scaled, bars{half: 1}, frequencies, preparation{})[0]
	if got.Of != "the log-odds of b" || got.Unscaled || math.Abs(got.Points[0].Y/plain.Points[0].Y-want) > 1e-3*want {
		t.Errorf("got the factor %v of %q, want %v of log-odds", got.Points[0].Y/plain.Points[0].Y, got.Of, want)
	}
	if unknown := shapes(scaled, bars{half: 1}, nil, preparation{})[0]; !unknown.Unscaled || unknown.Of != "" {
		t.Errorf("without frequencies: got %+v", unknown)
	}
	s := *m.Schema()
	s.Target = data.Target{Column: "price", Lower: 100, Upper: 500}
	chain, err := feature.NewPipeline(nil, &s, m.Features().Specs()...)
	if err != nil {
		t.Fatal(err)
	}
	numeric, err := model.New(&s, &feature.Map{Pipeline: chain, Norm: feature.NormNone}, model.Squared, m.Weights())
	if err != nil {
		t.Fatal(err)
	}
	if own := shapes(numeric, bars{half: 1}, frequencies, preparation{})[0]; own.Of != "price" || math.Abs(own.Points[0].Y/plain.Points[0].Y-200) > 1e-9 ||
		math.Abs(own.Points[0].High-own.Points[0].Low-200*(plain.Points[0].High-plain.Points[0].Low)) > 1e-6 || math.Abs(own.Effect-200*plain.Effect) > 1e-6 {
		t.Errorf("got %v of %q, want 200 times %v", own.Points[0], own.Of, plain.Points[0])
	}
}

// TestPlainScale compares the scale of centered and whitened rows with that of drawn rows.
func TestPlainScale(t *testing.T) {
	s := &data.Schema{MaxRecords: 9, Row: "r", Target: data.Target{Column: "y", Levels: []string{"a", "b"}}}
	for k := range 6 {
		s.Columns = append(s.Columns, data.Column{Name: fmt.Sprint("c", k), Kind: data.Categorical, Levels: []string{"p", "q", "r"}, Missing: data.Indicator})
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	d := chain.Dim()
	f := &feature.Map{Pipeline: chain, Norm: feature.NormUnit, Intercept: 0.25, Center: make([]float64, d)}
	rows := make([][]float64, 3000)
	for i := range rows {
		rows[i] = make([]float64, d)
		for k := range 6 {
			state := int(3 * math.Abs(math.Sin(float64(7*i+3*k+i*i*k))))
			rows[i][4*k+min(2, state)] = 1 / math.Sqrt(6)
			f.Center[4*k+min(2, state)] += 1 / math.Sqrt(6) / float64(len(rows))
		}
	}
	want := 0.0
	for _, x := range rows {
		square := 0.0
		for j, v := range x {
			square += (v - f.Center[j]) * (v - f.Center[j])
		}
		want += 1 / math.Sqrt(6*square) / math.Hypot(1, 0.25) / float64(len(rows))
	}
	m, err := model.New(s, f, model.Logistic, make([]float64, d+1))
	if err != nil {
		t.Fatal(err)
	}
	own := shaper{features: f, unshrunk: f, names: f.Names(), schema: s}
	own.measure(m, preparation{}, nil)
	if math.Abs(own.factor-want) > 0.05*want || own.unit != "the log-odds of b" {
		t.Errorf("got the factor %v, want %v", own.factor, want)
	}
}
