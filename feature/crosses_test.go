package feature

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/encoder"
)

// crossed makes a chain over the schema of the encoder's tests.
func crossed(text string) (*Pipeline, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return nil, err
	}
	return NewPipeline(nil, schema(), spec)
}

// TestCrosses compares every product with that of the features that its name names.
func TestCrosses(t *testing.T) {
	c, err := crossed("crosses:columns=age*job+pay*hours*site+job*age*pay")
	if err != nil {
		t.Fatal(err)
	}
	// age 2, pay 1, hours 4, job 4, site 1 features
	in := c.Encoder().Dim()
	if want := in + 2*4 + 1*4*1 + 4*2*1; c.Dim() != want {
		t.Fatalf("got %d features, want %d", c.Dim(), want)
	}
	names := c.Names()
	at := func(column, level string) int {
		i := slices.IndexFunc(names, func(n encoder.Name) bool { return n.Column == column && n.Level == level })
		if i < 0 {
			t.Fatalf("there is no feature %q = %q in %v", column, level, names)
		}
		return i
	}
	age, ageMissing, pay, b, hours, site := at("age", ""), at("age", "missing"), at("pay", ""), at("job", "b"), at("hours", "20 to 40"), at("site", "x")
	products := map[int][]int{
		at("age × job", "b"):                      {age, b},
		at("age × job", "missing, b"):             {ageMissing, b},
		at("pay × hours × site", "20 to 40, x"):   {pay, hours, site},
		at("job × age × pay", "b"):                {b, age, pay},
		at("job × age × pay", "missing, missing"): {at("job", "missing"), ageMissing, pay},
	}
	if got := names[at("age × job", "b")].String(); got != "age × job = b" {
		t.Errorf("got name %q", got)
	}
	r := rand.New(rand.NewPCG(97, 98))
	x, plain, s, nonzero := make([]float64, c.Dim()), make([]float64, in), c.NewScratch(), 0
	for range 200 {
		v := randomValues(r)
		c.features(x, v, s)
		c.Encoder().Encode(plain, v)
		if !slices.Equal(x[:in], plain) {
			t.Fatalf("the features before are %v, want %v", x[:in], plain)
		}
		for k, factors := range products {
			want := 1.0
			for _, f := range factors {
				want *= plain[f]
			}
			if x[k] != want {
				t.Fatalf("%v is %v, want %v", names[k], x[k], want)
			}
			if want != 0 {
				nonzero++
			}
		}
	}
	if nonzero < 30 {
		t.Errorf("got %d products other than 0: the test is idle", nonzero)
	}
}

// TestCrossesBound wants the bound to hold for factors below and above 1.
func TestCrossesBound(t *testing.T) {
	c, err := crossed("crosses:columns=age*job+pay*hours*site")
	if err != nil {
		t.Fatal(err)
	}
	f := c.transforms[0].(*crosses)
	for in, want := range map[float64]float64{1: 1, 0.5: 0.5, 3: 27} {
		if got := f.Bound(in); got != want {
			t.Errorf("bound after %v: got %v, want %v", in, got, want)
		}
		x, dst := slices.Repeat([]float64{-in}, f.In()), make([]float64, f.Out())
		f.Apply(dst, x, nil)
		if largestMagnitude(dst) != want {
			t.Errorf("numbers of %v: got at most %v, want %v", in, largestMagnitude(dst), want)
		}
	}
}

// TestCrossesTwice crosses what a cross made.
func TestCrossesTwice(t *testing.T) {
	c, err := NewPipeline(nil, schema(), Spec{"crosses", []byte(`{"columns": [["age", "job"]]}`)}, Spec{"crosses", []byte(`{"columns": [["age × job", "site"]]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if name := c.Names()[c.Dim()-1].String(); name != "age × job × site = missing, missing, x" {
		t.Errorf("got name %q", name)
	}
}

// TestNewCrossesRefuses wants clear errors.
func TestNewCrossesRefuses(t *testing.T) {
	for text, words := range map[string]string{
		"crosses":                          "no columns are given",
		"crosses:columns=age":              "a cross is of 1 columns, want two or three",
		"crosses:columns=age*job*pay*site": "a cross is of 4 columns",
		"crosses:columns=age*age":          "crossed with itself",
		"crosses:columns=age*note":         "column \"note\" has no features",
		"crosses:columns=age*job+job*age":  "crossed twice",
		"crosses:columns=age*job,degree=2": "unknown field",
		"crosses:columns=3":                "parameters",
	} {
		if _, err := crossed(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", text, err, words)
		}
	}
}

// TestNamesBetweenBlanks wants blanks around the names of columns to change nothing, in any transform.
func TestNamesBetweenBlanks(t *testing.T) {
	for spaced, plain := range map[string]string{
		"crosses:columns= age *job + pay* hours\t* site":         "crosses:columns=age*job+pay*hours*site",
		"interactions:pairs= age * site + pay *job,bins=4":       "interactions:pairs=age*site+pay*job,bins=4",
		"interactions:coordinates=age * pay":                     "interactions:coordinates=age*pay",
		"interactions:pairs=none,half-logarithmic= age ,bins=16": "interactions:pairs=none,half-logarithmic=age,bins=16",
	} {
		got, err := crossed(spaced)
		want, failed := crossed(plain)
		if err != nil || failed != nil || !slices.Equal(got.Names(), want.Names()) {
			t.Errorf("%q: got %v, error %v, want the transforms of %q, error %v", spaced, got, err, plain, failed)
		}
	}
	if _, err := NewPipeline(nil, schema(), Spec{"interactions", []byte(`{"pairs": [["age ", "job"]]}`)}); err == nil || !strings.Contains(err.Error(), `column "age " is not there`) {
		t.Errorf("a name in a list: got error %v, want one, since lists have names as they are", err)
	}
}
