package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestParquet drafts a schema for a Parquet file, checks the file against it and trains on it.
func TestParquet(t *testing.T) {
	table, err := filepath.Abs("../../internal/format/parquet/testdata/snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	arguments := []string{"schema", "init", table, "--target", "y", "--levels", "y=no,yes", "--levels", "job=clerk,smith,é", "--max-records", "1000", "--out", "s.yaml"}
	for _, name := range []string{"f32", "f64", "i8", "u32", "i64", "u64", "price"} {
		arguments = append(arguments, "--numeric", name+"=-1e20:1e20")
	}
	mustInvoke(t, append(arguments, "--ignore", "id")...)
	drafted := readFile(t, "s.yaml")
	for _, words := range []string{"flag: {levels: [\"false\", \"true\"]", "day: ignore", "list: ignore"} {
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
