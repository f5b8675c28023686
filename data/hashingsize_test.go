package data_test

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// TestHashingFor wants the buckets and n-grams of small tables small, by declared numbers alone.
func TestHashingFor(t *testing.T) {
	for _, c := range []struct{ records, buckets, ngrams int }{
		{0, 16384, 1}, {1, 4096, 1}, {4096, 4096, 1}, {4097, 8192, 1}, {25000, 32768, 1}, {99_999, 131072, 1}, {100_000, 131072, 2}, {1 << 40, 131072, 2},
	} {
		h := data.HashingFor(c.records)
		if h.Buckets != c.buckets || h.NGrams != c.ngrams || h.StopWords != data.StopEnglish || h.Values != data.ValuesPresence {
			t.Errorf("%d records: got %+v, want %d buckets and n-grams of %d", c.records, h, c.buckets, c.ngrams)
		}
	}
}

// TestTextSizesFollowTheSchema wants the defaults by records before max-records, wherever they stand, and what is
// declared left alone.
func TestTextSizesFollowTheSchema(t *testing.T) {
	for _, c := range []struct {
		sizes, text     string
		buckets, ngrams int
	}{
		{"max-records: 200000", "{}", 131072, 2},
		{"max-records: 200000\nrecords: 4460", "{}", 8192, 1},
		{"max-records: 5000", "{buckets: 65536}", 65536, 1},
		{"max-records: 5000", "{ngrams: 3}", 8192, 3},
		{"max-records: 5000", "{positions: 10}", 8192, 1},
		{"max-records: DECLARE", "{}", 16384, 1},
	} {
		head, tail := "dither-schema: 1\n", "target: {column: y, levels: [a, b]}\ncolumns:\n  t: {text: "+c.text+"}\n  u: {text: "+c.text+"}\n"
		for _, text := range []string{head + c.sizes + "\n" + tail, head + tail + c.sizes + "\n"} {
			s, err := data.ParseSchema("s.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, column := range s.Columns {
				if h := column.Hashing; h.Buckets != c.buckets || h.NGrams != c.ngrams {
					t.Errorf("%s, %s: got %+v, want %d buckets and n-grams of %d", c.sizes, c.text, h, c.buckets, c.ngrams)
				}
			}
		}
	}
	if _, err := data.ReadSchema(writeFile(t, "s.yaml", strings.Replace(smallSchema, "columns:", "columns:\n  t: {text: {buckets: 0}}", 1))); err == nil || !strings.Contains(err.Error(), "buckets is 0") {
		t.Errorf("no buckets: got %v", err)
	}
}
