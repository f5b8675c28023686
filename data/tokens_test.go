package data_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// tokenSchema has words and token numbers, of different vocabularies.
const tokenSchema = `dither-schema: 1
row: one review
max-records: 99
target: {column: y, levels: [a, b]}
columns:
  words: {text: {positions: 4, buckets: 256}}
  numbers: {text: {positions: 3, buckets: 1000, tokens: numbers, stop-words: none}, missing: drop}
`

// bucketOf is the token of a word: the highest bits of its hash, as a bag of that word alone has it.
func bucketOf(t *testing.T, word string, buckets int) float32 {
	t.Helper()
	c := data.Column{Kind: data.Text, Missing: data.Zero, Hashing: &data.Hashing{Buckets: buckets, NGrams: 1, StopWords: data.StopNone, Values: data.ValuesPresence}}
	found, _, _, _ := c.TextCell(word, nil)
	if len(found) != 1 {
		t.Fatalf("%q is in buckets %v, want one", word, found)
	}
	return float32(found[0])
}

// TestTokensStandInOrder compares the cells of rows with the words that are written in them.
func TestTokensStandInOrder(t *testing.T) {
	s := mustParse(t, tokenSchema)
	if s.Values() != 7 || s.Features()[0].Hashing.NGrams != 1 {
		t.Fatalf("a row has %d values of %d-grams, want 7 of single words", s.Values(), s.Features()[0].Hashing.NGrams)
	}
	table := "words,numbers,y\n\"The film: film, GOOD\",12 0;999,a\n,1000 -1 7,b\napple two three four five,\"5,6,7,8\",b\nx,,a\n"
	d, err := data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(table), data.ReadOptions{})
	if err != nil || d.Records() != 3 {
		t.Fatalf("got %v, error %v, want 3 records; the last has no numbers and is dropped", d, err)
	}
	hashed := func(word string) float32 { return bucketOf(t, word, 256) + 1 }
	for i, want := range [][]float32{
		{hashed("film"), hashed("film"), hashed("good"), 0, 13, 1, 1000},
		{0, 0, 0, 0, 0, 0, 8},
		{hashed("apple"), hashed("two"), hashed("three"), hashed("four"), 6, 7, 8},
	} {
		if got := d.Row(nil, i); !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
	if hashed("apple") == hashed("two") || hashed("film") == hashed("good") {
		t.Error("the words of the test share buckets")
	}
}

// TestTokenPaths reads tables in all ways, and writes and reads the schema.
func TestTokenPaths(t *testing.T) {
	s, r := mustParse(t, tokenSchema), rand.New(rand.NewPCG(63, 64))
	for range 100 {
		table := "words,numbers,y\n"
		for range r.IntN(20) {
			table += fmt.Sprintf("%s,%s,%s\n", []string{"a b", "", "good film of the year", "?"}[r.IntN(4)], []string{"1 2", "", "x 3", "-4", "5 6 7 8"}[r.IntN(5)], []string{"a", "b"}[r.IntN(2)])
		}
		pathsAgree(t, s, table, data.ReadOptions{KeepDropped: r.IntN(2) == 0}, 1+r.IntN(100))
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := mustParse(t, string(text)); !slices.EqualFunc(again.Columns, s.Columns, func(a, b data.Column) bool {
		return a.Name == b.Name && *a.Hashing == *b.Hashing && a.Missing == b.Missing
	}) {
		t.Errorf("written and read again it is another schema:\n%s", text)
	}
}

// TestTokensRefused wants clear errors.
func TestTokensRefused(t *testing.T) {
	for column, words := range map[string]string{
		"{positions: 1}":                                  "positions is 1, want 2 to 4096 words",
		"{positions: 5000}":                               "positions is 5000",
		"{positions: 9, buckets: 1000}":                   "number of buckets is 1000, want a power of two from 256 to 16384 where words have positions",
		"{positions: 9, buckets: 131072}":                 "number of buckets is 131072",
		"{positions: 9, tokens: numbers, buckets: 40000}": "number of buckets is 40000, want 2 to 32767",
		"{positions: 9, ngrams: 2}":                       "ngrams is 2 and values presence beside positions",
		"{positions: 9, values: logarithm}":               "values logarithm beside positions",
		"{positions: 9, tokens: letters}":                 "tokens is \"letters\", want hashed or numbers",
		"{tokens: numbers}":                               "tokens is declared without positions",
	} {
		s, err := data.ParseSchema("s.yaml", []byte("dither-schema: 1\nrow: one review\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  t: {text: "+column+"}\n"))
		if err == nil {
			err = s.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", column, err, words)
		}
	}
}
