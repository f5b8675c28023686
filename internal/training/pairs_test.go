package training

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// pairedModel returns a model of cells without normalization of rows. The function weight gives each feature its weight, and
// frequency its frequency.
func pairedModel(t *testing.T, columns, parameters string, weight, frequency func(column, level string) float64) (*model.Model, []float64) {
	t.Helper()
	s, err := data.ParseSchema("pairs", []byte(`dither-schema: 1
row: one person
max-records: 5000
target: {column: y, levels: [a, b]}
defaults: {missing: zero, out-of-range: clamp, unknown: zero}
columns:
`+columns))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s, feature.Spec{Name: "interactions", Parameters: []byte(parameters)})
	if err != nil {
		t.Fatal(err)
	}
	f := &feature.Map{Pipeline: chain, Norm: feature.NormNone}
	weights, frequencies := make([]float64, f.Dim()), make([]float64, f.Dim())
	for j, n := range f.Names() {
		weights[j], frequencies[j] = weight(n.Column, n.Level), frequency(n.Column, n.Level)*n.Cell.Value
	}
	m, err := model.New(s, f, model.Logistic, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m, frequencies
}

// TestEffects works the effect of a shape out by hand. With a probability of 1 in 100 a χ² variable of 1 degree of freedom is
// above 6.635, and one of 4 degrees above 13.277 (M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
// 1964, table 26.8).
func TestEffects(t *testing.T) {
	type part struct{ share, value, deviation float64 }
	for _, c := range []struct {
		name      string
		direction float64
		parts     []part
		size      float64
	}{
		{"without intervals", 1, []part{{0.5, 3, 0}, {0.5, -1, 0}}, math.Sqrt(5)},
		{"one direction, within noise", 1, []part{{1, math.Sqrt(6.5), 1}}, 0},
		{"one direction, above noise", 1, []part{{1, math.Sqrt(6.8), 1}}, math.Sqrt(5.8)},
		{"four directions, within noise", 0.25, []part{{0.5, 1.8, 1}, {0.5, -1.8, 1}}, 0},
		{"four directions, above noise", 0.25, []part{{0.5, 1.85, 1}, {0.5, -1.85, 1}}, math.Sqrt(1.85*1.85 - 1)},
		{"a rare cell", 0.5, []part{{0.001, 3, 1}, {0.999, 0.003, 0.1}}, 0},
		{"nothing", 1, nil, 0},
	} {
		e := effect{shapes: 100, direction: c.direction}
		for _, p := range c.parts {
			e.add(p.share, p.value, normalReach*p.deviation)
		}
		if math.Abs(e.size()-c.size) > 1e-9 || e.noise > 0 && (e.above() > 1) != (c.size > 0) {
			t.Errorf("%s: got the effect %v, %v rooms above noise, want %v", c.name, e.size(), e.above(), c.size)
		}
	}
}

// TestSplits: the rest of a pair has the mean 0 in each state of either column, over the records, and the parts follow the
// records. A pair that is a sum of functions of its columns has no rest.
func TestSplits(t *testing.T) {
	const columns = "  a: {levels: [p, q, r]}\n  n: {numeric: [0, 8]}\n"
	shares := map[string]float64{"p, 0 to 4": 0.3, "q, 0 to 4": 0.1, "p, 4 to 8": 0.15, "q, 4 to 8": 0.45, "p": 0.45, "q": 0.55, "0 to 4": 0.4, "4 to 8": 0.6}
	for name, sum := range map[string]bool{"a sum": true, "no sum": false} {
		m, frequencies := pairedModel(t, columns, `{"pairs":"a*n","bins":2,"pair-bins":2}`, func(column, level string) float64 {
			switch {
			case column != "a × n":
				return 0
			case !sum:
				return math.Sin(float64(7*int(level[0]) + 3*int(level[3])))
			}
			return float64(level[0]-'p') + 2*float64(level[3]-'0')
		}, func(_, level string) float64 { return shares[level] })
		found := map[string]report.Shape{}
		for _, s := range shapes(m, bars{half: 0.1}, frequencies, preparation{}) {
			found[s.Name] = s
		}
		size := 0.0
		for _, states := range [][]int{{0, 1}, {2, 3}, {0, 2}, {1, 3}} { // of a level, or of a bin
			mean := 0.0
			for _, k := range states {
				c := found["a × n"].States[k]
				mean += shares[c.Feature] * c.Value
				size = max(size, math.Abs(c.Value))
			}
			if math.Abs(mean) > 1e-6 {
				t.Errorf("%s: the mean over the records of cells %v is %v, want 0", name, states, mean)
			}
		}
		if (size < 1e-6) != sum {
			t.Errorf("%s: the rest is up to %v", name, size)
		}
		if own := found["a"].States; sum && (math.Abs(own[1].Value-own[0].Value-0.5) > 1e-6 || math.Abs(own[2].Value-own[0].Value-1) > 1e-6) {
			t.Errorf("got the levels %v, want those of half of the cells, also without records", own)
		}
		if own := found["n"].Points; sum && math.Abs(own[len(own)-1].Y-own[0].Y-4) > 1e-6 {
			t.Errorf("got the numbers %v, want those of half of the cells", own)
		}
	}
}

// TestMapsOfPoints: between two points the score differs as the map does.
func TestMapsOfPoints(t *testing.T) {
	m, frequencies := pairedModel(t, "  lon: {numeric: [0, 8]}\n  lat: {numeric: [0, 8]}\n  n: {numeric: [0, 8]}\n", `{"pairs":"lon*lat","bins":8,"pair-bins":4,"coordinates":"lon*lat","coordinate-bins":8}`,
		func(column, level string) float64 {
			return math.Sin(float64(17*len(column) + 5*int(level[0]) + int(level[len(level)-1])))
		},
		func(column, level string) float64 { return float64(len(column) + int(level[0]) - '0') })
	score := func(lon, lat float32) (out float64) {
		d, err := data.New(m.Schema(), [][]float32{{lon}, {lat}, {3}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err = m.PredictAll(t.Context(), d, func(_ int, got []float64) error { out = math.Log(got[0] / (1 - got[0])); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, s := range shapes(m, bars{}, frequencies, preparation{}) {
		if s.Pair == nil || !s.Pair.Point {
			continue
		}
		got, want := s.States[8*5+6].Value-s.States[8*5+7].Value, score(6.5, 5.5)-score(7.5, 5.5)
		other := score(6.5, 5.5) - score(6.5, 1.5)
		if up := s.States[8*5+6].Value - s.States[8*1+6].Value; math.Abs(got-want) > 1e-5 || math.Abs(up-other) > 1e-5 || want == 0 {
			t.Errorf("the map changes by %v across and %v up, and the score by %v and %v", got, up, want, other)
		}
		return
	}
	t.Error("there is no map of points")
}

// TestDirections compares the largest share of noise along one direction with eigenvalues by hand: of a diagonal second
// moment, and of the moment (4 2; 2 2).
func TestDirections(t *testing.T) {
	for name, c := range map[string]struct {
		whitening *feature.Whitening
		want      float64
	}{
		"plain":    {nil, 4. * 0.5 / (4*0.5 + 9*0.2 + 0.3)},
		"scaled":   {&feature.Whitening{Scales: []float64{0, 1, 0.1, 2}}, 4 * 9 * 0.2 / (0.01*4*0.5 + 4*9*0.2 + 0.3)},
		"two rows": {&feature.Whitening{Scales: []float64{0, 1, 1, 0}}, (3 + math.Sqrt(5)) / 6},
		"turned":   {&feature.Whitening{Matrix: make([]float64, 16)}, 1},
	} {
		s := shaper{unshrunk: &feature.Map{Whitening: c.whitening}}
		parts := []float64{0.5, 0.2, 0.3, 0}
		if name == "two rows" {
			parts = []float64{0.5, 0, 0, 0, 0.5}
		}
		rows := [][]float64{{2, 0, 0}, {0, 3, 0}, {0, 0, 1}, {100, 0, 0}, {2, 0, 2}}
		states := drawing{row: func(i int, x []float64) { copy(x, rows[i]) }}
		got := s.direction([]int{2, 3, 1}, parts, make([]float64, 3), states)
		for _, r := range rows { // again, with the positions of features that are not 0
			var own sparse
			for k, v := range r {
				if v != 0 {
					own.at, own.x = append(own.at, k), append(own.x, v)
				}
			}
			states.rows = append(states.rows, own)
		}
		if again := s.direction([]int{2, 3, 1}, parts, make([]float64, 3), states); math.Abs(again-got) > 1e-12 {
			t.Errorf("%s: got the share %v of sparse rows, and %v of others", name, again, got)
		}
		if math.Abs(got-c.want) > 1e-2*c.want || got < c.want*(1-1e-2) {
			t.Errorf("%s: got the share %v, want %v", name, got, c.want)
		}
	}
}

// TestDirectionsAreRelative: rows less their mean have the same largest share as rows to which the mean is given.
func TestDirectionsAreRelative(t *testing.T) {
	rows, parts, features := [][]float64{{2, 0, 5}, {0, 3, 5}, {1, 1, 7}}, []float64{0.5, 0.2, 0.3}, []int{0, 1, 2}
	mean, s := make([]float64, 3), shaper{unshrunk: &feature.Map{Whitening: &feature.Whitening{Scales: []float64{1, 2, 0.5}}}}
	for i, r := range rows {
		for k, v := range r {
			mean[k] += parts[i] * v
		}
	}
	got := s.direction(features, parts, mean, drawing{row: func(i int, x []float64) { copy(x, rows[i]) }})
	want := s.direction(features, parts, make([]float64, 3), drawing{row: func(i int, x []float64) {
		for k, v := range rows[i] {
			x[k] = v - mean[k]
		}
	}})
	if math.Abs(got-want) > 1e-9 || !(want > 0.4 && want < 0.999) {
		t.Errorf("got the share %v, want %v", got, want)
	}
}

// TestOrderOfShapes: a pair that moves most records comes before one whose rare cell is farther outside its noise, and
// before a column with a smaller effect that is farther above noise. Without frequencies of the cells all states count
// alike.
func TestOrderOfShapes(t *testing.T) {
	columns := "  a: {levels: [p, q]}\n  b: {levels: [p, q]}\n  c: {levels: [p, q]}\n  d: {levels: [l0"
	for k := range 39 {
		columns += fmt.Sprint(", l", k+1)
	}
	m, frequencies := pairedModel(t, columns+"]}\n", `{"pairs":"a*b+a*c","weight":1}`, func(column, level string) float64 {
		switch {
		case column == "d":
			return 1.6 * float64(level[len(level)-1]%2)
		case column == "a × b" && level == "q, q": // rare, and large by its noise
			return 9
		case column == "a × c" && level[0] == level[3]:
			return 4
		}
		return 0
	}, func(column, level string) float64 {
		if column == "d" {
			return 1. / 40
		}
		if column == "a × c" {
			return 0.25
		}
		return map[string]float64{"p": 0.5, "q": 0.5, "p, p": 0.499, "p, q": 0.25, "q, p": 0.25, "q, q": 0.001}[level]
	})
	first := func(frequencies []float64) report.Shape {
		return shapes(m, bars{half: 1}, frequencies, preparation{})[0]
	}
	if got := first(frequencies); got.Name != "a × c" || !(got.Effect > 0) {
		t.Errorf("got %s with the effect %v first, want a × c", got.Name, got.Effect)
	}
	if all := shapes(m, bars{half: 1}, frequencies, preparation{}); all[1].Name != "d" || !(all[1].Effect > 0) {
		t.Errorf("got %s with the effect %v after it, want d", all[1].Name, all[1].Effect)
	}
	if got := first(nil); got.Name != "a × b" {
		t.Errorf("without frequencies: got %s first, want a × b", got.Name)
	}
}

// TestSharesOfPlaces: shares follow from the frequencies of cells as fine as places, or of the finest ones, and sum to 1.
// Values have the mean 0 over them.
func TestSharesOfPlaces(t *testing.T) {
	const columns = "  a: {levels: [p, q, r]}\n  n: {numeric: [0, 8], missing: indicator}\n"
	for _, bins := range []int{8, 64} {
		shares := map[string]float64{"a p": 0.5, "a q": 0.3, "a r": 0.2, "n missing": 0.1, "n 0 to 4": 0.9, "n 4 to 8": 0,
			"a × n p, 0 to 2": 0.25, "a × n p, missing": 0.25, "a × n q, 0 to 2": 0.3, "a × n r, 0 to 2": 0.2}
		for k := range bins {
			width := 8 / float64(bins)
			shares[fmt.Sprintf("n %v to %v", float64(k)*width, float64(k+1)*width)] = 0.9 * float64(2*k+1) / float64(bins*bins)
		}
		m, frequencies := pairedModel(t, columns, fmt.Sprintf(`{"pairs":"a*n","bins":%d,"pair-bins":4}`, bins), func(column, level string) float64 {
			return math.Sin(float64(17*len(column) + 5*len(level) + int(level[0])))
		}, func(column, level string) float64 { return 3 * shares[column+" "+level] })
		found := map[string]report.Shape{}
		for _, s := range shapes(m, bars{half: 0.1}, frequencies, preparation{}) {
			found[s.Name] = s
		}
		for name, s := range found {
			mean := 0.0
			for i, c := range s.States {
				if want := shares[name+" "+c.Feature]; math.Abs(s.Shares[i]-want) > 1e-9 {
					t.Errorf("%s %s: got the share %v, want %v", name, c.Feature, s.Shares[i], want)
				}
				mean += s.Shares[i] * c.Value
			}
			for i, p := range s.Points {
				if i%2 == 0 { // the lower end of a step, which has a share of squares
					low, high := p.X/8, s.Points[i+1].X/8
					mean += p.Y * 0.9 * (high*high - low*low)
				}
			}
			if math.Abs(mean) > 1e-9 {
				t.Errorf("%s: the mean over the records is %v, want 0", name, mean)
			}
		}
		if len(found) != 3 || found["a × n"].Pair == nil || len(found["n"].Shares) != 1 {
			t.Errorf("got the shapes %v", found)
		}
		clear(frequencies) // nothing stands out
		for _, s := range shapes(m, bars{half: 0.1}, frequencies, preparation{}) {
			if s.Shares != nil {
				t.Errorf("%s: got the shares %v without frequencies", s.Name, s.Shares)
			}
		}
	}
}

// TestSidesOfMaps: numbers go across, and of coordinates the easting. Rows of states begin with the first state of the side
// that goes up.
func TestSidesOfMaps(t *testing.T) {
	const columns = `  latitude: {numeric: [0, 8]}
  longitude: {numeric: [-8, 0]}
  kind: {levels: [p, q, r], unknown: other}
  sort: {levels: [u, v]}
  rooms: {numeric: [0, 99], transform: log1p, missing: indicator}
  count: {numeric: [1, 4], integer: true}
`
	m, _ := pairedModel(t, columns, `{"pairs":"all","pair-bins":4,"coordinates":"latitude*longitude","coordinate-bins":64}`, func(column, level string) float64 { return float64(len(level)) },
		func(string, string) float64 { return 0 })
	found := map[string]report.Shape{}
	for _, s := range shapes(m, bars{}, nil, preparation{}) {
		found[s.Name] = s
	}
	for name, want := range map[string]struct {
		across, up string
		columns    int
		first      []string
	}{
		"latitude × longitude": {"longitude", "latitude", mapPoints, []string{"0 to 0.25, -8 to -7.75", "0 to 0.25, -7.75 to -7.5"}},
		"latitude × kind":      {"latitude", "kind", 4, []string{"0 to 2, p", "2 to 4, p"}},
		"kind × sort":          {"sort", "kind", 2, []string{"p, u", "p, v", "q, u"}},
		"kind × rooms":         {"rooms", "kind", 5, []string{"p, 0 to 2.162", "p, 2.162 to 9", "p, 9 to 30.62", "p, 30.62 to 99", "p, missing", "q, 0 to 2.162"}},
		"sort × count":         {"count", "sort", 4, []string{"u, 1 to 1.75", "u, 1.75 to 2.5"}},
	} {
		s := found[name]
		if s.Pair == nil || s.Pair.Across.Name != want.across || s.Pair.Up.Name != want.up || len(s.Pair.Across.States) != want.columns || len(s.States) != want.columns*len(s.Pair.Up.States) {
			t.Errorf("%s: got %+v", name, s.Pair)
			continue
		}
		for k, text := range want.first {
			if s.States[k].Feature != text {
				t.Errorf("%s: cell %d is %q, want %q", name, k, s.States[k].Feature, text)
			}
		}
	}
	if p := found["latitude × longitude"].Pair; !p.Point || found["latitude × kind"].Pair.Point || len(p.Up.Ends) != mapPoints+1 || p.Up.Ends[mapPoints] != 8 {
		t.Errorf("got the map of points %+v", p)
	}
	if s := found["sort × count"].Pair.Across; s.Ends != nil || !slices.Equal(s.States, []string{"1", "2", "3", "4"}) {
		t.Errorf("got the side %+v, want each integer", s)
	}
	if s := found["kind × sort"].Pair; s.Up.Aside != 1 || s.Across.Aside != 0 || s.Up.States[3] != "other" {
		t.Errorf("got the sides %+v", s)
	}
	if s := found["rooms"]; len(s.Knots) != fewSteps+1 || s.Points[1].X != s.Knots[1] || math.Abs(s.Knots[16]-9) > 1e-9 || found["latitude"].Knots != nil {
		t.Errorf("got the knots %v of a logarithmic scale", s.Knots)
	}
}
