package data

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const privateSchema = `dither-schema: 1
max-records: 1000
target: {column: y, levels: [no, yes]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  age: {bounds: private, range: [0, 1000]}
  pay: {bounds: private, missing: zero}
  fee: {bounds: private, range: [-8, 1e6], missing: drop}
  job: {levels: private, max-levels: 4}
  code: {levels: private, max-levels: 2, missing: zero}
  sex: {levels: [f, m]}
  size: {numeric: [-10, 1e6], bins: private, max-bins: 4, out-of-range: drop}
`

func parsedSchema(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := ParseSchema("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err = s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// learnedOf gives the private columns of privateSchema bounds and levels.
func learnedOf(t *testing.T, s *Schema) *Schema {
	t.Helper()
	var err error
	for _, b := range []struct {
		name         string
		lower, upper float64
	}{{"age", 17.5, 64}, {"pay", -0.5, 1024}, {"fee", 0, 0.25}} {
		if s, err = s.WithBounds(b.name, b.lower, b.upper); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = s.WithLevels("job", []string{"cook", "smith"}); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithLevels("code", nil); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithBins("size", []float64{-1, 0.5, 100}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestUnderIsReadingAgain reads a table with all kinds of cells under a private schema and applies
// a learned one. The values equal the table read under the learned schema, bit for bit.
func TestUnderIsReadingAgain(t *testing.T) {
	private := parsedSchema(t, privateSchema)
	learned := learnedOf(t, private)
	r := rand.New(rand.NewPCG(3, 5))
	var b strings.Builder
	b.WriteString("age,pay,fee,job,code,sex,size,y\n")
	texts := []string{"cook", "smith", " cook", "king", "?", "", "Cook", "1", "1.0", "x y"}
	for range 600 {
		numbers := []string{"", "word", "1e300", "-1e300", fmt.Sprint(2000 * (r.Float64() - 0.2)), fmt.Sprint(r.Float64()), "17.5", "64", "-0"}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%s,%v,%s\n", numbers[r.IntN(9)], numbers[r.IntN(9)], numbers[r.IntN(9)], texts[r.IntN(10)], texts[r.IntN(10)], []string{"f", "m", "?"}[r.IntN(3)], r.IntN(300)-20, []string{"no", "yes"}[r.IntN(2)])
	}
	read := func(s *Schema) *Dataset {
		d, err := ReadFrom(context.Background(), s, "t.csv", strings.NewReader(b.String()), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want, wide := read(learned), read(private)
	got, err := wide.Under(learned)
	if err != nil {
		t.Fatal(err)
	}
	if got.Records() != want.Records() || got.Records() < 300 || got.Schema() != learned {
		t.Fatalf("%d rows under the learned schema, want %d", got.Records(), want.Records())
	}
	for j := range want.features {
		for i, v := range want.Column(j) {
			if w := got.Column(j)[i]; math.Float32bits(v) != math.Float32bits(w) {
				t.Fatalf("column %q of row %d is %v, want %v", want.features[j].Name, i, w, v)
			}
		}
	}
	codes, levels, err := got.Group("job")
	if err != nil || !slices.Equal(levels, []string{"cook", "smith"}) || slices.Max(codes) != 2 || slices.Min(codes) != -1 {
		t.Errorf("the learned column has levels %q, %v, want those that were learned and codes up to 2", levels, err)
	}
	if again, err := want.Under(private); err != nil || again != want {
		t.Errorf("a data set without private columns is not itself under another schema: %v", err)
	}
	if _, err := wide.Under(parsedSchema(t, strings.Replace(privateSchema, "sex:", "gender:", 1))); err == nil {
		t.Error("a data set went under the schema of other columns")
	}
}

// TestPrivateWordsRoundTrip writes and reads a private and a learned schema.
func TestPrivateWordsRoundTrip(t *testing.T) {
	private := parsedSchema(t, privateSchema)
	for name, s := range map[string]*Schema{"private": private, "learned": learnedOf(t, private)} {
		text, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again := parsedSchema(t, string(text))
		second, err := again.YAML()
		if err != nil || !bytes.Equal(text, second) {
			t.Errorf("%s: %s\nbecame %s", name, text, second)
		}
		for j, c := range again.Features() {
			if was := s.Features()[j]; c.Learning != was.Learning || c.Lower != was.Lower || c.Upper != was.Upper || c.MaxLevels != was.MaxLevels || c.MaxBins != was.MaxBins || !slices.Equal(c.Bins, was.Bins) || !slices.Equal(c.Levels, was.Levels) || c.Slots() != was.Slots() || c.Fill != was.Fill {
				t.Errorf("%s: column %+v became %+v", name, was, c)
			}
		}
	}
	if pay := private.Features()[1]; pay.Lower != -DefaultRange || pay.Upper != DefaultRange {
		t.Errorf("the range of %+v was not declared, want ±%v", pay, DefaultRange)
	}
	if n := len(private.Private()); n != 6 || len(private.Learned()) != 0 || len(learnedOf(t, private).Learned()) != 6 {
		t.Errorf("%d columns are private, want 6 and later as many learned", n)
	}
}

// TestPrivateWordsAreRefused holds every combination without a meaning to its refusal.
func TestPrivateWordsAreRefused(t *testing.T) {
	for column, want := range map[string]string{
		"{bounds: private, bins: [1, 2]}":                                      "bins are declared with private bounds",
		"{bounds: private, out-of-range: drop}":                                "want clamp",
		"{bounds: private, out-of-range: as-missing}":                          "want clamp",
		"{bounds: [0, 1]}":                                                     "declared bounds are numeric",
		"{bounds: private, numeric: [0, 1]}":                                   "bounds: private alone",
		"{numeric: [0, 1], range: [0, 2]}":                                     "range is given without private bounds",
		"{bounds: private, range: [2, 1]}":                                     "lower < upper",
		"{bounds: private, range: [-1, 5], transform: log1p}":                  "lower bound of at least 0",
		"{bounds: private, learned: true}":                                     "learned",
		"{numeric: [0, 1], learned: false}":                                    "learned: true",
		"{bounds: private, bins: private, max-bins: 3}":                        "wide enough",
		"{numeric: [0, 1], bins: private}":                                     "max-bins",
		"{numeric: [0, 1], bins: private, max-bins: 0}":                        "a positive integer",
		"{numeric: [0, 1], bins: private, max-bins: 1}":                        "2 to 64",
		"{numeric: [0, 1], bins: private, max-bins: 65}":                       "2 to 64",
		"{numeric: [0, 1], max-bins: 3}":                                       "max-bins is given without private bins",
		"{numeric: [0, 1], bins: [0.2, 0.3], max-bins: 3}":                     "max-bins is given without private bins",
		"{numeric: [0, 1], bins: [0.2, 0.3, 0.4], max-bins: 3, learned: true}": "fewer than max-bins",
		"{levels: private}":                                                    "max-levels is 0",
		"{levels: private, max-levels: 70000}":                                 "max-levels is 70000",
		"{levels: private, max-levels: 3, unknown: zero}":                      "unknown: other",
		"{levels: private, max-levels: 3, unknown: drop}":                      "unknown: other",
		"{levels: [a, b], max-levels: 3}":                                      "max-levels is given for declared levels",
		"{levels: [a, b], max-levels: 1, learned: true}":                       "at most max-levels",
		"{levels: secret, max-levels: 3}":                                      "a list in brackets",
		"{text: {}, learned: true}":                                            "learned",
		"{bounds: private, levels: private, max-levels: 3}":                    "more than one",
		"{bounds: private, max-levels: 3, range: [0, 1]}":                      "max-levels",
		"{bounds: private, missing: zero, fill: 5, range: [0, 1]}":             "fill is 5",
	} {
		text := strings.Replace(privateSchema, "{bounds: private, range: [0, 1000]}", column, 1)
		s, err := ParseSchema("s.yaml", []byte(text))
		if err == nil {
			err = s.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
	s := parsedSchema(t, privateSchema)
	for name, failed := range map[string]error{
		"beyond the range": second(s.WithBounds("age", -1, 5)), "empty": second(s.WithBounds("age", 5, 5)), "of levels": second(s.WithBounds("job", 1, 5)), "NaN": second(s.WithBounds("age", math.NaN(), 5)),
		"declared": second(s.WithLevels("sex", []string{"a"})), "many": second(s.WithLevels("code", []string{"a", "b", "c"})), "twice": second(s.WithLevels("job", []string{"a", "a"})),
		"a mark": second(s.WithLevels("job", []string{"?"})), "cuts outside": second(s.WithBins("size", []float64{-10})), "cuts": second(s.WithBins("size", []float64{1, 2, 3, 4})), "cuts of bounds": second(s.WithBins("age", nil)), "bounds of cuts": second(s.WithBounds("size", 0, 1)),
		"nobody": second(s.WithLevels("nobody", nil)), "of numbers": second(s.WithLevels("age", nil)),
	} {
		if failed == nil {
			t.Errorf("%s: learned", name)
		}
	}
}

func second(_ *Schema, err error) error { return err }

// TestIsLevel says which texts can be learned.
func TestIsLevel(t *testing.T) {
	marks := MissingSet{"?": {}}
	for text, want := range map[string]bool{"a": true, "x y": true, "ä": true, "": false, "?": false, " a": false, "a\n": false, "a\x00b": false, "\xff": false,
		strings.Repeat("a", 200): true, strings.Repeat("a", 201): false} {
		if IsLevel(text, marks) != want {
			t.Errorf("%q can be a level: %v, want %v", text, !want, want)
		}
	}
}

// TestCheckTakesPrivateCells holds schema check to private columns: every text of a private column is as
// declared, and a number outside the range is not.
func TestCheckTakesPrivateCells(t *testing.T) {
	s := parsedSchema(t, privateSchema)
	job := s.Features()[3]
	if v, ok := job.Cell("anything", s.Marks()); v != 0 || !ok {
		t.Errorf("a text is stored as %v, %v, want 0 until levels are known", v, ok)
	}
	if state, _ := job.classify("anything", s.Marks(), nil); state != good {
		t.Errorf("a text of a private column is in state %v, want good", state)
	}
	if state, _ := job.classifyNumber(7, nil); state != good {
		t.Errorf("a number of a private column of levels is in state %v, want good", state)
	}
}
