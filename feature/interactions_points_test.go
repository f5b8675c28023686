package feature

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestPoints compares the cells of points with those that follow from the declarations: age lies from 10 to
// 30 with missing cells, pay from 0 to 1.7183 on a scale of logarithms. Cells of the pair are not repeated.
func TestPoints(t *testing.T) {
	c, err := crossed("interactions:pairs=age*pay,bins=4,pair-bins=4,coordinates=age*pay,coordinate-bins=16")
	if err != nil {
		t.Fatal(err)
	}
	// age 2+4 bins and missing, pay 2+4, hours 4, job 4, site 1; cells of 4, 8 and 16 bins, and missing ages
	if want := 7 + 6 + 4 + 4 + 1 + 5*4 + 9*8 + 17*16; c.Dim() != want {
		t.Fatalf("got %d features, want %d", c.Dim(), want)
	}
	names, x, s := c.Names(), make([]float64, c.Dim()), c.NewScratch()
	for name, row := range map[string]struct {
		age, pay float32
		want     []string
	}{
		"inside":  {12, 0, []string{"10 to 15, 0 to 0.28403", "10 to 12.5, 0 to 0.13315", "11.25 to 12.5, 0 to 0.064494"}},
		"clamped": {-5, 99, []string{"10 to 15, 1.117 to 1.7183", "10 to 12.5, 1.3989 to 1.7183", "10 to 11.25, 1.5536 to 1.7183"}},
		"missing": {nan, 0, []string{"missing, 0 to 0.28403", "missing, 0 to 0.13315", "missing, 0 to 0.064494"}},
	} {
		c.features(x, []float32{row.age, row.pay, 10, 0, 0}, s)
		var got []string
		for j, v := range x {
			if names[j].Column != "age × pay" || v == 0 {
				continue
			}
			if got = append(got, names[j].Level); v != map[bool]float64{true: pairWeight, false: pointWeight}[len(got) == 1] || v != names[j].Cell.Value {
				t.Errorf("%s: %s is %v, and its name says %v", name, names[j].Level, v, names[j].Cell.Value)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
	if again, err := NewPipeline(nil, schema(), c.Specs()...); err != nil || !slices.Equal(again.Names(), names) {
		t.Errorf("the specification %s makes other features (%v)", c.Specs()[0].Parameters, err)
	}
}

// TestPointsChangeNothingElse wants the same features before those of points, hashed or not, and cells
// of points that are never hashed. Without coordinates a specification has no words of them.
func TestPointsChangeNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for _, text := range []string{"interactions:pairs=all", "interactions:pairs=none", "interactions:pairs=all,buckets=32,pair-bins=8"} {
		plain, err := crossed(text)
		if err != nil {
			t.Fatal(err)
		}
		pointed, err := crossed(text + ",coordinates=pay*age")
		if err != nil {
			t.Fatal(err)
		}
		if parameters := string(plain.Specs()[0].Parameters); strings.Contains(parameters, "coordinate") {
			t.Errorf("%s: got %s", text, parameters)
		}
		if names := pointed.Names(); !slices.Equal(names[:plain.Dim()], plain.Names()) || len(names) == plain.Dim() {
			t.Errorf("%s: the features before are other ones, or there is none of points", text)
		}
		x, y, s, q := make([]float64, plain.Dim()), make([]float64, pointed.Dim()), plain.NewScratch(), pointed.NewScratch()
		for range 200 {
			v := randomValues(r)
			plain.features(x, v, s)
			if pointed.features(y, v, q); !slices.Equal(x, y[:len(x)]) {
				t.Fatalf("%s: got %v, want %v", text, y[:len(x)], x)
			}
			for _, w := range y[len(x):] {
				if w != 0 && w != pointWeight {
					t.Fatalf("%s: a cell of points is %v", text, w)
				}
			}
		}
	}
}

// TestPointsRefuse wants errors that say what to do.
func TestPointsRefuse(t *testing.T) {
	for text, words := range map[string]string{
		"interactions:coordinate-bins=32":                                            "without coordinates",
		"interactions:coordinate-weight=2":                                           "without coordinates",
		"interactions:coordinates=age*pay,coordinate-bins=48":                        "coordinate-bins is 48, want a power of two",
		"interactions:coordinates=age*pay,coordinate-bins=512":                       "at most 256",
		"interactions:coordinates=age*pay,coordinate-weight=5":                       "coordinate-weight is 5",
		"interactions:coordinates=age*pay,coordinate-weight=-1":                      "coordinate-weight is -1",
		"interactions:coordinates=age*job":                                           "coordinates are age*job, want two columns of numbers",
		"interactions:coordinates=age*hours":                                         "coordinates are age*hours, want two columns of numbers without declared bins",
		"interactions:coordinates=age*town":                                          `coordinates: column "town" is not there`,
		"interactions:coordinates=age*pay+pay*age":                                   "coordinates: pair pay*age is given twice",
		"interactions:coordinates=age*pay,coordinate-bins=2":                         "coordinates are age*pay with at most 2 bins of a column, want at least 4, or they have no cells; give coordinate-bins=4 or more",
		"interactions:pairs=all,pair-bins=16,coordinates=pay*age,coordinate-bins=16": "coordinates are pay*age with at most 16 bins of a column, want at least 32, or they have no cells; give coordinate-bins=32 or more",
		"interactions:coordinates=age*pay,bins=1024,pair-bins=2,place=none":          "unknown field",
	} {
		if _, err := crossed(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", text, err, words)
		}
	}
}

// TestPointsOfFewIntegersRefuse wants an error for coordinates of integers without finer cells than their pair, and cells
// where one of the columns has them. A specification of a saved model is read in any case.
func TestPointsOfFewIntegersRefuse(t *testing.T) {
	for _, c := range []struct {
		high, bins int
		want       string
	}{
		{3, 4, "coordinates are row*place with at most 4 bins of a column, want at least 8, or they have no cells; leave them out, since the columns are integers with few values"},
		{3, 2, ""},
		{7, 4, ""},
	} {
		text := fmt.Sprintf("dither-schema: 1\nrow: one seat\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  row: {numeric: [0, %d], integer: true, missing: zero, out-of-range: clamp}\n  place: {numeric: [1, 4], integer: true, missing: zero, out-of-range: clamp}\n", c.high)
		s, err := data.ParseSchema("seats.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		spec, err := ParseSpec(fmt.Sprintf("interactions:pairs=all,pair-bins=%d,coordinates=row*place", c.bins))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = NewPipeline(ReadFile, s, spec); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("integers up to %d and %d bins in pairs: got error %v, want %q", c.high, c.bins, err, c.want)
		}
		saved := fmt.Sprintf(`{"pairs":"all","bins":16,"pair-bins":%d,"weight":0.5,"buckets":16384,"coordinates":[["row","place"]],"coordinate-bins":64,"coordinate-weight":1.5}`, c.bins)
		if _, err = NewPipeline(ReadFile, s, Spec{Name: "interactions", Parameters: []byte(saved)}); err != nil {
			t.Errorf("a saved model with integers up to %d and %d bins in pairs: %v", c.high, c.bins, err)
		}
		if spec, err = ParseSpec(fmt.Sprintf("interactions:pairs=all,bins=16,pair-bins=%d,weight=0.5,buckets=16384,coordinates=row*place,coordinate-bins=64,coordinate-weight=1.5", c.bins)); err != nil {
			t.Fatal(err)
		}
		if _, err = NewPipeline(ReadFile, s, spec); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("integers up to %d and %d bins in pairs, all keys given: got error %v, want %q", c.high, c.bins, err, c.want)
		}
	}
}
