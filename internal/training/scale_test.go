package training

import (
	"fmt"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestHalfLogarithms wants half-logarithmic bins of numbers with a wide declared range.
func TestHalfLogarithms(t *testing.T) {
	for form, want := range map[string]bool{
		"{numeric: [0, 10000]}":                          true,
		"{numeric: [0, 9999]}":                           false,
		"{numeric: [20, 20000], integer: true}":          true,
		"{numeric: [20.1, 20000]}":                       false,
		"{numeric: [-1, 100000]}":                        false,
		"{numeric: [0, 100000], transform: log1p}":       false,
		"{numeric: [0, 100000], transform: none}":        true,
		"{numeric: [0, 100000], bins: [5, 50]}":          false,
		"{date: {since: 1930-01-01, range: [0, 29584]}}": false,
		"{levels: [a, b, c], ordered: true}":             false,
		"{numeric: [0, 100000], missing: indicator}":     true,
		"{bounds: private, range: [0, 1000000]}":         false,
	} {
		s, err := data.ParseSchema("wide.yaml", fmt.Appendf(nil, "dither-schema: 1\nrow: one house\nmax-records: 9\ntarget: {column: y, bounds: [0, 1]}\ndefaults: {missing: zero, out-of-range: clamp, unknown: zero}\ncolumns:\n  northing: %s\n  x: {numeric: [0, 1]}\n", form))
		if err != nil {
			t.Fatal(err)
		}
		if got := withHalfLogarithms(s, resolution{pairBins: 4}); len(got.halfLogarithmic) > 0 != want || got.pairBins != 4 {
			t.Errorf("%s: got %+v, want half-logarithmic bins %v", form, got, want)
		}
	}
}
