package main

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/pgtest"
	"github.com/ditherml/dither/internal/tabular"
)

// datesSchema declares the columns of internal/format/readers/testdata, dates and moments as distances and as levels.
const datesSchema = `dither-schema: 1
name: dates
row: one person
max-records: 200
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  id: ignore
  x: {numeric: [-40, 40]}
  word: {levels: [red, blue, "\"a, b\""]}
  flag: {levels: ["false", "true"]}
  day: {date: {since: 1970-01-01, range: [-25000, 90000]}}
  born: {levels: ["1969-12-31", "2024-02-29", "2999-01-01"]}
  at: {date: {since: 1970-01-01, range: [-0.03, 0.03]}}
  zoned: {date: {since: 1970-01-01, range: [-0.0004, 0.0004]}}
  shift: {levels: ["2024-02-29 06:00:00", "2024-02-29 14:00:00"]}
`

// datesKindSchema declares the same columns as dates.
const datesKindSchema = `dither-schema: 1
name: dates
row: one person
max-records: 200
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  id: ignore
  x: ignore
  word: ignore
  flag: ignore
  day: {date: {since: 1970-01-01, range: [-25000, 90000], parts: [year, month, weekday]}}
  born: {date: {parts: [month, weekday, hour]}}
  at: {date: {since: 1970-01-01, range: [-0.02, 0.02], parts: [hour, month]}}
  zoned: {date: {since: 1969-12-31, range: [0.9999, 1.0001], parts: [hour, weekday]}}
  shift: {date: {since: 2024-02-28, range: [0, 3], parts: [year, hour]}, missing: zero, fill: 2}
`

// datesGroups are the columns whose texts are compared.
var datesGroups = []string{"born", "shift", "day", "zoned"}

// datesTypes are the types of the columns in a database.
const datesTypes = "(id bigint, x double precision, word text, flag boolean, day date, born date, at timestamp, zoned timestamptz, shift timestamp, y text)"

// TestDates wants one table of numbers, levels, booleans, dates, moments and missing cells to give the same plan and, to
// the bit, the same rows, whatever kind of file or database it is in.
func TestDates(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/readers/testdata")
	if err != nil {
		t.Fatal(err)
	}
	server := pgtest.Start(t)
	table := filepath.Join(folder, "table.csv")
	t.Chdir(t.TempDir())
	datesTable(t, "t.db", table)
	onServer(t, server, "CREATE TABLE t "+datesTypes)
	copyTo(t, server, "t", table)
	for _, kind := range []struct {
		text   string
		groups []string
		column int
	}{{datesSchema, datesGroups, 5}, {datesKindSchema, datesGroups, 7}, {strings.Replace(datesSchema, "max-records", "missing-marks: [\"19.5\", \"-23.25\"]\nmax-records", 1), datesGroups, 5}} {
		compareDates(t, folder, server.URL(), table, kind.text, kind.groups, kind.column)
	}
}

// TestNumbersAreNoDates refuses columns of numbers in typed tables that a schema declares as dates, and columns of dates
// that it declares as numbers.
func TestNumbersAreNoDates(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/readers/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	datesTable(t, "t.db", filepath.Join(folder, "table.csv"))
	numbers := strings.Replace(datesSchema, "x: {numeric: [-40, 40]}", "x: {date: {parts: [month]}}", 1)
	dates := strings.Replace(datesSchema, "day: {date: {since: 1970-01-01, range: [-25000, 90000]}}", "day: {numeric: [-25000, 90000]}", 1)
	for _, c := range []struct {
		schema, want string
		table        []string
	}{
		{numbers, "column 2: the column holds numbers, and the schema declares dates", []string{filepath.Join(folder, "micros.parquet")}},
		{numbers, `column "x" has the type`, []string{"t.db", "--table", "t"}},
		{dates, "column 5: the column holds dates, and the schema declares numbers, want a column of numbers; declare date:", []string{filepath.Join(folder, "micros.parquet")}},
		{dates, "column 5: the column holds dates, and the schema declares numbers", []string{filepath.Join(folder, "fine.arrow")}},
		{dates, `column "day" has the type DATE, want numbers; declare date:`, []string{"t.db", "--table", "t"}},
	} {
		writeText(t, "s.yaml", c.schema)
		status, _, stderr := invoke(append([]string{"schema", "check", "s.yaml"}, c.table...)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: got status %d, %s, want %q", c.table, status, stderr, c.want)
		}
	}
	status, _, stderr := invoke("schema", "init", "t.db", "--table", "t", "--target", "y", "--numeric", "day=0:9")
	if status != exitUsage || !strings.Contains(stderr, `column "day" holds dates, and numbers are declared`) {
		t.Errorf("got status %d, %s for bounds of a column of dates", status, stderr)
	}
}

// compareDates compares the rows of a schema, and wants many distinct values in a column.
func compareDates(t *testing.T, folder, server, table, text string, groups []string, column int) {
	t.Helper()
	writeText(t, "s.yaml", text)
	s, err := data.ReadSchema("s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want *data.Dataset
	var wantPlan string
	for _, address := range []string{table, "plain.arrow", "fine.arrow", "micros.parquet", "nanos.parquet", "old.parquet", "int96.parquet", "t.db", server} {
		path := address
		if ending := filepath.Ext(address); ending == ".arrow" || ending == ".parquet" {
			path = filepath.Join(folder, address)
		}
		flags, from := tabular.Flags{}, []string{"train", "--data", path}
		if isDatabase := address == "t.db" || address == server; isDatabase {
			flags.Table, from = "t", append(from, "--table", "t")
		}
		src, err := flags.Source(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := data.Read(context.Background(), s, src, data.ReadOptions{Extra: groups})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		plan, _ := mustInvoke(t, append(from, "--schema", "s.yaml", "--epsilon", "1", "--dry-run", "--json")...)
		plan, _, _ = strings.Cut(plan, `"noise-draws"`) // after the plan and the event that it costs
		report, err := data.Check(context.Background(), s, src)
		if err != nil || report.Rows != 120 || slices.ContainsFunc(report.Columns, func(c data.ColumnReport) bool { return c.Unparsable > 0 }) {
			t.Errorf("%s: checked as %+v, %v", address, report, err)
		}
		if want == nil {
			want, wantPlan = got, plan
			if !strings.Contains(plan, "noise-multiplier") {
				t.Fatalf("got\n%s\nwant a plan", plan)
			}
			continue
		}
		if plan != wantPlan {
			t.Errorf("%s: got the plan\n%s\nwant\n%s", address, plan, wantPlan)
		}
		sameRows(t, address, got, want)
	}
	distinct := map[float32]bool{}
	for _, v := range want.Column(column) {
		distinct[v] = true
	}
	if len(distinct) < 80 {
		t.Errorf("got %d distinct moments, want most of 120", len(distinct))
	}
}

// sameRows compares two data sets bit by bit.
func sameRows(t *testing.T, what string, got, want *data.Dataset) {
	t.Helper()
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	if got.Records() != want.Records() || !slices.EqualFunc(got.Target(), want.Target(), same) {
		t.Fatalf("%s: got %d records, want %d with the same targets", what, got.Records(), want.Records())
	}
	for j, c := range want.Schema().Features() {
		if !slices.EqualFunc(got.Column(j), want.Column(j), same) {
			t.Errorf("%s: column %s: got %v\nwant %v", what, c.Name, got.Column(j), want.Column(j))
		}
	}
	for _, name := range datesGroups {
		codes, levels, err := got.Group(name)
		wantCodes, wantLevels, failed := want.Group(name)
		isDatabase := what == "t.db" || strings.HasPrefix(what, "postgres")
		if (isDatabase || what == "int96.parquet") && name == "zoned" {
			continue // SQLite and INT96 have no zone
		}
		if err != nil || failed != nil || !slices.Equal(codes, wantCodes) || !slices.Equal(levels, wantLevels) {
			t.Errorf("%s: group %s: got %v %q %v\nwant %v %q", what, name, codes, levels, err, wantCodes, wantLevels)
		}
	}
}

// datesTable copies the CSV file into a typed table of a file of SQLite.
func datesTable(t *testing.T, file, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	db := sqliteFile(t, file, "CREATE TABLE t "+datesTypes)
	for _, row := range rows[1:] {
		values := make([]any, len(row))
		for i, cell := range row {
			switch cell {
			case "":
			case "false", "true":
				values[i] = cell == "true"
			default:
				values[i] = cell
			}
		}
		if _, err = db.Exec("INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?)", values...); err != nil {
			t.Fatal(err)
		}
	}
}
