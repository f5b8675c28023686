package data_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// schemaStart and schemaEnd surround the columns of a short schema; the first column
// stands on line 7.
const (
	schemaStart = "dither-schema: 1\nname: t\nrow: one person\nmax-records: 100\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ncolumns:\n"
	schemaEnd   = "  rest: {numeric: [0, 1], out-of-range: clamp, missing: zero}\n"
)

// roundTrips are schemas that must come back from YAML as they were.
var roundTrips = []struct{ name, text string }{
	{"plain", schemaStart + schemaEnd},
	{"small", smallSchema},
	{"every key", `dither-schema: 1
name: "a: b # c"
description: "two\nlines"
row: one person-year row
rows-per-person: 5
records: 90
max-records: 100
missing-marks: ["?", "-", "NA", "no", "0"]
delimiter: tab
header: ["y: z", "12", age, "a b", "<<", "@x", gain, flat, job, "null"]
quote: none
target: {column: "y: z", levels: ["<=50K", ">50K"], missing: drop}
columns:
  age: {numeric: [-17.5, 1e30], bins: [0, 0.1, 35], out-of-range: drop, missing: drop}
  gain: {numeric: [0, 99999], unit: "US dollars, a year", transform: log1p, out-of-range: as-missing, missing: zero, fill: 3.25}
  flat: {numeric: [1, 2], transform: none, out-of-range: clamp, missing: indicator}
  job: {levels: ["true", "~", "0x1f", "1e3", "a, b", "it's", "\"q\"", "[x]", "{x}", "é", "- x"], unknown: zero, missing: zero}
  "null": {levels: [a], unknown: as-missing, missing: drop}
  "12": {levels: ["1"], unknown: drop, missing: indicator}
  "a b": ignore
  "<<": ignore
  "@x": {levels: [z], unknown: other, missing: indicator}
from-data: ["a b", target, max-records]
`},
	{"no missing mark", strings.Replace(schemaStart, "target:", "missing-marks: []\ntarget:", 1) + schemaEnd},
	{"nothing from data", schemaStart + schemaEnd + "from-data: []\n"},
	{"regression", strings.Replace(schemaStart, `levels: ["no", "yes"]`, "bounds: [-1, 0]", 1) + schemaEnd},
	{"threshold", strings.Replace(schemaStart, `levels:`, "above: 0, levels:", 1) + schemaEnd},
	{"range", schemaStart + "  pixel[0:784]: {numeric: [0, 255], out-of-range: clamp, missing: zero}\n"},
	{"range across ten", schemaStart + "  x[8:12]: ignore\n" + schemaEnd},
	{"range of levels", schemaStart + "  q[1:4]: {levels: [a, b], unknown: other, missing: zero}\n  q4: {levels: [a], unknown: other, missing: zero}\n"},
	{"numbers with leading zeros", schemaStart + "  x00: ignore\n  x01: ignore\n  x02: ignore\n" + schemaEnd},
	{"leading zero before running numbers", schemaStart + "  x01: ignore\n  x2: ignore\n  x3: ignore\n" + schemaEnd},
	{"two running columns", schemaStart + "  x1: ignore\n  x2: ignore\n" + schemaEnd},
	{"defaults after the columns", schemaStart + "  a: {numeric: [2, 3]}\n  b: {levels: [c], missing: drop}\ndefaults: {missing: zero, out-of-range: clamp, unknown: other}\n"},
	{"other delimiter", strings.Replace(schemaStart, "target:", "delimiter: \"^\"\ntarget:", 1) + schemaEnd},
	{"byte order mark and CRLF", "\ufeff" + strings.ReplaceAll(schemaStart+schemaEnd, "\n", "\r\n")},
	{"texts", textSchema},
	{"groups of levels", schemaStart + groupedColumns},
	{"ordered levels", schemaStart + "  a: {levels: [s, {m: [M]}, l], ordered: true, unknown: drop, missing: zero}\n  b[0:3]: {levels: [s, l], ordered: true, unknown: as-missing, missing: indicator}\n"},
	{"dates", schemaStart + datedColumns},
	{"dates without a header", strings.Replace(schemaStart, "target:", "header: none\ntarget:", 1) + datedColumns},
	{"integers", schemaStart + "  a: {numeric: [17, 90], unit: years, integer: true, out-of-range: drop, missing: zero, fill: 20}\n  b[0:3]: {numeric: [0, 9], integer: true, transform: log1p, out-of-range: clamp, missing: indicator}\n  b3: {numeric: [0, 9], transform: log1p, out-of-range: clamp, missing: indicator}\n"},
	{"range of dates", schemaStart + "  d[3:6]: {date: {parts: [hour, month]}, out-of-range: clamp, missing: drop}\n" + schemaEnd},
}

// TestSchemaRoundTrip writes every schema and reads it again.
func TestSchemaRoundTrip(t *testing.T) {
	for _, c := range roundTrips {
		t.Run(c.name, func(t *testing.T) { checkRoundTrip(t, mustSchema(t, c.text)) })
	}
}

// checkRoundTrip wants ParseSchema(YAML()) to be the schema, and the text to be stable.
func checkRoundTrip(t *testing.T, want *data.Schema) {
	t.Helper()
	text, err := want.YAML()
	if err != nil {
		t.Fatalf("YAML of %+v: %v", want, err)
	}
	got, err := data.ParseSchema("again.yaml", text)
	if err != nil {
		t.Fatalf("parse again: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v\n%s", got, want, text)
	}
	again, err := got.YAML()
	if err != nil || string(again) != string(text) {
		t.Errorf("second writing: got %v\n%s\nwant\n%s", err, again, text)
	}
}

// TestSchemaReadsDeclarations reads one schema and looks at what it says.
func TestSchemaReadsDeclarations(t *testing.T) {
	s := mustSchema(t, roundTrips[2].text)
	fill := data.Column{Name: "gain", Kind: data.Numeric, Upper: 99999, Unit: "US dollars, a year", Transform: "log1p", OutOfRange: data.AsMissing, Missing: data.Zero, Fill: 3.25}
	if !reflect.DeepEqual(s.Columns[1], fill) {
		t.Errorf("column gain: got %+v, want %+v", s.Columns[1], fill)
	}
	if got := s.Columns[0].Bins; !reflect.DeepEqual(got, []float64{0, 0.1, 35}) {
		t.Errorf("bins: got %v, want 0, 0.1, 35", got)
	}
	if s.RowsPerPerson != 5 || s.Records != 90 || s.MaxRecords != 100 || s.Delimiter != '\t' || !s.Tainted() || s.Target.Missing != data.Drop {
		t.Errorf("got %+v, want 5 rows per person, 90 records, at most 100, tab, tainted, drop", s)
	}
	if got, want := len(s.Features()), 7; got != want || len(s.Columns) != 9 {
		t.Errorf("got %d features of %d columns, want %d of 9", got, len(s.Columns), want)
	}
	s = mustSchema(t, roundTrips[13].text)
	if a := s.Columns[0]; a.Missing != data.Zero || a.Fill != 2 || a.OutOfRange != data.Clamp {
		t.Errorf("defaults: got %+v, want zero with fill 2, clamp", a)
	}
	if b := s.Columns[1]; b.Missing != data.Drop || b.Unknown != data.Other {
		t.Errorf("defaults: got %+v, want drop of its own and other", b)
	}
	s = mustSchema(t, roundTrips[7].text)
	if len(s.Columns) != 784 || s.Columns[783].Name != "pixel783" || s.Columns[783].Upper != 255 {
		t.Errorf("range: got %d columns, want 784 that end with pixel783", len(s.Columns))
	}
	s = mustSchema(t, roundTrips[6].text)
	if s.Target.Threshold == nil || *s.Target.Threshold != 0 || s.Target.Regression() {
		t.Errorf("threshold: got %+v, want 0 and no regression", s.Target)
	}
}

// TestSchemaFaults wants file, line, column and words of what a schema file has wrong.
func TestSchemaFaults(t *testing.T) {
	column := func(text string) string { return schemaStart + "  a: " + text + "\n" + schemaEnd }
	top := func(text string) string { return text + "\n" + schemaStart + schemaEnd }
	target := func(text string) string {
		return "dither-schema: 1\nmax-records: 5\ntarget: " + text + "\ncolumns:\n" + schemaEnd
	}
	cases := []struct {
		name, text   string
		line, column int
		words        string
	}{
		{"empty", "", 0, 0, "the file is empty"},
		{"comment only", "# nothing\n", 0, 0, "the file is empty"},
		{"null", "~", 1, 1, "no key dither-schema"},
		{"list", "- a\n- b\n", 1, 1, "no key dither-schema"},
		{"no version", "name: a\ntarget: {column: y}\ncolumns: {a: ignore}\n", 1, 1, "no key dither-schema"},
		{"no target", "dither-schema: 1\ncolumns: {a: ignore}\n", 1, 1, "no key target"},
		{"no columns", "dither-schema: 1\ntarget: {column: y}\n", 1, 1, "no key columns"},
		{"other version", strings.Replace(schemaStart, "schema: 1", "schema: 2", 1) + schemaEnd, 1, 16, `dither-schema is "2", want 1`},
		{"unknown key", top("colour: red"), 1, 1, `unknown key "colour"`},
		{"key twice", top("name: a"), 3, 1, `the key "name" twice`},
		{"broken YAML", schemaStart + "  a: {numeric: [0, 1\n", 0, 0, "no YAML"},
		{"tab as indentation", schemaStart + "\ta: ignore\n", 7, 0, "no YAML"},
		{"second document", schemaStart + schemaEnd + "---\na: b\n", 0, 0, "second YAML document"},
		{"anchor", column("&x {numeric: [0, 1]}"), 7, 3, "anchor"},
		{"alias", column("*x"), 7, 6, "a text without quotation marks begins with a star, want the text in quotation marks"},
		{"star without quotes", schemaStart + "  b: ignore # *lab\n  \"a *lab\": ignore\n  *lab: ignore\n", 9, 3, `begins with a star, want the text in quotation marks, as "*_lab": ignore; quote it`},
		{"two stars without quotes", schemaStart + "  b: ignore\n  *lab*: ignore\n", 8, 0, "begins with a star"},
		{"star alone without quotes", schemaStart + "  b: ignore\n  *: ignore\n", 8, 0, "begins with a star"},
		{"people-key part of a date", schemaStart + "  k: {date: {parts: [month]}}\n  k.month.x: ignore\n" + "related: {v: {key: a, people-key: k.month, max-rows: 1, features: {n: {count: true}}}}\n", 9, 1, `related table "v": its people-key "k.month" is a part of the date "k"`},
		{"text twice in a group", column("{levels: [{A: [a, a]}]}"), 7, 24, `the text "a" stands twice in the level "A", want each text once`},
		{"name is a list", top("description: [a]"), 1, 14, "description is a list, want a text"},
		{"ledger empty", top("ledger:"), 1, 0, "ledger is empty, want the name of a file"},
		{"ledger an empty text", top(`ledger: ""`), 1, 9, "ledger is empty, want the name of a file"},
		{"ledger a list", top("ledger: [a]"), 1, 9, "ledger is a list, want a text"},
		{"records not whole", top("records: 1.5"), 1, 10, "want an integer"},
		{"records a word", top("records: many"), 1, 10, `records is "many", want an integer`},
		{"records too large", top("records: 99999999999999999999"), 1, 10, "want an integer"},
		{"rows-per-person a mapping", top("rows-per-person: {a: 1}"), 1, 18, "a mapping, want an integer"},
		{"missing-marks a text", top("missing-marks: NA"), 1, 16, "want a list in brackets"},
		{"missing mark a list", top("missing-marks: [[a]]"), 1, 17, "want a text"},
		{"delimiter a word", top("delimiter: ab"), 1, 12, `delimiter is "ab"`},
		{"delimiter a letter", top("delimiter: a"), 1, 12, `delimiter is "a"`},
		{"defaults unknown key", top("defaults: {kind: drop}"), 1, 12, `unknown key "kind"`},
		{"defaults wrong word", top("defaults: {missing: clamp}"), 1, 21, `missing is "clamp", want one of indicator, zero, drop`},
		{"defaults out-of-range", top("defaults: {out-of-range: zero}"), 1, 26, "want one of clamp, as-missing, drop"},
		{"defaults unknown", top("defaults: {unknown: clamp}"), 1, 21, "want one of other, zero, as-missing, drop"},
		{"target a word", target("income"), 3, 9, `target is "income"`},
		{"target without column", target("{levels: [a, b]}"), 3, 9, "target names no column"},
		{"target unknown key", target("{column: y, level: [a, b]}"), 3, 21, `unknown key "level"`},
		{"target levels a text", target("{column: y, levels: a}"), 3, 29, "want a list"},
		{"target one bound", target("{column: y, bounds: [1]}"), 3, 29, "bounds has 1 numbers, want 2"},
		{"target above a word", target("{column: y, above: x, levels: [a, b]}"), 3, 28, `above is "x", want a finite number`},
		{"target missing zero", target("{column: y, levels: [a, b], missing: zero}"), 3, 46, "want one of drop"},
		{"column a wrong word", column("ignored"), 7, 6, `column "a" is "ignored"`},
		{"column empty", column(""), 7, 5, `column "a" is empty`},
		{"column a list", column("[1, 2]"), 7, 6, `column "a" is a list`},
		{"column unknown key", column("{numeric: [0, 1], clip: 3}"), 7, 24, `column "a" has the unknown key "clip"`},
		{"column of both kinds", column("{numeric: [0, 1], levels: [a]}"), 7, 3, "or is more than one"},
		{"column of no kind", column("{missing: zero}"), 7, 3, "is not declared"},
		{"one bound", column("{numeric: [0]}"), 7, 16, "numeric has 1 numbers"},
		{"bound a word", column("{numeric: [0, many]}"), 7, 20, `"many", want a finite number`},
		{"bound infinite", column("{numeric: [0, .inf]}"), 7, 20, "want a finite number"},
		{"bound NaN", column("{numeric: [NaN, 1]}"), 7, 17, "want a finite number"},
		{"bins a number", column("{numeric: [0, 1], bins: 3}"), 7, 30, "want numbers in brackets"},
		{"bins a scale", column("{numeric: [0, 1], bins: logarithmic}"), 7, 30, "want numbers in brackets, since scales are not declared in a schema; leave bins out and train with --transform interactions:half-logarithmic=NAME, whose bins have equal width on the mean of"},
		{"bins the other scale", column("{numeric: [0, 1], bins: half-logarithmic}"), 7, 30, `bins is "half-logarithmic", want numbers in brackets, since scales`},
		{"transform a list", column("{numeric: [0, 1], transform: [log1p]}"), 7, 35, "want a text"},
		{"fill without zero", column("{numeric: [0, 1], missing: drop, fill: 1}"), 7, 45, "has a fill"},
		{"fill a word", column("{numeric: [0, 1], missing: zero, fill: x}"), 7, 45, "want a finite number"},
		{"numeric with unknown", column("{numeric: [0, 1], unknown: other}"), 7, 24, "is numeric and has the key unknown"},
		{"levels with bins", column("{levels: [a], bins: [1]}"), 7, 20, "is categorical and has the key bins"},
		{"group without texts", column("{levels: [{a: b}]}"), 7, 16, `the texts of the level "a" are "b", want a list in brackets, as {North: [ME, NH, VT]}`},
		{"group of two names", column("{levels: [{a: [b], c: [d]}]}"), 7, 16, "a group of levels has 2 names, want one name and its texts"},
		{"text of two groups", column("{levels: [{a: [b, c]},\n    {d: [c]}]}"), 8, 10, `the text "c" is of the level "a" and of the level "d", want each text in one level`},
		{"text of a group and a level", column("{levels: [{a: [b]}, b]}"), 7, 26, `the text "b" is of the level "a" and of the level "b"`},
		{"level of two groups", column("{levels: [{a: [b]}, {a: [c]}]}"), 7, 27, `the level "a" is declared twice`},
		{"ordered a word", column("{levels: [a, b], ordered: false}"), 7, 32, `ordered is "false", want ordered: true, with levels in their order`},
		{"ordered numbers", column("{numeric: [0, 1], ordered: true}"), 7, 24, "is numeric and has the key ordered"},
		{"integer a word", column("{numeric: [0, 1], integer: false}"), 7, 33, `integer is "false", want integer: true, for numbers that are integers; remove it for other numbers`},
		{"integer a list", column("{numeric: [0, 1], integer: [true]}"), 7, 33, "integer is a list, want integer: true"},
		{"integer levels", column("{levels: [a], integer: true}"), 7, 20, "is categorical and has the key integer"},
		{"integer texts", column("{text: {}, integer: true}"), 7, 17, "has the key integer"},
		{"integer dates", column("{date: {since: 2020-01-01, range: [0, 9]}, integer: true}"), 7, 49, "is a date and has the key integer"},
		{"integer of a related table", schemaStart + schemaEnd + "related: {v: {key: a, max-rows: 1, columns: {c: {numeric: [0, 9], integer: true}}, features: {n: {count: true}}}}\n", 8, 67, `the unknown key "integer"`},
		{"integer feature of a related table", schemaStart + schemaEnd + "related: {v: {key: a, max-rows: 1, features: {n: {count: true, integer: true}}}}\n", 8, 64, `the unknown key "integer"`},
		{"unit a list", column("{numeric: [0, 1], unit: [a]}"), 7, 30, "unit is a list, want a text"},
		{"unit of levels", column("{levels: [a], unit: years}"), 7, 20, "is categorical and has the key unit"},
		{"unit of a date", column("{date: {parts: [month]}, unit: days}"), 7, 31, "is a date and has the key unit"},
		{"date a text", column("{date: 2020-01-01}"), 7, 13, `date is "2020-01-01", want key: value pairs`},
		{"date without range", column("{date: {since: 2020-01-01}}"), 7, 13, "one of since and range, want both"},
		{"date without since", column("{date: {range: [0, 1]}}"), 7, 13, "one of since and range, want both"},
		{"date without anything", column("{date: {}}"), 7, 13, "a date without a feature, want since and range, or parts"},
		{"year without range", column("{date: {parts: [year]}}"), 7, 13, "the part year without a range"},
		{"since a moment", column("{date: {since: 2020-01-01 10:00:00, range: [0, 1]}}"), 7, 21, "want a day such as 2020-01-01"},
		{"since no day", column("{date: {since: 2020-02-30, range: [0, 1]}}"), 7, 21, "want a day such as 2020-01-01"},
		{"part twice", column("{date: {parts: [month, month]}}"), 7, 29, `part "month" of a date is not known or stands twice`},
		{"part unknown", column("{date: {parts: [minute]}}"), 7, 22, `part "minute" of a date`},
		{"range of dates", column("{date: {since: 2010-01-01, range: [2010-01-01, 2024-01-01]}}"), 7, 40, "the days from since to the first and to the last date; write range: [0, 5113]"},
		{"range of dates before since", column("{date: {range: [2009-12-31, 2010-01-01 12:00:00], since: 2010-01-01}}"), 7, 21, "write range: [-1, 0.5]"},
		{"range with one date", column("{date: {since: 2020-01-01, range: [0, 2021-01-01]}}"), 7, 40, "write range: [0, 366]"},
		{"range of dates without since", column("{date: {range: [2010-01-01, 2024-01-01]}}"), 7, 21, "write since: 2010-01-01, range: [0, 5113]"},
		{"range of dates with another since", column("{date: {since: 2010, range: [2010-01-01, 2024-01-01]}}"), 7, 21, "since"},
		{"range of a date reversed", column("{date: {since: 2020-01-01, range: [2, 1]}}"), 7, 40, "bounds are [2, 1]"},
		{"range beyond the years", column("{date: {since: 2020-01-01, range: [0, 1e7]}}"), 7, 40, "leaves the years 1 to 9999"},
		{"date with bounds", column("{date: {parts: [month]}, numeric: [0, 1]}"), 7, 31, "is a date and has the key numeric"},
		{"date with levels", column("{date: {parts: [month]}, levels: [a]}"), 7, 3, "is more than one"},
		{"parts with bins", column("{date: {parts: [month]}, bins: [1]}"), 7, 31, "has the key bins and no distance in days"},
		{"date with private bins", column("{date: {since: 2020-01-01, range: [0, 9]}, bins: private}"), 7, 55, "bins of dates are private"},
		{"level a list", column("{levels: [{a: [b]}, [c]]}"), 7, 26, "an item of levels is a list, want key: value pairs"},
		{"missing other", column("{levels: [a], missing: other}"), 7, 29, `missing is "other"`},
		{"column twice", schemaStart + "  rest: ignore\n" + schemaEnd, 8, 3, `"rest" twice`},
		{"range backwards", schemaStart + "  a[3:1]: ignore\n" + schemaEnd, 7, 3, "column range"},
		{"range without a name", schemaStart + "  \"[0:3]\": ignore\n" + schemaEnd, 7, 3, "column range"},
		{"range too large", schemaStart + "  a[0:1048577]: ignore\n", 7, 3, "at most 1048576"},
		{"ranges too large together", schemaStart + schemaEnd + "  a[0:1048576]: ignore\n", 8, 3, "too many columns"},
		{"range beyond a word", schemaStart + "  a[0:99999999999999999999]: ignore\n", 7, 3, "column range"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := data.ParseSchema("s.yaml", []byte(c.text))
			var e *data.FileError
			if !errors.As(err, &e) {
				t.Fatalf("got error %v, want a *FileError", err)
			}
			oneLine(t, err)
			if e.File != "s.yaml" || c.line != 0 && e.Line != c.line || c.column != 0 && e.Column != c.column {
				t.Errorf("got %s line %d column %d, want s.yaml line %d column %d: %v", e.File, e.Line, e.Column, c.line, c.column, err)
			}
			if !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %q, want %q", err, c.words)
			}
		})
	}
}

// TestTableGivenAsSchema gives files of records in place of a schema: nothing of them may
// stand in the error, for a swap of two arguments is easily made.
func TestTableGivenAsSchema(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"table", header + plantedRow + plantedRow},
		{"table of one word", planted},
		{"row that reads as a mapping", planted + ": " + planted + "\n"},
		{"row that reads as a known key", "name: " + planted + "\n"},
		{"row that reads as an alias", "*" + planted + ", 1\n"},
		{"row that reads as a tag", "!" + planted + "!x 1\n"},
		{"row that reads as a list", "[" + planted + "]\n"},
		{"row that reads as a directive", "%" + planted + " 1\n---\n"},
		{"row with quotes", `"` + planted + `", "` + planted + "\n"},
		{"two rows that read as mappings", planted + ": 1\n" + planted + ": 2\n"},
		{"bytes", "\x89PNG\r\n\x00" + planted},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := data.ParseSchema("records.csv", []byte(c.text))
			if err == nil {
				t.Fatal("got no error, want one")
			}
			oneLine(t, err)
		})
	}
}

// TestReadSchema wants the place of what Validate refuses, and words about the file.
func TestReadSchema(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(folder, "s.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if s, err := data.ReadSchema(write(schemaStart + schemaEnd)); err != nil || s.Name != "t" {
		t.Errorf("got %v and error %v, want the schema", s, err)
	}
	cases := []struct {
		name, path, text string
		line, column     int
		words            string
	}{
		{"missing file", filepath.Join(folder, "none.yaml"), "", 0, 0, "does not exist"},
		{"folder", folder, "", 0, 0, "directory"},
		{"open column", "", schemaStart + "  a: DECLARE\n" + schemaEnd, 7, 3, `column "a" is not declared, want numeric: [lower, upper], levels: [...], date: {...}, text: {}, ignore, bounds: private or levels: private`},
		{"open range", "", schemaStart + "  a[0:9]: DECLARE\n" + schemaEnd, 7, 3, `column "a[0:9]" is not declared`},
		{"open target", "", strings.Replace(schemaStart, `["no", "yes"]`, "DECLARE", 1) + schemaEnd, 5, 1, `target "y" is not declared`},
		{"open bound", "", strings.Replace(schemaStart, "100", "DECLARE", 1) + schemaEnd, 4, 1, "max-records is not declared"},
		{"no bound", "", strings.Replace(schemaStart, "max-records: 100\n", "", 1) + schemaEnd, 0, 0, "max-records is not declared"},
		{"open treatment", "", schemaStart + "  a: {numeric: [0, 1], missing: zero}\n" + schemaEnd, 7, 3, `column "a": out-of-range is left open, want one of clamp, as-missing, drop`},
		{"bad bounds", "", schemaStart + "  a: {numeric: [1, 0], out-of-range: clamp, missing: zero}\n" + schemaEnd, 7, 3, `column "a": bounds are [1, 0]`},
		{"target among columns", "", schemaStart + "  y: ignore\n" + schemaEnd, 7, 3, `column "y" is declared twice`},
		{"target of one level", "", strings.Replace(schemaStart, `["no", "yes"]`, "[a]", 1) + schemaEnd, 5, 1, "number of levels is 1"},
		{"records beyond the bound", "", "records: 101\n" + schemaStart + schemaEnd, 1, 1, "records is 101"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = write(c.text)
			}
			_, err := data.ReadSchema(path)
			var e *data.FileError
			if !errors.As(err, &e) {
				t.Fatalf("got error %v, want a *FileError", err)
			}
			oneLine(t, err)
			if e.File != path || e.Line != c.line || e.Column != c.column || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got line %d column %d %q, want line %d column %d and %q", e.Line, e.Column, err, c.line, c.column, c.words)
			}
		})
	}
}

// TestIntegerFaults wants the line of a column whose integers cannot be used, and a remedy.
func TestIntegerFaults(t *testing.T) {
	const treated = ", out-of-range: clamp, missing: zero}\n"
	for text, words := range map[string]string{
		"{numeric: [0, 9], integer: true, bins: [3]":                                   "integer is declared beside bins, want one of the two, since integer is about bins that dither makes; remove integer or bins",
		"{numeric: [0, 9], integer: true, bins: private, max-bins: 4":                  "integer is declared beside bins",
		"{bounds: private, integer: true":                                              "integer is declared beside bounds that are learned, want declared bounds, since the number of features follows from them; declare numeric: [lower, upper], or remove integer",
		"{numeric: [0, 9], learned: true, integer: true":                               "integer is declared beside bounds that are learned",
		"{numeric: [0, 9], integer: true":                                              "",
		"{numeric: [0, 9], integer: true, transform: log1p":                            "",
		"{numeric: [0.5, 8.25], integer: true, transform: none, unit: \"whole years\"": "",
	} {
		_, err := data.ReadSchema(writeFile(t, "s.yaml", schemaStart+"  k: "+text+treated))
		var e *data.FileError
		if words == "" && err == nil {
			continue
		}
		if !errors.As(err, &e) || words == "" || e.Line != 7 || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got %v, want line 7 and %q", text, err, words)
		}
	}
	joined := mustSchema(t, schemaStart+"  k: ignore\n  a: {numeric: [0, 9]"+treated+"related: {v: {key: k, max-rows: 1, columns: {c: {numeric: [0, 9], out-of-range: clamp}}, features: {n: {count: true}}}}\n")
	valid := joined.Validate()
	joined.Related[0].Columns[0].Integer = true
	if err := joined.Validate(); valid != nil || err == nil || !strings.Contains(err.Error(), "a transform or integer, want numeric") {
		t.Errorf("a column of a related table: got %v and %v", valid, err)
	}
	for name, change := range map[string]func(*data.Column){
		"levels": func(c *data.Column) {
			*c = data.Column{Name: "k", Kind: data.Categorical, Levels: []string{"a"}, Unknown: data.Other}
		},
		"ignored": func(c *data.Column) { *c = data.Column{Name: "k", Kind: data.Ignored} },
		"related": func(c *data.Column) { c.Related = "v" },
	} {
		s := mustSchema(t, schemaStart+"  k: {numeric: [0, 9]"+treated)
		change(&s.Columns[0])
		s.Columns[0].Missing, s.Columns[0].Integer = data.Zero, true
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "integer is declared of a column that is no number of the table itself, want it only beside numeric:; remove integer") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
