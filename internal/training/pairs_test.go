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

// TestEffects works the effect of a shape out by hand.
func TestEffects(t *testing.T) {
	type part struct{ share, value, deviation float64 }
	for _, c := range []struct {
		name        string
		parts       []part
		size, above float64
	}{
		{"without intervals", []part{{0.5, 3, 0}, {0.5, -1, 0}}, math.Sqrt(5), 0},
		{"all alike", []part{{0.5, 2, 0.5}, {0.5, -2, 0.5}}, math.Sqrt(4 - 0.25 - 3*math.Sqrt(2*2*0.125*0.125)), (4 - 0.25) / math.Sqrt(2*2*0.125*0.125)},
		{"noise alone", []part{{0.5, 1, 1}, {0.5, -1, 1}}, 0, 0},
		{"a rare cell", []part{{0.001, 3, 1}, {0.999, 0.003, 0.1}}, 0, (0.009 + 0.999*9e-6 - 0.001 - 0.00999) / math.Sqrt(2*(1e-6+0.00999*0.00999))},
		{"nothing", nil, 0, 0},
	} {
		var e effect
		for _, p := range c.parts {
			e.add(p.share, p.value, normalReach*p.deviation)
		}
		if math.Abs(e.size()-c.size) > 1e-9 || math.Abs(e.above()-c.above) > 1e-9*(1+math.Abs(c.above)) {
			t.Errorf("%s: got the effect %v, %v above noise, want %v and %v", c.name, e.size(), e.above(), c.size, c.above)
		}
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
			return 2
		}
		return 0
	}, func(column, level string) float64 {
		if column == "d" {
			return 1. / 40
		}
		return map[string]float64{"p": 0.5, "q": 0.5, "p, p": 0.499, "p, q": 0.25, "q, p": 0.25, "q, q": 0.001}[level]
	})
	first := func(frequencies []float64) report.Shape { return shapes(m, bars{half: 1}, frequencies)[0] }
	if got := first(frequencies); got.Name != "a × c" || !(got.Effect > 0) {
		t.Errorf("got %s with the effect %v first, want a × c", got.Name, got.Effect)
	}
	if all := shapes(m, bars{half: 1}, frequencies); all[1].Name != "d" || !(all[1].Effect > 0) {
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
		for k, cells := 0, min(bins, cellPoints); k < cells; k++ {
			width := 8 / float64(cells)
			shares[fmt.Sprintf("n %v to %v", float64(k)*width, float64(k+1)*width)] = 0.9 * float64(2*k+1) / float64(cells*cells)
		}
		m, frequencies := pairedModel(t, columns, fmt.Sprintf(`{"pairs":"a*n","bins":%d,"pair-bins":4}`, bins), func(column, level string) float64 {
			return math.Sin(float64(17*len(column) + 5*len(level) + int(level[0])))
		}, func(column, level string) float64 { return 3 * shares[column+" "+level] })
		found := map[string]report.Shape{}
		for _, s := range shapes(m, bars{half: 0.1}, frequencies) {
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
				if i%2 == 0 { // the lower end of a place, whose number among cells is k
					k := float64(i / 2 * min(bins, cellPoints) / cellPoints)
					mean += p.Y * 0.9 * (2*k + 1) / float64(cellPoints*min(bins, cellPoints))
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
		for _, s := range shapes(m, bars{half: 0.1}, frequencies) {
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
	for _, s := range shapes(m, bars{}, nil) {
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
	if s := found["rooms"]; len(s.Knots) != cellPoints+1 || s.Points[1].X != s.Knots[1] || math.Abs(s.Knots[16]-9) > 1e-9 || found["latitude"].Knots != nil {
		t.Errorf("got the knots %v of a logarithmic scale", s.Knots)
	}
}
