package data_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// oddNumbers are texts of a column of numbers from -100 to 100, with the marks -99, 5.0 and "none": 1000 stands for a
// missing cell.
var oddNumbers = map[string]float32{
	"7": 7, "+7": 7, " 7 ": 7, "\u00a07\u2003": 7, "07": 7, "7.": 7, ".7": 0.7, "-.7": -0.7, "7e0": 7, "70E-1": 7, "7e+1": 70, "-0": 0, "1e-400": 0, "99999": 100, "-1e300": -100,
	"1_0": 1000, "0x7": 1000, "0x1p2": 1000, "0b1": 1000, "0o7": 1000, "inf": 1000, "-Infinity": 1000, "nan": 1000, "NaN": 1000, "1e400": 1000, "-1e400": 1000, "7,5": 1000, "7 5": 1000, "7f": 1000,
	"٧": 1000, "７": 1000, "−7": 1000, "e5": 1000, ".": 1000, "+": 1000, "7e": 1000, "--7": 1000, "$7": 1000, "7%": 1000, "true": 1000,
	"1970-01-08": 1000, "1970-01-01 00:00:07": 1000, "1970-01-01T00:00:07Z": 1000,
	"-99": 1000, "-99.0": 1000, "-99.00": 1000, "-9.9e1": 1000, "-099": 1000, "5": 1000, "5.0": 1000, "+5": 1000, "none": 1000, "": 1000, "-98.99": -98.99, "4": 4,
	strings.Repeat("0", 999) + "7": 7, strings.Repeat("0", 1000) + "7": 1000,
}

const oddSchema = `dither-schema: 1
max-records: 1000
missing-marks: ["-99", "5.0", none]
target: {column: y, levels: [a, b]}
columns:
  x: {numeric: [-100, 100], out-of-range: clamp, missing: indicator}
`

// TestNumbersOfTexts reads odd texts in a column of numbers, in every way that a text arrives.
func TestNumbersOfTexts(t *testing.T) {
	s, texts := mustSchema(t, oddSchema), []string(nil)
	for text := range oddNumbers {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	check := func(what, text string, v float32) {
		t.Helper()
		want := oddNumbers[text]
		if want == 1000 {
			want = nan
		}
		if !sameValues([]float32{v}, []float32{want}) {
			t.Errorf("%s: %.20q is %v, want %v", what, text, v, want)
		}
	}
	plain, quoted, lines := "x,y\n", "x,y\n", ""
	type record struct {
		X string `dither:"x"`
		Y string `dither:"y"`
	}
	var records []record
	c := s.Features()[0]
	for _, text := range texts {
		v, ok := c.Cell(text, s.Marks())
		if check("Cell", text, v); !ok {
			t.Errorf("%.20q drops the row", text)
		}
		cell := text
		if strings.Contains(cell, ",") {
			cell = `"` + cell + `"`
		}
		plain += cell + ",a\n"
		quoted += `"` + text + "\",a\n"
		lines += fmt.Sprintf("{\"x\": %q, \"y\": \"a\"}\n", text)
		records = append(records, record{text, "a"})
	}
	for name, text := range map[string]string{"plain.csv": plain, "quoted.csv": quoted, "t.jsonl": lines} {
		d, err := data.Read(context.Background(), s, data.Source{Path: writeFile(t, name, text)}, data.ReadOptions{})
		if err != nil || d.Records() != len(texts) {
			t.Fatalf("%s: got %v, want %d records", name, err, len(texts))
		}
		for i, v := range d.Column(0) {
			check(name, texts[i], v)
		}
	}
	d, err := data.FromStructs(s, records, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range d.Column(0) {
		check("structs", texts[i], v)
	}
}

// TestMarksAreNumbers: a number that is a missing mark is missing however it arrives.
func TestMarksAreNumbers(t *testing.T) {
	s := mustSchema(t, oddSchema)
	c := s.Features()[0]
	for v, want := range map[float64]float32{-99: nan, 5: nan, 4: 4, -98: -98, math.Inf(1): nan, 1e300: 100} {
		if got, ok := c.Number(v); !ok || !sameValues([]float32{got}, []float32{want}) {
			t.Errorf("Number(%v) is %v, %v, want %v", v, got, ok, want)
		}
	}
	type record struct {
		X float64 `dither:"x"`
		Y string  `dither:"y"`
	}
	d, err := data.FromStructs(s, []record{{-99, "a"}, {5, "a"}, {4, "b"}}, data.ReadOptions{})
	if err != nil || !sameValues(d.Column(0), []float32{nan, nan, 4}) {
		t.Errorf("structs: got %v, %v", d.Column(0), err)
	}
	sparse := mustSchema(t, strings.Replace(strings.Replace(oddSchema, "levels: [a, b]", `levels: ["0", "1"]`, 1), "5.0", "0.0", 1))
	d, err = data.Read(context.Background(), sparse, data.Source{Path: writeFile(t, "t.libsvm", "1 1:-99.0\n0 1:4\n1\n0 1:0e0\n0 1:-9.9e1\n")}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{nan, 4, nan, nan, nan} {
		if got := d.Row(nil, i); !sameValues(got, []float32{want}) {
			t.Errorf("LIBSVM: row %d is %v, want %v", i, got, want)
		}
	}
	array := npyFile(t, "x.npy", npy("<f8", "(4, 1)", []float64{-99, 5, 4, 7}))
	s = mustSchema(t, strings.Replace(oddSchema, "x:", "x0:", 1))
	d, err = data.Read(context.Background(), s, data.Source{Path: array}, data.ReadOptions{WithoutTarget: true})
	if err != nil || !sameValues(d.Column(0), []float32{nan, nan, 4, 7}) {
		t.Errorf("array: got %v, %v", d, err)
	}
}

// TestMarksAreMoments: a date that is a missing mark is missing in every form.
func TestMarksAreMoments(t *testing.T) {
	s := mustSchema(t, `dither-schema: 1
max-records: 9
missing-marks: ["1900-01-01", "2020-02-01T10:00:00+01"]
target: {column: y, levels: [a, b]}
columns:
  x: {date: {since: 1899-12-31, range: [0, 50000], parts: [month]}, out-of-range: clamp, missing: indicator}
`)
	for text, want := range map[string]float32{"1900-01-01": nan, "1900-01-01 00:00:00": nan, "1900-01-01T01:00:00+01:00": nan, "1899-12-31 23:59:59.9999999Z": 1, "1900-01-02": 2, "2020-02-01 09:00:00": nan, "2020-02-01": 43861} {
		for j, c := range s.Features() {
			if got, ok := c.Cell(text, s.Marks()); !ok || j == 0 && !sameValues([]float32{got}, []float32{want}) || j == 1 && (got != got) != (want != want) {
				t.Errorf("%s: %q is %v, want %v", c.Name, text, got, want)
			}
		}
	}
}

// TestDatesWhereNoKeyIs counts the days of dates, and the seconds of moments, in a target and in a related table: neither
// has the key date.
func TestDatesWhereNoKeyIs(t *testing.T) {
	ten := 10.0
	for text, want := range map[string]float32{"1970-01-12": 1, "1970-01-11": 0, "1970-01-01 00:00:11": 1, "11": 1} {
		target := data.Target{Levels: []string{"no", "yes"}, Threshold: &ten}
		if got, ok := target.Cell(text, (&data.Schema{}).Marks()); !ok || got != want {
			t.Errorf("target %q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	s := parsed(t, strings.Replace(joinedSchema, "cost: {numeric: [0, 10]}", "cost: {numeric: [0, 10000]}", 1))
	d, err := data.Read(context.Background(), s, joinedFiles(t, "person,age,ill\n1,10,no\n2,1970-01-11,yes\n", "patient,day,cost,ward,note\n1,1,1970-01-08,a,x\n1,2,1980-01-01,b,x\n"), data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if row := d.Row(nil, 0); row[3] != 7+3652 || row[5] != 7 { // the sum and the least of both days
		t.Errorf("got %v, want 3659 days and 7", row)
	}
	if age := d.Column(0); age[0] != 10 || age[1] == age[1] {
		t.Errorf("got ages %v, want 10 and a missing one", age)
	}
}
