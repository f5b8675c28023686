package data_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
)

// roundedSchema declares levels that are rounded numbers, and a key.
const roundedSchema = `dither-schema: 1
max-records: 20
target: {column: y, levels: ["12", "9007199254740992"]}
columns:
  code: {levels: ["9007199254740992", "-9007199254740992", "9007199254740991", "12", "1e+300", "+Inf", "Infinity"], unknown: other, missing: indicator}
  person: ignore
`

// TestRoundedNumbers gives floating-point numbers to columns of levels and to keys in every way. Numbers from 2^53 on may be
// others, rounded, so they are missing cells, and so are infinities.
func TestRoundedNumbers(t *testing.T) {
	numbers := []float64{1 << 53, -1 << 53, 1<<53 - 1, 12, 1e300, math.Inf(1), math.Inf(-1), 3}
	wantCodes, wantKeys := "[NaN NaN 2 3 NaN NaN NaN 7]", "[-1 -1 0 1 -1 -1 -1 2]"
	check := func(way string, d *data.Dataset, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		if got := fmt.Sprint(d.Column(0)); got != wantCodes {
			t.Errorf("%s: got the levels %s, want %s", way, got, wantCodes)
		}
		codes, texts, err := d.Texts("person")
		if got := fmt.Sprint(codes); err != nil || got != wantKeys || !slices.Equal(texts, []string{"9007199254740991", "12", "3"}) {
			t.Errorf("%s: got the keys %s of %q and %v, want %s", way, got, texts, err, wantKeys)
		}
	}
	s := mustSchema(t, roundedSchema)
	options := data.ReadOptions{WithoutTarget: true, Extra: []string{"person"}}
	table := &memory{records: int64(len(numbers)), columns: []columnar.Column{{Name: "code", Kind: columnar.Numbers}, {Name: "person", Kind: columnar.Numbers}}, cells: []columnar.Cells{{Numbers: numbers}, {Numbers: numbers}}}
	d, err := data.Read(context.Background(), s, table.source(t), options)
	check("a columnar file", d, err)
	marked := mustSchema(t, strings.Replace(roundedSchema, "target:", "missing-marks: [\"-99\"]\ntarget:", 1))
	d, err = data.Read(context.Background(), marked, table.source(t), options)
	check("a columnar file and marks that are numbers", d, err)
	var pairs []float64
	var records []struct{ Code, Person float64 }
	for _, v := range numbers {
		pairs, records = append(pairs, v, v), append(records, struct{ Code, Person float64 }{v, v})
	}
	d, err = data.Read(context.Background(), s, data.Source{Path: npyFile(t, "x.npy", npy("<f8", "(8, 2)", pairs))}, options)
	check("an array", d, err)
	d, err = data.FromStructs(s, records, options)
	check("structs", d, err)
	column := s.Features()[0]
	for i, v := range numbers {
		if stored, ok := column.Number(v); !ok || math.Float32bits(stored) != math.Float32bits(d.Column(0)[i]) {
			t.Errorf("Column.Number(%v): got %v, %v", v, stored, ok)
		}
	}
	table.columns, table.cells = append(table.columns, columnar.Column{Name: "y", Kind: columnar.Numbers}), append(table.cells, columnar.Cells{Numbers: numbers})
	d, err = data.Read(context.Background(), s, table.source(t), data.ReadOptions{})
	if err != nil || d.Records() != 1 || d.Target()[0] != 0 {
		t.Errorf("got %d records and %v, want the one whose target is 12", d.Records(), err)
	}
	report, err := data.Check(context.Background(), s, table.source(t))
	if err != nil || report.Columns[0].Missing != 5 || report.Columns[0].Unknown != 1 {
		t.Errorf("got %+v and %v, want 5 missing cells and 1 undeclared", report, err)
	}
}

// TestRoundedTexts: a text of a LIBSVM file has the level with the same text. A number from 2^53 on stands for no other text.
func TestRoundedTexts(t *testing.T) {
	s := mustSchema(t, strings.Replace(roundedSchema, "  person: ignore\n", "", 1))
	path := npyFile(t, "t.libsvm", []byte("12 1:9007199254740992\n+12 1:9007199254740993\n12 1:12.0\n12 1:9007199254740991.0\n12 1:9.007199254740992e15\n9007199254740993 1:12\n"))
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d.Column(0)), "[0 7 3 2 7]"; got != want {
		t.Errorf("got the levels %s, want %s", got, want)
	}
}
