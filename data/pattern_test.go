package data_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

const patternColumns = `  lab_b: {numeric: [0, 9], out-of-range: drop, missing: drop}
  "lab_*": {numeric: [0, 100], out-of-range: clamp, missing: zero}
  "*_seen": {date: {since: 2020-01-01, range: [0, 9], parts: [month]}, out-of-range: clamp, missing: zero}
  "q*_*_x": {levels: [a, {b: [B]}], unknown: other, missing: zero}
  "*": ignore
`

// withoutAll is patternColumns without the pattern that takes every name.
var withoutAll = strings.Replace(patternColumns, "  \"*\": ignore\n", "", 1)

// resolvedColumns are the columns of patternColumns for the header of patternTable.
const (
	patternHeader   = "lab_a,y,q1_2_x,lab_b,first_seen,lab_,last_seen\n"
	resolvedColumns = `  lab_b: {numeric: [0, 9], out-of-range: drop, missing: drop}
  lab_a: {numeric: [0, 100], out-of-range: clamp, missing: zero}
  q1_2_x: {levels: [a, {b: [B]}], unknown: other, missing: zero}
  first_seen: {date: {since: 2020-01-01, range: [0, 9], parts: [month]}, out-of-range: clamp, missing: zero}
  lab_: {numeric: [0, 100], out-of-range: clamp, missing: zero}
  last_seen: {date: {since: 2020-01-01, range: [0, 9], parts: [month]}, out-of-range: clamp, missing: zero}
`
)

// TestResolve wants the schema that names each column, whatever the records are, and the same rows under both.
func TestResolve(t *testing.T) {
	s, err := data.ReadSchema(writeFile(t, "s.yaml", schemaStart+withoutAll))
	if err != nil {
		t.Fatal(err)
	}
	want := mustSchema(t, schemaStart+resolvedColumns)
	for name, records := range map[string]string{"rows": "1,no,a,2,2020-01-01,101,2020-02-02\n", "other rows": "x,yes,B,lab_c,9,first_seen,\n", "no rows": ""} {
		got, failed := data.Resolve(t.Context(), s, data.Source{Path: writeFile(t, "t.csv", patternHeader+records)}, data.ReadOptions{})
		if failed != nil || got.Patterns == nil || len(got.Patterns) > 0 {
			t.Fatalf("%s: got %+v, %v, want patterns empty and not nil", name, got, failed)
		}
		if got.Patterns = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, failed, want)
		}
	}
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), `lab_*: {numeric: [0, 100]`) {
		t.Fatalf("got %s, %v", text, err)
	}
	again, err := data.ParseSchema("again", text)
	if err != nil || !reflect.DeepEqual(again.Patterns, s.Patterns) || !reflect.DeepEqual(again.Columns, s.Columns) {
		t.Errorf("got %+v, %v after a round trip, want %+v", again, err, s)
	}
	table := patternHeader + "1,no,a,2,2020-01-01,101,2020-02-02\n7,yes,B,3,,50,2020-01-03\n"
	got, err := data.Resolve(t.Context(), s, data.Source{Path: writeFile(t, "t.csv", table)}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := readCSVText(got, table, data.ReadOptions{})
	if err != nil || rows(d) != "[2 1 0 0 0 100 9 1] 0;[3 7 1 NaN NaN 50 2 0] 1;" {
		t.Errorf("got %v, %v", rows(d), err)
	}
	header := strings.Replace(schemaStart, "target:", "header: [lab_a, y, q1_2_x, lab_b, first_seen, lab_, last_seen]\ntarget:", 1)
	named, err := data.ReadSchema(writeFile(t, "s.yaml", header+withoutAll))
	if err == nil {
		named, err = data.Resolve(t.Context(), named, data.Source{Path: writeFile(t, "t.csv", strings.TrimPrefix(table, patternHeader))}, data.ReadOptions{})
	}
	if err != nil || named.Patterns != nil || !reflect.DeepEqual(named.Columns, want.Columns) {
		t.Errorf("without a header line: got %+v, %v", named, err)
	}
	if _, err = readCSVText(s, table, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), `columns are declared by the pattern "lab_*"`) {
		t.Errorf("got %v for a schema that is not resolved", err)
	}
}

// TestPatternFaults wants the line of a pattern that cannot be resolved, and tables without names refused.
func TestPatternFaults(t *testing.T) {
	for want, c := range map[string]struct{ columns, file, table string }{
		`line 11, column 3: column 1 of the header matches the patterns "lab_*" and "*"`: {patternColumns, "t.csv", patternHeader},
		`line 8, column 3: no column matches the pattern "lab_*", apart from`:            {withoutAll, "t.csv", "y,lab_b,q_1_x,a_seen\n"},
		`line 7, column 3: column "lab_*": missing is left open`:                         {"  \"lab_*\": {numeric: [0, 1], out-of-range: clamp}\n", "t.csv", patternHeader},
		`line 7, column 3: column "lab_*": it is not declared`:                           {"  \"lab_*\": DECLARE\n", "t.csv", patternHeader},
		`line 7, column 3: column pattern is " a*", want plain names`:                    {"  \" a*\": ignore\n", "t.csv", patternHeader},
		"the file is in the JSON lines format":                                           {withoutAll, "t.jsonl", `{"y": "no"}` + "\n"},
		"the file is in the LIBSVM format":                                               {withoutAll, "t.svm", "1 1:1\n"},
		"line 1, column 1: the schema does not name this column of the header":           {withoutAll, "t.csv", "other," + patternHeader},
		"standard input, which is read once":                                             {withoutAll, "-", ""},
	} {
		s, err := data.ReadSchema(writeFile(t, "s.yaml", schemaStart+c.columns))
		if err == nil {
			path := c.file
			if path != "-" {
				path = writeFile(t, c.file, c.table)
			}
			_, err = data.Resolve(t.Context(), s, data.Source{Path: path}, data.ReadOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	none := strings.Replace(schemaStart, "target:", "header: none\ntarget:", 1)
	if _, err := data.ParseSchema("s.yaml", []byte(none+withoutAll)); err == nil || !strings.Contains(err.Error(), "header is none and columns are declared by patterns") {
		t.Errorf("got %v for patterns without names", err)
	}
}

// TestPatternsOfTwoTables wants no name of the first header in an error about a second table.
func TestPatternsOfTwoTables(t *testing.T) {
	s, err := data.ReadSchema(writeFile(t, "s.yaml", schemaStart+"  \"*\": ignore\n"))
	if err == nil {
		s, err = data.Resolve(t.Context(), s, data.Source{Path: writeFile(t, "a.csv", "y,Smith,HIV\n")}, data.ReadOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Columns[1].Kind, s.Columns[1].Upper, s.Columns[1].Missing, s.Columns[1].OutOfRange = data.Numeric, 1, data.Zero, data.Clamp
	_, err = data.Resolve(t.Context(), s, data.Source{Path: writeFile(t, "b.csv", "y,Smith,Flu\n")}, data.ReadOptions{})
	if err == nil || strings.Contains(err.Error(), "HIV") || !strings.Contains(err.Error(), "b.csv line 1: the header has no column with the name of a column of the table that gave patterns their names") {
		t.Errorf("got %v", err)
	}
	_, err = data.Read(t.Context(), s, data.Source{Path: writeFile(t, "b.csv", "y,Smith,Flu\nno,1,2\n")}, data.ReadOptions{})
	if err == nil || strings.Contains(err.Error(), "HIV") || strings.Contains(err.Error(), "Flu") {
		t.Errorf("a later table: got %v", err)
	}
}
