package training

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestLogarithms wants logarithmic bins of numbers with a wide declared range, which are no coordinates.
func TestLogarithms(t *testing.T) {
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
	} {
		s, err := data.ParseSchema("wide.yaml", fmt.Appendf(nil, "dither-schema: 1\nrow: one house\nmax-records: 9\ntarget: {column: y, bounds: [0, 1]}\ndefaults: {missing: zero, out-of-range: clamp, unknown: zero}\ncolumns:\n  northing: %s\n  x: {numeric: [0, 1]}\n", form))
		if err != nil {
			t.Fatal(err)
		}
		if got := withLogarithms(s, resolution{pairBins: 4}); len(got.logarithmic) > 0 != want || got.pairBins != 4 {
			t.Errorf("%s: got %+v, want logarithms %v", form, got, want)
		}
		if got := withLogarithms(s, resolution{coordinates: [][]string{{"easting", "northing"}}}); got.logarithmic != nil {
			t.Errorf("%s as a coordinate: got %+v", form, got)
		}
	}
}

// TestCoordinatesOf finds points by the names of numbers alone.
func TestCoordinatesOf(t *testing.T) {
	const number = "{numeric: [-90, 90]}"
	for _, c := range []struct{ columns, want string }{
		{"longitude and latitude", "longitude*latitude"},
		{"LAT and size and LON", "LON*LAT"},
		{"pickup_latitude and pickup_longitude and dropoffLng and dropoffLat", "pickup_longitude*pickup_latitude dropoffLng*dropoffLat"},
		{"Easting_1 and Northing_1", "Easting_1*Northing_1"},
		{"lat1 and lon1 and lat2 and lon2", "lon1*lat1 lon2*lat2"},
		{"lat1 and lon1 and lat2 and lon2 and lat3 and lon3", ""},
		{"lat1 and lon2", ""},
		{"lat and lon and longitude", ""},
		{"longitude and easting", ""},
		{"flat and salon", ""},
		{"latitude", ""},
		{"home_lat and work_lon", ""},
		{"lat and longs", ""},
		{"lat and lon: {levels: [a, b]}", ""},
		{"lat and lon: {levels: [a, b, c], ordered: true}", ""},
		{"lat and lon: {numeric: [0, 9], bins: [3]}", ""},
		{"lat and lon: ignore", ""},
	} {
		text := "dither-schema: 1\nrow: one house\nmax-records: 9\ntarget: {column: y, bounds: [0, 1]}\ndefaults: {missing: zero, out-of-range: clamp, unknown: zero}\ncolumns:\n  x: {numeric: [0, 1]}\n"
		for _, column := range strings.Split(c.columns, " and ") {
			name, form, given := strings.Cut(column, ": ")
			if !given {
				form = number
			}
			text += fmt.Sprintf("  %q: %s\n", name, form)
		}
		s, err := data.ParseSchema("places.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, pair := range coordinatesOf(s) {
			got = append(got, strings.Join(pair, "*"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.columns, got, c.want)
		}
	}
}
