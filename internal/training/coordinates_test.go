package training

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

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
