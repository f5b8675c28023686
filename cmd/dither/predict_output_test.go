package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format/parquet"
)

// parquetCells reads a Parquet file as rows of texts, with its header. Numbers are in their shortest form.
func parquetCells(t *testing.T, path string) [][]string {
	t.Helper()
	content := []byte(readFile(t, path))
	f, err := parquet.Format{}.Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]string, 1+f.Records())
	for i, c := range f.Columns() {
		rows[0] = append(rows[0], c.Name)
		r := f.Reader(i)
		cells, err := r.Next(int(f.Records()))
		if err != nil || c.Refused != nil {
			t.Fatal(c.Name, err, c.Refused)
		}
		for k := range rows[1:] {
			cell := ""
			switch {
			case c.Kind == columnar.Numbers && !math.IsNaN(cells.Numbers[k]):
				cell = strconv.FormatFloat(cells.Numbers[k], 'g', -1, 64)
			case c.Kind == columnar.Texts && cells.Codes[k] >= 0:
				cell = string(cells.Texts[cells.Codes[k]])
			}
			rows[k+1] = append(rows[k+1], cell)
		}
	}
	return rows
}

// sqliteCells reads a table of SQLite as parquetCells does.
func sqliteCells(t *testing.T, file, table string) [][]string {
	t.Helper()
	found, err := sqliteFile(t, file).Query("SELECT * FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	names, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	rows, values, places := [][]string{names}, make([]any, len(names)), make([]any, len(names))
	for i := range values {
		places[i] = &values[i]
	}
	for found.Next() {
		if err = found.Scan(places...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(names))
		for i, v := range values {
			switch v := v.(type) {
			case int64:
				row[i] = strconv.FormatInt(v, 10)
			case float64:
				row[i] = strconv.FormatFloat(v, 'g', -1, 64)
			case string:
				row[i] = v
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPredictFormats wants the cells of CSV in Parquet and in SQLite, in a new file and in one with other tables, for
// models of two levels, of three and of numbers. Only CSV guards a spreadsheet.
func TestPredictFormats(t *testing.T) {
	for _, c := range modelCases {
		made := newModelFolder(t, c.schema, 1)
		t.Chdir(t.TempDir())
		writeText(t, "table.csv", tableText(300, c.income...))
		predict := func(more ...string) string {
			out, _ := mustInvoke(t, append([]string{"predict", made.folder, "table.csv", "--pass-through", "sex,height"}, more...)...)
			return out
		}
		want := readCSV(t, strings.ReplaceAll(predict(), "'=", "="))
		predict("--out", "p.parquet")
		predict("--out", "s.db", "--out-table", "scores")
		sqliteFile(t, "old.sqlite", "CREATE TABLE other (x)", "INSERT INTO other VALUES (7)", `CREATE TABLE "odd "" name" (y)`)
		predict("--out", "old.sqlite", "--out-table", "scores")
		predict("--out", "sqlite:old.sqlite?table=scores", "--replace")
		predict("--out", "sqlite:plain name", "--out-table", `a "table`)
		if got := sqliteCells(t, "old.sqlite", "other"); len(got) != 2 {
			t.Errorf("%s: another table has %d rows", c.name, len(got)-1)
		}
		for name, got := range map[string][][]string{"p.parquet": parquetCells(t, "p.parquet"), "s.db": sqliteCells(t, "s.db", "scores"), "old.sqlite": sqliteCells(t, "old.sqlite", "scores"), "plain name": sqliteCells(t, "plain name", `"a ""table"`)} {
			if !slices.EqualFunc(got, want, slices.Equal) || len(got) != 301 {
				t.Errorf("%s, %s: got %d rows that differ from CSV: %q and %q", c.name, name, len(got), got[:3], want[:3])
			}
		}
		var kind string
		if err := sqliteFile(t, "s.db").QueryRow(`SELECT group_concat(DISTINCT typeof("row") || typeof(prediction)) FROM scores`).Scan(&kind); err != nil || !strings.Contains(kind, "integer") || !strings.Contains(kind, map[bool]string{true: "text", false: "real"}[len(c.header) > 2]) {
			t.Errorf("%s: got types %q, %v", c.name, kind, err)
		}
		for _, name := range []string{"p.parquet", "s.db"} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: got %v, %v, want a file for this user alone", name, info, err)
			}
		}
		if left := hidden(t); len(left) > 0 {
			t.Errorf("left %q", left)
		}
	}
}

// hidden lists the files that are no results.
func hidden(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(".*")
	more, failed := filepath.Glob("*-journal")
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return append(left, more...)
}

// TestPredictIntoItsSource writes into the file of SQLite from which it reads.
func TestPredictIntoItsSource(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	writeText(t, "table.csv", tableText(50, "low"))
	sqliteTable(t, "t.db", "people", "table.csv", "")
	mustInvoke(t, "predict", made.folder, "t.db", "--table", "people", "--pass-through", "sex", "--out", "t.db", "--out-table", "scores")
	if got := sqliteCells(t, "t.db", "scores"); len(got) != 51 || got[0][1] != "sex" {
		t.Errorf("got %q", got)
	}
}

// TestPredictFormatsRefuse wants one line with a remedy, no partial file and no changed table.
func TestPredictFormatsRefuse(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	writeText(t, "table.csv", tableText(50, "low"))
	writeText(t, "ragged.csv", tableText(50, "low")+"1,"+secret+"\n")
	writeText(t, "other.db", "no database")
	writeText(t, "old.parquet", "x")
	db := sqliteFile(t, "full.db", "CREATE TABLE scores (x INTEGER)", "INSERT INTO scores VALUES (7)", "CREATE VIEW v AS SELECT 1 AS x", "CREATE TABLE tight (\"row\" INTEGER CHECK (\"row\" < 3), prediction, \"probability of low\", \"probability of =HIGH()\")")
	before := treeOf(t, ".")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"want --out-table NAME", []string{"table.csv", "--out", "s.db"}},
		{"--out-table is given without", []string{"table.csv", "--out", "s.csv", "--out-table", "t"}},
		{"is no file of SQLite", []string{"table.csv", "--out", "other.db", "--out-table", "t"}},
		{`table "scores": the table has rows`, []string{"table.csv", "--out", "full.db", "--out-table", "scores"}},
		{"the table has other columns", []string{"table.csv", "--out", "full.db", "--out-table", "scores", "--replace"}},
		{"it is a view", []string{"table.csv", "--out", "full.db", "--out-table", "v"}},
		{"a row breaks a condition", []string{"table.csv", "--out", "full.db", "--out-table", "tight"}},
		{"ragged.csv line 52", []string{"ragged.csv", "--out", "s.db", "--out-table", "t"}},
		{"ragged.csv line 52", []string{"ragged.csv", "--out", "full.db", "--out-table", "fresh"}},
		{"ragged.csv line 52", []string{"ragged.csv", "--out", "s.parquet"}},
		{"exists, want a new file", []string{"table.csv", "--out", "old.parquet"}},
		{"absent cannot be written in", []string{"table.csv", "--out", "absent/s.db", "--out-table", "t"}},
		{"want CSV, Parquet or SQLite", []string{"table.csv", "--out", "s.arrow"}},
		{"of a compressed file", []string{"table.csv", "--out", "s.csv.gz"}},
	} {
		status, _, stderr := invoke(append([]string{"predict", made.folder}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		if status == exitDone || !strings.Contains(lines[len(lines)-1], c.want) || strings.Contains(stderr, secret) {
			t.Errorf("%q: got status %d and %q, want %q", c.args, status, stderr, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, out := range [][]string{{"--out", "s.parquet"}, {"--out", "s.db", "--out-table", "t"}, {"--out", "full.db", "--out-table", "fresh"}} {
		var messages bytes.Buffer
		if got := run(ctx, append([]string{"predict", made.folder, "table.csv"}, out...), &messages, &messages); got != exitFailed {
			t.Errorf("%q, interrupted: got exit status %d and %q", out, got, messages.String())
		}
	}
	if after := treeOf(t, "."); !slices.Equal(after, before) {
		t.Errorf("got %q, want %q", after, before)
	}
	var x, tables int
	if err := db.QueryRow("SELECT x, (SELECT count(*) FROM sqlite_schema) + (SELECT count(*) FROM tight) FROM scores").Scan(&x, &tables); err != nil || x != 7 || tables != 3 {
		t.Errorf("got %d of %d (%v), want the tables as they were", x, tables, err)
	}
}
