package training

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// TestLevelsNamedAsMissing: a declared level called missing or other has a value and a name of its own, also in pairs and
// among coefficients.
func TestLevelsNamedAsMissing(t *testing.T) {
	s, err := data.ParseSchema("names", []byte(`dither-schema: 1
row: one person
max-records: 5000
target: {column: y, levels: [a, b]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  kind: {levels: [missing, other, p]}
  sort: {levels: [u, v]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, specs := range [][]feature.Spec{nil, {{Name: "interactions", Parameters: []byte(`{"pairs":"all"}`)}}} {
		chain, err := feature.NewPipeline(nil, s, specs...)
		if err != nil {
			t.Fatal(err)
		}
		f := &feature.Map{Pipeline: chain, Norm: feature.NormNone}
		weights := make([]float64, f.Dim())
		for j := range weights {
			weights[j] = float64(j * j)
		}
		m, err := model.New(s, f, model.Logistic, weights)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range shapes(m, bars{}, nil, preparation{}) {
			var names []string
			values := map[float64]bool{}
			for _, c := range shape.States {
				names, values[c.Value] = append(names, c.Feature), true
			}
			if shape.Name == "kind" && !slices.Equal(names, []string{"missing", "other", "p", "other (an unknown level)", "missing (no value)"}) {
				t.Errorf("got the states %q", names)
			}
			if shape.Pair == nil && len(values) != len(names) {
				t.Errorf("%s: states share values: %v", shape.Name, shape.States)
			}
			slices.Sort(names)
			if len(slices.Compact(names)) != len(shape.States) {
				t.Errorf("%s: states share names: %v", shape.Name, shape.States)
			}
		}
		seen := map[string]bool{}
		listed, _ := coefficients(m, bars{})
		for _, c := range listed {
			name := c.Feature + "=" + c.Level
			if seen[name] && !strings.Contains(c.Feature, "×") {
				t.Errorf("two coefficients are called %s", name)
			}
			seen[name] = true
		}
	}
}

// TestPartsOfLevelsNamedAsMissing: the part of a pair that belongs to a level called missing is no part of missing cells.
func TestPartsOfLevelsNamedAsMissing(t *testing.T) {
	places := []place{{name: "missing"}, {name: "p"}, {name: "missing", aside: true}}
	for k := range places {
		if got := nearest(places, &places[k], 0); got != k {
			t.Errorf("place %d is taken for %d", k, got)
		}
	}
}

// TestColumnsNamedAsPairs: a column called as a pair has its own features, and its name is quoted.
func TestColumnsNamedAsPairs(t *testing.T) {
	m, _ := pairedModel(t, "  a: {levels: [p, q]}\n  b: {levels: [p, q]}\n  \"a × b\": {levels: [p, q]}\n", `{"pairs":"a*b"}`,
		func(column, level string) float64 { return float64(len(level) * len(column)) }, func(string, string) float64 { return 0 })
	count := map[string]int{}
	for _, s := range shapes(m, bars{}, nil, preparation{}) {
		count[s.Name] = len(s.States)
	}
	if want := map[string]int{"a": 2, "b": 2, "a × b": 4, `"a × b"`: 2}; fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("got the shapes %v, want %v", count, want)
	}
}

// TestSidesOfIntegers: few integers are states of a map, and many are ranges in order, of which none is left out. No label is
// -0.
func TestSidesOfIntegers(t *testing.T) {
	for upper, states := range map[int]bool{7: true, 30: false} {
		m, _ := pairedModel(t, fmt.Sprintf("  longitude: {numeric: [0, %d], integer: true}\n  latitude: {numeric: [0, %d], integer: true}\n", upper, upper), `{"pairs":"none","coordinates":"longitude*latitude","coordinate-bins":32}`,
			func(_, level string) float64 { return float64(len(level)) }, func(string, string) float64 { return 0 })
		i := slices.IndexFunc(shapes(m, bars{}, nil, preparation{}), func(s report.Shape) bool { return s.Pair != nil })
		if i < 0 {
			t.Fatal("there is no map")
		}
		side := shapes(m, bars{}, nil, preparation{})[i].Pair.Across
		if len(side.States) != upper+1 || side.States[0] != "0" || (side.Ends == nil) != states {
			t.Errorf("up to %d: got %+v", upper, side)
		}
		if !states && (len(side.Ends) != upper+2 || side.Ends[0] != 0 || side.Ends[upper] != float64(upper) || !slices.IsSorted(side.Ends)) {
			t.Errorf("up to %d: got the ends %v", upper, side.Ends)
		}
	}
}
