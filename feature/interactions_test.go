package feature

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// TestInteractions compares the features of single rows with those that follow from the declarations:
// inside and on the edge of bins, clamped, missing with and without an indicator, unknown.
func TestInteractions(t *testing.T) {
	c, err := crossed("interactions:pairs=age*site+pay*job,bins=4,pair-bins=4,weight=0.25")
	if err != nil {
		t.Fatal(err)
	}
	// age 2+4 bins and missing, pay 2+4 bins, hours 4, job 4, site 1; 5·1 and 4·4 cells of pairs
	if want := 7 + 6 + 4 + 4 + 1 + 5 + 16; c.Dim() != want {
		t.Fatalf("got %d features, want %d", c.Dim(), want)
	}
	names, x, s := c.Names(), make([]float64, c.Dim()), c.NewScratch()
	for _, row := range []struct {
		name   string
		values []float32
		want   []string
	}{
		{"inside", []float32{12, 0, 10, 0, 0}, []string{"age = 10 to 20", "age = 10 to 15", "pay = 0 to 0.64872", "pay = 0 to 0.28403", "hours = under 20", "job = a", "site = x", "age × site = 10 to 15, x", "pay × job = 0 to 0.28403, a"}},
		{"on an edge", []float32{20, 0.7, 10, 1, 0}, []string{"age = 20 to 30", "age = 20 to 25", "pay = 0.64872 to 1.7183", "pay = 0.64872 to 1.117", "hours = under 20", "job = b", "site = x", "age × site = 20 to 25, x", "pay × job = 0.64872 to 1.117, b"}},
		{"clamped", []float32{-5, 99, 10, 2, 0}, []string{"age = 10 to 20", "age = 10 to 15", "pay = 0.64872 to 1.7183", "pay = 1.117 to 1.7183", "hours = under 20", "job = other", "site = x", "age × site = 10 to 15, x", "pay × job = 1.117 to 1.7183, other"}},
		{"missing", []float32{nan, nan, nan, nan, 0}, []string{"age = missing", "pay = 0.64872 to 1.7183", "pay = 0.64872 to 1.117", "hours = missing", "job = missing", "site = x", "age × site = missing, x", "pay × job = 0.64872 to 1.117, missing"}},
		{"unknown", []float32{30, 0, 50, 1, 1}, []string{"age = 20 to 30", "age = 25 to 30", "pay = 0 to 0.64872", "pay = 0 to 0.28403", "hours = 40 and over", "job = b", "pay × job = 0 to 0.28403, b"}},
	} {
		c.features(x, row.values, s)
		var got []string
		for j, v := range x {
			want := 1.0
			if strings.Contains(names[j].Column, "×") {
				want = 0.25
			}
			if v != 0 {
				got = append(got, names[j].String())
			}
			if v != 0 && v != want {
				t.Errorf("%s: %v is %v, want %v", row.name, names[j], v, want)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q\nwant %q", row.name, got, row.want)
		}
	}
}

// TestInteractionsEntries compares the entries of random rows with what Apply writes, with and without
// hashing, and holds the bounds.
func TestInteractionsEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, text := range []string{"interactions:pairs=none", "interactions:pairs=all", "interactions:pairs=all,buckets=4,weight=1", "interactions:pairs=all,buckets=32,pair-bins=64", "interactions:pairs=all,coordinates=age*pay", "interactions:pairs=all,buckets=32,coordinates=pay*age,coordinate-bins=8"} {
		c, err := crossed(text)
		if err != nil {
			t.Fatal(err)
		}
		of, most := c.Entries()
		bound, signed := c.Bound()
		if !signed || !c.Transforms() {
			t.Errorf("%s: features are unsigned or one number", text)
		}
		want, got, s, largest := make([]float64, c.Dim()), make([]float64, c.Dim()), c.NewScratch(), 0.0
		for range 500 {
			v := randomValues(r)
			c.features(want, v, s)
			index, x := of(v, []uint32{9}, []float64{9})
			index, x = index[1:], x[1:]
			clear(got)
			for k, j := range index {
				if got[j] = x[k]; x[k] == 0 || k > 0 && j <= index[k-1] {
					t.Fatalf("%s: entries %v %v, want them ascending and not 0", text, index, x)
				}
			}
			if !slices.Equal(got, want) || len(index) > most {
				t.Fatalf("%s: got %v of at most %d, want %v", text, got, most, want)
			}
			largest = max(largest, largestMagnitude(want))
		}
		if largest > bound || largest < 1 {
			t.Errorf("%s: the largest magnitude is %v, want at least 1 and at most %v", text, largest, bound)
		}
	}
}

// TestInteractionsAuto wants finer bins for more records and coarser bins for more numbers, and all pairs if
// there are at most 300, all in the specification, which makes the same features again.
func TestInteractionsAuto(t *testing.T) {
	for _, of := range []struct {
		width, records int
		number         bool
		want           string
	}{
		{3, 10, false, `{"pairs":"all","bins":2,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{3, 350, false, `{"pairs":"all","bins":64,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{5, 50000, false, `{"pairs":"all","bins":1024,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{5, 25599, false, `{"pairs":"all","bins":512,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{5, 25600, false, `{"pairs":"all","bins":1024,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{24, 50000, false, `{"pairs":"all","bins":16,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{26, 50000, false, `{"pairs":"none","bins":8,"pair-bins":2,"weight":0.5,"buckets":16384}`},
		{8, 30000, true, `{"pairs":"all","bins":64,"pair-bins":8,"weight":0.5,"buckets":16384}`},
		{24, 1000000, true, `{"pairs":"all","bins":64,"pair-bins":8,"weight":0.5,"buckets":16384}`},
		{26, 1000000, true, `{"pairs":"none","bins":64,"pair-bins":8,"weight":0.5,"buckets":16384}`},
	} {
		width, want, s := of.width, of.want, pixels(t, of.width)
		if s.MaxRecords = of.records; of.number {
			s.Target = data.Target{Column: "y", Lower: 0, Upper: 1}
		}
		c, failed := NewPipeline(nil, s, Spec{Name: "interactions"})
		if failed != nil {
			t.Fatal(failed)
		}
		if got := string(c.Specs()[0].Parameters); got != want {
			t.Errorf("%d columns: got %s, want %s", width, got, want)
		}
		again, err := NewPipeline(nil, s, c.Specs()...)
		if err != nil || !slices.Equal(again.Names(), c.Names()) {
			t.Errorf("%d columns: the specification makes other features, error %v", width, err)
		}
	}
	named, err := crossed("interactions:pairs=job*age")
	if err != nil || !strings.Contains(string(named.Specs()[0].Parameters), `"pairs":[["job","age"]]`) {
		t.Errorf("got specification %s, error %v, want the pair in it", named.Specs()[0].Parameters, err)
	}
}

// TestInteractionsHash holds buckets to their numbers: a model file depends on them.
func TestInteractionsHash(t *testing.T) {
	c, err := crossed("interactions:pairs=age*job,bins=2,pair-bins=2,buckets=4")
	if err != nil {
		t.Fatal(err)
	}
	f, got := c.transforms[0].(*interactions), []uint32{}
	for cell := range 12 {
		got = append(got, f.signed(cell)-uint32(2*f.pairsAt))
	}
	if want := []uint32{4, 7, 7, 2, 7, 3, 0, 1, 7, 2, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestInteractionsKeepTexts passes the buckets of a text.
func TestInteractionsKeepTexts(t *testing.T) {
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero},
		{Name: "note", Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: 256, NGrams: 1, StopWords: "none", Values: "logarithm"}},
		{Name: "job", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Zero, Missing: data.Zero},
	}}
	c, err := NewPipeline(nil, s, Spec{"interactions", json.RawMessage(`{"pairs": "all", "bins": 2, "pair-bins": 2}`)})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 258)
	values[0], values[1+17], values[257] = 0.75, -0.5, 1
	x := make([]float64, c.Dim())
	c.features(x, values, c.NewScratch())
	if x[2+17] != -0.5 || x[1] != 1 || c.Names()[2+17] != (encoder.Name{Column: "note", Level: "bucket 17"}) || c.Dim() != 2+256+2+2*2 || math.Abs(x[c.Dim()-1]) != pairWeight {
		t.Errorf("got %v", x)
	}
	if _, err = NewPipeline(nil, s, Spec{"interactions", json.RawMessage(`{"pairs": [["age", "note"]]}`)}); err == nil || !strings.Contains(err.Error(), "want two of age, job") {
		t.Errorf("a pair with a text: got error %v", err)
	}
}

// TestInteractionsRefuse wants errors that say what to do.
func TestInteractionsRefuse(t *testing.T) {
	for text, words := range map[string]string{
		"interactions:pairs=age*town":           `column "town" is not there to be paired, want two of age, pay, hours, job, site`,
		"interactions:pairs=age*note":           `column "note" is not there to be paired`,
		"interactions:pairs=age*age":            "want two different columns",
		"interactions:pairs=age":                "want two different columns",
		"interactions:pairs=age*job*pay":        "want two different columns",
		"interactions:pairs=age*job+job*age":    "given twice",
		"interactions:bins=3":                   "want powers of two",
		"interactions:bins=2048":                "want powers of two",
		"interactions:pair-bins=128":            "want powers of two",
		"interactions:weight=2":                 "weight is 2",
		"interactions:weight=-1":                "weight is -1",
		"interactions:buckets=1000":             "buckets is 1000",
		"interactions:pairs=none,resolution=12": "unknown field",
		"interactions:logarithmic=pay":          "want half-logarithmic, for the mean of the linear and the logarithmic scale; train again",
		"interactions:logarithmic=pay,bins=x":   "want half-logarithmic",
		"interactions:bins=logarithmic":         "cannot unmarshal string",
	} {
		if _, err := crossed(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", text, err, words)
		}
	}
	if _, err := NewPipeline(nil, pixels(t, 4), Spec{"groupnorm", []byte(`{"groups": 2}`)}, Spec{Name: "interactions"}); err == nil || !strings.Contains(err.Error(), "behind another transform") {
		t.Errorf("behind another transform: got error %v", err)
	}
}

// TestStatesAreAside wants unknown levels, missing cells and places that no learned level or bin takes apart from levels and
// bins, alone and in pairs.
func TestStatesAreAside(t *testing.T) {
	level := data.Column{Name: "own", Kind: data.Categorical, Levels: []string{"a", "b"}, Unknown: data.Other, Missing: data.Indicator}
	learned, named := level, level
	learned.Learning, learned.MaxLevels = data.Learned, 5
	named.Learning, named.MaxLevels, named.Levels = data.Learned, 3, []string{"unused 1", "other"}
	for _, c := range []struct {
		name   string
		column data.Column
		want   string // each state and its name aside
	}{
		{"declared levels", level, "a= b= other=other missing=missing"},
		{"learned levels", learned, "a= b= other=other unused 1=unused 1 unused 2=unused 2 unused 3=unused 3 missing=missing"},
		{"learned levels with names of places", named, "unused 1= other= other=other unused 1=unused 1 missing=missing"},
		{"learned bins", data.Column{Name: "own", Kind: data.Numeric, Upper: 9, Bins: []float64{2}, MaxBins: 4, Learning: data.Learned, OutOfRange: data.Clamp, Missing: data.Indicator},
			"under 2= 2 and over= unused 1=unused 1 unused 2=unused 2 missing=missing"},
	} {
		s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
			c.column, {Name: "old", Kind: data.Numeric, Upper: 9, OutOfRange: data.Clamp, Missing: data.Zero}}}
		chain, err := NewPipeline(nil, s, Spec{"interactions", []byte(`{"pairs": "all", "bins": 4}`)})
		if err != nil {
			t.Fatal(err)
		}
		var got, aside []string
		pairs := 0
		for _, n := range chain.Names() {
			switch n.Cell.Columns {
			case [2]string{"own"}:
				got, aside = append(got, n.Level+"="+n.Cell.Aside[0]), append(aside, n.Cell.Aside[0])
			case [2]string{"own", "old"}:
				if pairs++; n.Cell.Aside != [2]string{aside[n.Cell.States[0]]} {
					t.Errorf("%s: %v is beside %q, want %q", c.name, n, n.Cell.Aside, aside[n.Cell.States[0]])
				}
			}
		}
		if text := strings.Join(got, " "); text != c.want || pairs == 0 {
			t.Errorf("%s: got %s and %d cells of the pair, want %s", c.name, text, pairs, c.want)
		}
	}
}
