package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// draftParquet writes s.yaml, the schema of a Parquet file.
func draftParquet(t *testing.T, table string) {
	t.Helper()
	arguments := []string{"schema", "init", table, "--target", "y", "--levels", "y=no,yes", "--levels", "job=clerk,smith,é", "--max-records", "1000", "--out", "s.yaml"}
	for _, name := range []string{"f32", "f64", "i8", "u32", "i64", "u64", "price"} {
		arguments = append(arguments, "--numeric", name+"=-1e20:1e20")
	}
	mustInvoke(t, append(arguments, "--ignore", "id")...)
	writeText(t, "s.yaml", strings.Replace(readFile(t, "s.yaml"), "{since: DECLARE, range: DECLARE}}", "{since: 2000-01-01, range: [0, 20000]}, out-of-range: clamp, missing: indicator}", 1))
	status, _, stderr := invoke(append(arguments[:len(arguments):len(arguments)], "--numeric", "day=0:9", "--replace")...)
	if status != exitUsage || !strings.Contains(stderr, "the column holds dates, and numbers are declared") {
		t.Errorf("a date as a number: got status %d, %s", status, stderr)
	}
}

// TestParquet drafts a schema for a Parquet file, checks the file against it and trains on it.
func TestParquet(t *testing.T) {
	table, err := filepath.Abs("../../internal/format/parquet/testdata/snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	draftParquet(t, table)
	drafted := readFile(t, "s.yaml")
	for _, words := range []string{"flag: {levels: [\"false\", \"true\"]", "list: ignore"} {
		if !strings.Contains(drafted, words) {
			t.Errorf("draft: got\n%s\nwant %q", drafted, words)
		}
	}
	if out, _ := mustInvoke(t, "schema", "check", "s.yaml", table); !strings.Contains(out, "240 rows") || !strings.Contains(out, "clean") {
		t.Errorf("check: got\n%s\nwant 240 clean rows", out)
	}
	mustInvoke(t, "train", "--data", table, "--schema", "s.yaml", "--out", "m", "--non-private", "--quiet")
	t.Setenv(dataVariable, filepath.Dir(table))
	if out, _ := mustInvoke(t, "data"); !strings.Contains(out, "snappy.parquet") {
		t.Errorf("data: got\n%s\nwant the file listed", out)
	}
}

// TestWitnessOfParquet compares Parquet files by their footers, and no Parquet file with a table as text.
func TestWitnessOfParquet(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/parquet/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	draftParquet(t, filepath.Join(folder, "snappy.parquet"))
	writeText(t, "s.yaml", readFile(t, "s.yaml")+"name: d\n")
	mustInvoke(t, "ledger", "create", "l", "--schema", "s.yaml", "--epsilon", "3", "--delta", "1e-5")
	for _, c := range []struct{ table, want string }{
		{filepath.Join(folder, "snappy.parquet"), "the first look"}, {filepath.Join(folder, "snappy.parquet"), "the same records"},
		{filepath.Join(folder, "none.parquet"), "other content"}, {filepath.Join(folder, "table.csv"), "a file of another kind"},
	} {
		_, stderr := mustInvoke(t, "query", "count", "--data", c.table, "--schema", "s.yaml", "--epsilon", "0.1", "--ledger", "l")
		if !strings.Contains(stderr, "records    "+c.want) {
			t.Errorf("%s: got %q, want %q", filepath.Base(c.table), stderr, c.want)
		}
	}
}
