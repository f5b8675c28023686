package parquet_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// The files texts*.parquet have columns that a table may not hold, and one of texts; words.parquet and
// words.csv have the same texts. They were written by pyarrow 26.0.1.

// TestReadTexts wants texts that CSV could not hold refused, without a word of them, and
// columns of other types refused with their reasons.
func TestReadTexts(t *testing.T) {
	const secret = "kQ7zWx" // stands before the bytes that are refused
	for _, c := range []struct {
		column, file string
		records      int
		words        string
	}{
		{"bytes", "texts", 2, ""},
		{"text", "texts", 2, ""},
		{"bytes", "texts-bytes", 0, "column 1: bytes were found that are not UTF-8"},
		{"text", "texts-nul", 0, "column 4: bytes were found that are not UTF-8"},
		{"fixed", "texts", 0, "column 2: the cells are bytes of a fixed length"},
	} {
		text := "dither-schema: 1\nname: t\nrow: one person\nmax-records: 9\ntarget: {column: y, levels: [no, yes]}\ncolumns:\n"
		for _, name := range []string{"bytes", "fixed", "time", "text"} {
			declared := "ignore"
			if name == c.column {
				declared = "{levels: [b, é], unknown: other, missing: drop}"
			}
			text += "  " + name + ": " + declared + "\n"
		}
		d, err := data.Read(context.Background(), schema(t, text), source("testdata/"+c.file+".parquet"), data.ReadOptions{})
		switch {
		case c.words == "" && (err != nil || d.Records() != c.records || d.Column(0)[1] > 1):
			t.Errorf("%s: got %v, error %v, want %d records with a level", c.column, d, err, c.records)
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
	s := schema(t, "dither-schema: 1\nrow: one review\nmax-records: 300\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ncolumns:\n  text: {text: {}, missing: drop}\n  again: {text: {buckets: 256}}\n  year: {text: {buckets: 512}}\n")
	want, err := data.Read(context.Background(), s, data.Source{Path: "testdata/words.csv"}, data.ReadOptions{})
	if err != nil || want.Records() >= 200 {
		t.Fatal(want, err)
	}
	got, err := data.Read(context.Background(), s, source("testdata/words.parquet"), data.ReadOptions{})
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
