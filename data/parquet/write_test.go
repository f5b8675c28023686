package parquet_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
	library "github.com/parquet-go/parquet-go"
)

// record has columns that a table may not hold, and one of texts.
type record struct {
	Bytes  []byte    `parquet:"bytes"`
	Fixed  [3]byte   `parquet:"fixed"`
	Many   []float64 `parquet:"many"`
	Time   time.Time `parquet:"time"`
	Text   string    `parquet:"text,dict"`
	Target string    `parquet:"y"`
}

// recordPath writes records with the library.
func recordPath(t *testing.T, records ...record) string {
	t.Helper()
	var b bytes.Buffer
	w := library.NewGenericWriter[record](&b)
	if _, err := w.Write(records); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadTexts wants texts that CSV could not hold refused, without a word of them, and
// columns of other types refused with their reasons.
func TestReadTexts(t *testing.T) {
	good, secret := record{Bytes: []byte("é"), Text: "b", Target: "no"}, "kQ7zWx"
	badBytes, badText := good, good
	badBytes.Bytes, badText.Text = []byte(secret+"\xff"), secret+"\x00"
	for _, c := range []struct {
		column  string
		records []record
		words   string
	}{
		{"bytes", []record{good, good}, ""},
		{"text", []record{good, good}, ""},
		{"bytes", []record{good, badBytes}, "column 1: bytes were found that are not UTF-8"},
		{"text", []record{good, badText, good}, "column 5: bytes were found that are not UTF-8"},
		{"fixed", []record{good}, "column 2: the cells are bytes of a fixed length"},
		{"many", []record{good}, "column 3: the column has several values in a row"},
		{"time", []record{good}, "column 4: the cells are dates or times"},
	} {
		text := "dither-schema: 1\nname: t\nrow: one person\nmax-records: 9\ntarget: {column: y, levels: [no, yes]}\ncolumns:\n"
		for _, name := range []string{"bytes", "fixed", "many", "time", "text"} {
			declared := "ignore"
			if name == c.column {
				declared = "{levels: [b, é], unknown: other, missing: drop}"
			}
			text += "  " + name + ": " + declared + "\n"
		}
		d, err := data.Read(context.Background(), schema(t, text), source(recordPath(t, c.records...)), data.ReadOptions{})
		switch {
		case c.words == "" && (err != nil || d.Records() != len(c.records) || d.Column(0)[1] > 1):
			t.Errorf("%s: got %v, error %v, want %d records with a level", c.column, d, err, len(c.records))
		case c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), secret)):
			t.Errorf("%s: got error %v, want %q", c.column, err, c.words)
		}
	}
}

// TestReadTooLarge wants the size after decompression to be held to the limit; the file itself
// is smaller.
func TestReadTooLarge(t *testing.T) {
	_, err := data.Read(context.Background(), schema(t, schemaText), source("testdata/zstd-plain.parquet"), data.ReadOptions{MaxBytes: 13000})
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got error %v, want one about the size", err)
	}
}

// TestReadHashedTexts compares the words of a text column with those of the same texts as CSV, with
// numbers as texts too.
func TestReadHashedTexts(t *testing.T) {
	type review struct {
		Text   *string `parquet:"text,optional"`
		Again  string  `parquet:"again,dict"`
		Year   float64 `parquet:"year"`
		Target string  `parquet:"y"`
	}
	var b, table bytes.Buffer
	w := library.NewGenericWriter[review](&b)
	table.WriteString("text,again,year,y\n")
	texts := []string{"A good film, really", "", "the \"worst\" film", "two\nlines", "?"}
	for i := range 300 {
		r := review{&texts[i%5], texts[i%3], float64(1990 + i%7), []string{"no", "yes"}[i%2]}
		if i%11 == 0 {
			r.Text = nil
		}
		if _, err := w.Write([]review{r}); err != nil {
			t.Fatal(err)
		}
		text := ""
		if r.Text != nil {
			text = *r.Text
		}
		fmt.Fprintf(&table, "\"%s\",\"%s\",%v,%s\n", strings.ReplaceAll(text, "\"", "\"\""), strings.ReplaceAll(r.Again, "\"", "\"\""), r.Year, r.Target)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := schema(t, "dither-schema: 1\nrow: one review\nmax-records: 300\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ncolumns:\n  text: {text: {}, missing: drop}\n  again: {text: {buckets: 256}}\n  year: {text: {buckets: 512}}\n")
	want, err := data.ReadFrom(context.Background(), s, "t.csv", &table, data.ReadOptions{})
	if err != nil || want.Records() >= 200 {
		t.Fatal(want, err)
	}
	got, err := data.Read(context.Background(), s, source(path), data.ReadOptions{})
	if err != nil || got.Records() != want.Records() {
		t.Fatalf("got %v, error %v, want %d records", got, err, want.Records())
	}
	for i := range want.Records() {
		gotAt, gotValues := got.Cells(i)
		at, values := want.Cells(i)
		if !slices.Equal(gotAt, at) || !slices.Equal(gotValues, values) || len(at) == 0 {
			t.Fatalf("row %d: got cells %v %v, want %v %v", i, gotAt, gotValues, at, values)
		}
	}
}
