package tabular

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

func TestPredictedLevel(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p    []float64
		want int
	}{
		{[]float64{0.5}, 0}, {[]float64{math.Nextafter(0.5, 1)}, 1}, {[]float64{nan}, -1},
		{[]float64{math.Nextafter(0.5, 0), 0.5}, 0}, {[]float64{0.4, 0.6}, 1}, {[]float64{0.4, nan}, -1},
		{[]float64{0.2, 0.4, 0.4}, 1}, {[]float64{0.4, 0.4, 0.2}, 0}, {[]float64{0.1, 0.2, 0.7}, 2}, {[]float64{nan, 0.2, 0.7}, -1},
	} {
		if got := predictedLevel(c.p, 0.5); got != c.want {
			t.Errorf("predictedLevel(%v): got %d, want %d", c.p, got, c.want)
		}
	}
}

func TestSQLiteTypes(t *testing.T) {
	for kind, want := range map[string]string{"bigint": "INTEGER", "INTEGER": "INTEGER", "TINYINT": "INTEGER", "double precision": "REAL", "REAL": "REAL", "numeric": "NUMERIC", "DECIMAL(10,2)": "NUMERIC", "DATE": "DATE", "interval": "TEXT", "boolean": "TEXT", "": "TEXT", "uuid": "TEXT"} {
		if got := sqliteType(kind); got != want {
			t.Errorf("%q: got %s, want %s", kind, got, want)
		}
	}
}

// TestOutputFields wants the types of columns, and no two columns of one name.
func TestOutputFields(t *testing.T) {
	s, err := data.ParseSchema("s", []byte("dither-schema: 1\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  x: {numeric: [0, 1], out-of-range: clamp, missing: zero}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []outputField{{"row", integerType}, {"id", "uuid"}, {"z", textType}, {"prediction", textType}, {"probability of a", doubleType}, {"probability of b", doubleType}}
	if got, err := fieldsOf(s.Target, []string{"id", "z"}, map[string]string{"id": "uuid"}); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, pass := range [][]string{{"row"}, {"prediction"}, {"id", "id"}, {"probability of a"}, {"Row"}} {
		if _, err := fieldsOf(s.Target, pass, nil); err == nil || !strings.Contains(err.Error(), "two columns") {
			t.Errorf("%q: got %v, want two columns refused", pass, err)
		}
	}
}
