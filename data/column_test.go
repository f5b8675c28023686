package data_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

var dropped = float32(math.Inf(1)) // in these tables: the row is to be dropped

// treated returns what a cell becomes, dropped for ok == false.
func treated(v float32, ok bool) float32 {
	if !ok {
		return dropped
	}
	return v
}

// numeric is a column from 0 to 10 under the given treatments.
func numeric(outOfRange, missing data.Treatment) data.Column {
	return data.Column{Name: "n", Kind: data.Numeric, Upper: 10, OutOfRange: outOfRange, Missing: missing}
}

// categorical is a column of the levels a, b and 1 under the given treatments.
func categorical(unknown, missing data.Treatment) data.Column {
	return data.Column{Name: "c", Kind: data.Categorical, Levels: []string{"a", "b", "1"}, Unknown: unknown, Missing: missing}
}

// TestColumnCells puts every kind of cell under every treatment.
func TestColumnCells(t *testing.T) {
	marks := (&data.Schema{}).Marks()
	cases := []struct {
		name   string
		column data.Column
		cells  map[string]float32
	}{
		{"numeric, clamp, indicator", numeric(data.Clamp, data.Indicator), map[string]float32{
			"0": 0, "10": 10, " 2.5\t": 2.5, "1e1": 10, "-1": 0, "11": 10, "1e300": 10, "-1e300": 0, "1e400": nan, "Inf": nan, "-inf": nan, "nan": nan,
			"": nan, "  ": nan, "?": nan, "NA": nan, "NULL": nan, "ten": nan, "1,5": nan, "5 years": nan, "0x": nan, "٣": nan}},
		{"numeric, clamp, zero", numeric(data.Clamp, data.Zero), map[string]float32{"": nan, "ten": nan, "11": 10, "3": 3}},
		{"numeric, clamp, drop", numeric(data.Clamp, data.Drop), map[string]float32{"": dropped, "ten": dropped, "NaN": dropped, "Inf": dropped, "11": 10, "3": 3}},
		{"numeric, drop, indicator", numeric(data.Drop, data.Indicator), map[string]float32{"": nan, "ten": nan, "-0.001": dropped, "11": dropped, "10": 10, "0": 0}},
		{"numeric, as missing, indicator", numeric(data.AsMissing, data.Indicator), map[string]float32{"": nan, "11": nan, "-1": nan, "10": 10}},
		{"numeric, as missing, drop", numeric(data.AsMissing, data.Drop), map[string]float32{"": dropped, "11": dropped, "10": 10}},
		{"levels, other, indicator", categorical(data.Other, data.Indicator), map[string]float32{
			"a": 0, "b": 1, "1": 2, " b ": 1, "A": 3, "c": 3, "1.0": 3, "ab": 3, "": nan, "?": nan, "NaN": nan}},
		{"levels, zero, zero", categorical(data.Zero, data.Zero), map[string]float32{"a": 0, "c": 3, "": nan}},
		{"levels, as missing, indicator", categorical(data.AsMissing, data.Indicator), map[string]float32{"a": 0, "c": nan, "": nan}},
		{"levels, as missing, drop", categorical(data.AsMissing, data.Drop), map[string]float32{"a": 0, "c": dropped, "": dropped}},
		{"levels, drop, zero", categorical(data.Drop, data.Zero), map[string]float32{"a": 0, "c": dropped, "": nan}},
		{"undecided unknown", categorical(data.Undecided, data.Zero), map[string]float32{"c": dropped}},
		{"undecided missing", categorical(data.Other, data.Undecided), map[string]float32{"": dropped}},
		{"undecided range", numeric(data.Undecided, data.Zero), map[string]float32{"11": dropped}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for text, want := range c.cells {
				v, ok := c.column.Cell(text, marks)
				if got := treated(v, ok); !sameValues([]float32{got}, []float32{want}) {
					t.Errorf("%q: got %v, want %v", text, got, want)
				}
				if !ok && v == v {
					t.Errorf("%q: got %v for a dropped row, want NaN", text, v)
				}
			}
		})
	}
}

// TestColumnNumbers wants a number to become what its text becomes.
func TestColumnNumbers(t *testing.T) {
	minusZero := math.Copysign(0, -1)
	levels := data.Column{Kind: data.Categorical, Levels: []string{"-1", "0", "1", "0.1", "1e-21", "100000", "1e+21"}, Unknown: data.Other, Missing: data.Indicator}
	for _, c := range []struct {
		name   string
		column data.Column
		v      float64
		want   float32
	}{
		{"inside", numeric(data.Clamp, data.Zero), 2.5, 2.5},
		{"above", numeric(data.Clamp, data.Zero), 11, 10},
		{"above, dropped", numeric(data.Drop, data.Zero), 11, dropped},
		{"NaN", numeric(data.Clamp, data.Zero), math.NaN(), nan},
		{"infinite", numeric(data.Clamp, data.Indicator), math.Inf(-1), nan},
		{"infinite, dropped", numeric(data.Clamp, data.Drop), math.Inf(1), dropped},
		{"level", levels, -1, 0},
		{"zero", levels, 0, 1},
		{"minus zero", levels, minusZero, 1},
		{"level of single precision", levels, float64(float32(0.1)), 3},
		{"level of double precision", levels, 0.1, 3},
		{"small level", levels, 1e-21, 4},
		{"level that may be another, rounded", levels, 1e21, nan},
		{"level in plain digits", levels, 1e5, 5},
		{"no level", levels, 7, 7},
		{"NaN level", levels, math.NaN(), nan},
	} {
		if got := treated(c.column.Number(c.v)); !sameValues([]float32{got}, []float32{c.want}) {
			t.Errorf("%s: Number(%v): got %v, want %v", c.name, c.v, got, c.want)
		}
	}
}

// TestColumnWithinBounds wants no stored value outside its bounds, whatever they are in
// single precision.
func TestColumnWithinBounds(t *testing.T) {
	marks := (&data.Schema{}).Marks()
	for _, bounds := range [][2]float64{{0.1, 0.3}, {-0.3, -0.1}, {1.0 / 3, 16777217}, {-16777217, 1e-30}, {0, 1}} {
		c := data.Column{Kind: data.Numeric, Lower: bounds[0], Upper: bounds[1], OutOfRange: data.Clamp, Missing: data.Zero}
		for _, v := range []float64{bounds[0], bounds[1], bounds[0] - 1, bounds[1] + 1, math.Nextafter(bounds[1], 0), (bounds[0] + bounds[1]) / 2, 0, 1e308} {
			got, ok := c.Number(v)
			if x := float64(got); !ok || !(x >= bounds[0] && x <= bounds[1]) {
				t.Errorf("bounds %v, value %v: got %v, %v, want one inside", bounds, v, x, ok)
			}
			if again, ok := c.Cell(fmt.Sprintf("%g", v), marks); !ok || math.Float32bits(again) != math.Float32bits(got) {
				t.Errorf("bounds %v, value %v: Cell got %v, want the bits of Number, %v", bounds, v, again, got)
			}
		}
	}
}

// TestTargetCells puts every kind of cell under every kind of target.
func TestTargetCells(t *testing.T) {
	zero := 0.0
	marks := (&data.Schema{MissingMarks: []string{"-"}}).Marks()
	cases := []struct {
		name   string
		target data.Target
		cells  map[string]float32
	}{
		{"levels", data.Target{Levels: []string{"no", "yes"}}, map[string]float32{"no": 0, "yes": 1, " yes ": 1, "maybe": dropped, "": dropped, "-": dropped, "YES": dropped}},
		{"bounds", data.Target{Lower: -1, Upper: 5}, map[string]float32{"2": 2, "-9": -1, "1e9": 5, "x": dropped, "": dropped, "NaN": dropped, "Inf": dropped}},
		{"threshold", data.Target{Levels: []string{"no", "yes"}, Threshold: &zero}, map[string]float32{"0": 0, "-3": 0, "0.001": 1, "7": 1, "x": dropped, "-": dropped, "Inf": dropped}},
	}
	for _, c := range cases {
		for text, want := range c.cells {
			v, ok := c.target.Cell(text, marks)
			if got := treated(v, ok); !sameValues([]float32{got}, []float32{want}) {
				t.Errorf("%s: %q: got %v, want %v", c.name, text, got, want)
			}
		}
	}
	signs := data.Target{Levels: []string{"-1", "1"}}
	if v, ok := signs.Number(-1.0); v != 0 || !ok {
		t.Errorf("Number(-1) of levels -1, 1: got %v, %v, want 0", v, ok)
	}
	if _, ok := signs.Number(0.5); ok {
		t.Error("Number(0.5) of levels -1, 1: got ok, want the row dropped")
	}
}

// TestMissingMarks wants the empty cell missing under every list of marks, and nothing else
// under an empty list.
func TestMissingMarks(t *testing.T) {
	for _, c := range []struct {
		name  string
		marks []string
		text  string
		want  bool
	}{
		{"default", nil, "?", true},
		{"default, word", nil, "none", false},
		{"default, empty", nil, "", true},
		{"own", []string{"-9"}, "-9", true},
		{"own in place of the default", []string{"-9"}, "?", false},
		{"own, empty", []string{"-9"}, "", true},
		{"none", []string{}, "NA", false},
		{"none, empty", []string{}, "", true},
	} {
		if got := (&data.Schema{MissingMarks: c.marks}).Marks().Has(c.text); got != c.want {
			t.Errorf("%s: %q missing: got %v, want %v", c.name, c.text, got, c.want)
		}
	}
}

// TestRowsAreIndependent reads rows alone, together and backwards: what is stored for a row
// must be the same bits each time.
func TestRowsAreIndependent(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "max-records: 3", "max-records: 100", 1))
	rows := []string{"1,clerk,0,no", "1e300,smith,0,yes", "-5,cook,0,no", ",,,yes", "x,?,0,no", "NaN,smith,0,yes", "0.1,clerk,0,no", "\"7\",\"a \"\"b\",0,yes"}
	alone := make([][]float32, len(rows))
	for i, row := range rows {
		d, err := readCSVText(s, header+row+"\n", data.ReadOptions{})
		if err != nil || d.Records() != 1 {
			t.Fatalf("row %d: got error %v, want one record", i, err)
		}
		alone[i] = append(d.Row(nil, 0), d.Target()[0])
	}
	for shift := range rows {
		text := header
		for i := range rows {
			text += rows[(i*3+shift)%len(rows)] + "\n" // 3 has no factor in common with 8
		}
		d, err := readCSVText(s, text, data.ReadOptions{})
		if err != nil || d.Records() != len(rows) {
			t.Fatalf("together: got error %v, want %d records", err, len(rows))
		}
		for i := range rows {
			got, want := append(d.Row(nil, i), d.Target()[i]), alone[(i*3+shift)%len(rows)]
			if !sameValues(got, want) {
				t.Errorf("shift %d, row %d: got %v, want %v as alone", shift, i, got, want)
			}
		}
	}
}
