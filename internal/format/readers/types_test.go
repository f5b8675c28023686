package readers_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format/readers"
)

// TestEveryDeclaration reads each column of the files under each kind of declaration, fitting or not, and wants what CSV
// gives: numbers as levels and words, texts as numbers, dates as distances and parts. Columns of dates are no numbers. Only booleans as numbers are left out, since CSV has words.
func TestEveryDeclaration(t *testing.T) {
	dated := []string{"day", "born", "at", "zoned", "shift"}
	columns := []string{"id", "x", "word", "flag", "day", "born", "at", "zoned", "shift"}
	declarations := []string{"{numeric: [-100, 50000], out-of-range: drop, missing: indicator}", "{numeric: [-100, 50], out-of-range: as-missing, missing: zero}",
		`{levels: [red, "1", "19.5", "true", "1970-01-01", "2024-02-29 14:00:00"], unknown: other, missing: indicator}`, "{levels: [blue, é], unknown: drop, missing: drop}", "{text: {buckets: 256}, missing: zero}",
		"{date: {since: 1970-01-01, range: [-1000, 50000], parts: [month, hour]}, out-of-range: drop, missing: indicator}"}
	for _, column := range columns {
		for _, declaration := range declarations {
			isDated := slices.Contains(dated, column)
			if column == "flag" && strings.Contains(declaration, "numeric") || !isDated && strings.Contains(declaration, "date:") {
				continue
			}
			text := "dither-schema: 1\nmax-records: 200\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ncolumns:\n"
			for _, name := range columns {
				declared := "ignore"
				if name == column {
					declared = declaration
				}
				text += "  " + name + ": " + declared + "\n"
			}
			s, err := data.ParseSchema("s.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			var want string
			for _, file := range []string{"table.csv", "plain.arrow", "fine.arrow", "micros.parquet", "nanos.parquet", "old.parquet", "int96.parquet"} {
				if file == "int96.parquet" && column == "zoned" && !strings.Contains(declaration, "numeric") {
					continue // INT96 has no zone
				}
				src := data.Source{Path: filepath.Join("testdata", file), Formats: readers.All()}
				d, err := data.Read(context.Background(), s, src, data.ReadOptions{KeepDropped: true})
				if isDated && file != "table.csv" && strings.Contains(declaration, "numeric") {
					if err == nil || !strings.Contains(err.Error(), "the column holds dates, and the schema declares numbers") {
						t.Errorf("%s of %s as %s: got %v, want a refusal", column, file, declaration, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s of %s as %s: %v", column, file, declaration, err)
					continue
				}
				report, err := data.Check(context.Background(), s, src)
				if err != nil {
					t.Errorf("%s of %s as %s: %v", column, file, declaration, err)
				}
				counts := slices.Collect(func(yield func(string) bool) {
					for _, c := range report.Columns {
						yield(fmt.Sprint(c.Missing, c.Unknown, c.OutOfRange, c.Unparsable))
					}
				})
				got := fmt.Sprint(report.Rows, report.Dropped, counts)
				for i := range d.Records() {
					at, values := d.Cells(i)
					got += fmt.Sprint(d.Dropped(i), at)
					for _, v := range values {
						got += fmt.Sprintf(" %x", math.Float32bits(v))
					}
				}
				if want == "" {
					want = got
				} else if got != want {
					t.Errorf("%s of %s as %s: got\n%.300s\nwant\n%.300s", column, file, declaration, got, want)
				}
			}
		}
	}
}

// TestCutEverywhere wants every file refused that lacks its end, wherever it is cut.
func TestCutEverywhere(t *testing.T) {
	s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nmax-records: 200\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  x: {numeric: [0, 1]}\n  day: {date: {parts: [month]}}\n  at: {date: {parts: [month]}}\n  id: ignore\n  word: ignore\n  flag: ignore\n  born: ignore\n  zoned: ignore\n  shift: ignore\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"plain.arrow", "fine.arrow", "micros.parquet", "nanos.parquet", "int96.parquet"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), file)
		for n := 8; n < len(text); n += 1 + n/100 {
			if err = os.WriteFile(path, text[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err = data.Read(context.Background(), s, data.Source{Path: path, Formats: readers.All()}, data.ReadOptions{}); err == nil {
				t.Errorf("%s cut to %d of %d bytes: got no error", file, n, len(text))
			}
		}
	}
}
