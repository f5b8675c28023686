package data

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sparseSchema has columns of every kind. The cell 0 is good, clamped, missing, or drops the
// row, by the column.
func sparseSchema() *Schema {
	return &Schema{MaxRecords: 1000, MissingMarks: []string{"7"}, Target: Target{Column: "y", Levels: []string{"-1", "+1"}}, Columns: []Column{
		{Name: "a", Kind: Numeric, Lower: -1, Upper: 4, OutOfRange: Clamp, Missing: Indicator},
		{Name: "b", Kind: Numeric, Lower: 1, Upper: 4, OutOfRange: Drop, Missing: Drop},
		{Name: "c", Kind: Ignored},
		{Name: "d", Kind: Numeric, Lower: 1, Upper: 4, OutOfRange: AsMissing, Missing: Zero, Fill: 2},
		{Name: "e", Kind: Categorical, Levels: []string{"1", "2"}, Unknown: Drop, Missing: Indicator},
		{Name: "f", Kind: Categorical, Levels: []string{"0.0", "1.0"}, Unknown: Other, Missing: Indicator},
	}}
}

// sparseTexts returns the same random table in LIBSVM form and as CSV. Three of four cells are
// there; a 0 is sometimes written and sometimes left out. The levels of column f, which CSV
// reads by their texts, are written as the schema has them.
func sparseTexts(rows int) (sparseText, csvText string) {
	random := rand.New(rand.NewPCG(1, 2))
	var a, b strings.Builder
	b.WriteString("y,a,b,c,d,e,f\n")
	for range rows {
		label := []string{"-1", "+1", "5"}[min(2, random.IntN(12)%5/2)]
		a.WriteString(label)
		b.WriteString(label)
		for i := range 6 {
			cell := fmt.Sprint(random.IntN(9))
			if random.IntN(4) == 0 {
				cell = "0"
			}
			if cell != "0" || random.IntN(2) == 0 {
				fmt.Fprintf(&a, " %d:%s", i+1, cell)
			}
			if i == 5 && (cell == "0" || cell == "1") {
				cell += ".0"
			}
			b.WriteString("," + cell)
		}
		a.WriteString("\n")
		b.WriteString("\n")
	}
	return a.String(), b.String()
}

// TestSparseRows compares a LIBSVM table with the same table as CSV, cell by cell. It does so with
// and without dropped rows, and with and without a number as missing mark.
func TestSparseRows(t *testing.T) {
	for _, marks := range [][]string{{"7"}, nil} {
		checkSparseRows(t, marks)
	}
}

func checkSparseRows(t *testing.T, marks []string) {
	t.Helper()
	schema := sparseSchema()
	schema.MissingMarks = marks
	sparseText, csvText := sparseTexts(1000)
	for _, o := range []ReadOptions{{KeepDropped: true, Extra: []string{"c", "a"}}, {}, {WithoutTarget: true, KeepDropped: true}} {
		want, err := ReadFrom(context.Background(), schema, "t.csv", strings.NewReader(csvText), o)
		if err != nil {
			t.Fatal(err)
		}
		q, b, err := newRequest(schema, "t", 0, o)
		if err != nil {
			t.Fatal(err)
		}
		if err = scanLIBSVM(context.Background(), q, bufio.NewReaderSize(strings.NewReader(sparseText), chunkBytes)); err != nil {
			t.Fatal(err)
		}
		got := b.dataset(o.KeepDropped)
		if got.Records() != want.Records() || got.Records() < 10 || !sameFloats(got.target, want.target) || !slices.Equal(got.dropped, want.dropped) {
			t.Fatalf("%+v: got %d records with other targets or dropped rows than the %d of CSV", o, got.Records(), want.Records())
		}
		sameTable(t, fmt.Sprintf("marks %q, %+v", marks, o), got, want)
		for name, g := range want.groups {
			if !slices.Equal(got.groups[name].codes, g.codes) || !slices.Equal(got.groups[name].levels, g.levels) {
				t.Errorf("%+v: group %q: got %v, want %v", o, name, got.groups[name], g)
			}
		}
	}
}

// sameTable compares a sparse table with one in columns, by column and by row.
func sameTable(t *testing.T, name string, got, want *Dataset) {
	t.Helper()
	if !got.Sparse() || want.Sparse() || len(got.columns) > 0 {
		t.Fatalf("%s: want a sparse table and one in columns", name)
	}
	for j := range want.columns {
		if !sameFloats(got.Column(j), want.columns[j]) {
			t.Errorf("%s: column %q: got other values than of CSV", name, want.features[j].Name)
		}
	}
	for i := range want.Records() {
		if !sameFloats(got.Row(nil, i), want.Row(nil, i)) {
			t.Fatalf("%s: row %d: got %v, want %v", name, i, got.Row(nil, i), want.Row(nil, i))
		}
	}
}

// sameFloats compares bit by bit.
func sameFloats(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestSparseCells compares the rows that another sink gets with those of CSV.
func TestSparseCells(t *testing.T) {
	sparseText, csvText := sparseTexts(1000)
	var reports [2]CheckReport
	for i, scan := range []func(q request) error{
		func(q request) error {
			return scanLIBSVM(context.Background(), q, bufio.NewReaderSize(strings.NewReader(sparseText), chunkBytes))
		},
		func(q request) error { return scanTable(context.Background(), q, bytes.NewReader([]byte(csvText))) },
	} {
		q, b, err := newRequest(sparseSchema(), "t", 0, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c := newChecker(b)
		q.sink = c
		if err = scan(q); err != nil {
			t.Fatal(err)
		}
		reports[i] = c.report
		for k := range c.report.Columns {
			c.report.Columns[k].FirstLines = nil // a CSV file has a header
		}
	}
	if got, want := fmt.Sprint(reports[0]), fmt.Sprint(reports[1]); got != want || reports[0].Dropped == 0 {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
