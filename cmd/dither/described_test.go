package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDraftOfDescriptions drafts from what files say of themselves: types, required columns, bytes and comments, by Arrow,
// pyarrow, Spark and Iceberg. The files hold a secret in cells, dictionaries and statistics, which no draft may have.
func TestDraftOfDescriptions(t *testing.T) {
	folder, err := filepath.Abs("../../internal/format/readers/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	common := []string{"one clinic; id: number of the visit; age: years since birth; note: free words, as spoken; y: whether the patient fell ill",
		"age: {numeric: [0, 255], integer: true, out-of-range: clamp, missing: zero}", "step: {numeric: [-128, 127], integer: true, out-of-range: clamp, missing: indicator}",
		`smoker: {levels: ["false", "true"], unknown: other, missing: zero}`, `column: y, levels: ["false", "true"]`,
		"pay: DECLARE # numeric: [lower, upper], levels", "note: DECLARE # levels: [...], text: {}, ignore", "born: {date: {since: DECLARE, range: DECLARE}} # since: a day", "seen: {date: {since: DECLARE, range: DECLARE}} # since: a day"}
	choices := "ward: DECLARE # levels: [...], ignore or levels: private"
	if err := os.Mkdir("parts", 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, "parts/a.parquet", readFile(t, filepath.Join(folder, "spark.parquet")))
	for file, more := range map[string]string{"described.arrow": choices, "described.parquet": choices, "spark.parquet": "ward: DECLARE # levels", "iceberg.parquet": "ward: DECLARE # levels", "parts": "ward: DECLARE # levels"} {
		table := filepath.Join(folder, file)
		if file == "parts" {
			table = file
		}
		out, advice := mustInvoke(t, "schema", "init", table, "--target", "y", "--max-records", "10")
		for _, want := range append(common, more) {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got\n%s\nwant %q", file, out, want)
			}
		}
		if strings.Contains(out+advice, "s3cret") || strings.Contains(out, "77") || !strings.Contains(advice, "the file's description of itself") {
			t.Errorf("%s: got\n%s%s\nwant no cell", file, out, advice)
		}
	}
	if _, advice := mustInvoke(t, "schema", "init", filepath.Join(folder, "table.csv"), "--target", "y"); !strings.Contains(advice, "The first line of the table") {
		t.Errorf("CSV: got %q", advice)
	}
}
