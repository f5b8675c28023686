package data_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ditherml/dither/data"
)

// textSchema has texts among other columns.
const textSchema = `dither-schema: 1
name: reviews
row: one review
max-records: 40
missing-marks: ["?", nil]
target: {column: y, levels: [a, b]}
columns:
  g: {levels: [u, v], unknown: other, missing: indicator}
  t: {text: {buckets: 256, ngrams: 2, stop-words: english}, missing: drop}
  x: {numeric: [-1, 1], out-of-range: clamp, missing: indicator}
  s: {text: {buckets: 512, ngrams: 3, stop-words: none, values: logarithm}, missing: zero}
  h: ignore
`

func mustParse(tb testing.TB, text string) *data.Schema {
	tb.Helper()
	s, err := data.ParseSchema("s.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// fmix64 is the finalizer of MurmurHash3, written as its publication has it.
func fmix64(k uint64) uint64 {
	for _, multiplier := range []uint64{0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53} {
		k = (k ^ k>>33) * multiplier
	}
	return k ^ k>>33
}

// slowBuckets is what Hashing says, by maps, strings and the FNV of the library.
func slowBuckets(h data.Hashing, text string) map[uint32]float32 {
	words := strings.FieldsFunc(strings.Map(unicode.ToLower, text), func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	})
	if h.StopWords == data.StopEnglish {
		words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(data.EnglishStopWords(), w) })
	}
	counts := map[string]int{}
	for n := 1; n <= h.NGrams; n++ {
		for i := 0; i+n <= len(words); i++ {
			counts[strings.Join(words[i:i+n], " ")]++
		}
	}
	sums := map[uint32]int{}
	for gram, count := range counts {
		f := fnv.New64a()
		f.Write([]byte(gram))
		k := fmix64(f.Sum64())
		if h.Values == data.ValuesPresence {
			count = 1
		}
		if k%2 == 1 {
			count = -count
		}
		sums[uint32(k/(math.MaxUint64/uint64(h.Buckets)+1))] += count
	}
	out, norm := map[uint32]float32{}, 0.0
	for bucket, sum := range sums {
		if value := float64(sum); sum != 0 {
			if h.Values == data.ValuesLogarithm {
				value = math.Log2(1+math.Abs(value)) * value / math.Abs(value)
			}
			out[bucket] = float32(value)
			norm = math.Hypot(norm, value)
		}
	}
	for bucket := range out {
		out[bucket] /= float32(norm)
	}
	return out
}

// textPieces are words, marks and what lies between them.
var textPieces = []string{"good", "Good", "GOOD", "bad", "the", "The", "of", "not", "don't", "it's", " ", " ", " ", ", ", ". ", "\n", "-", "_", "é", "É", "e\u0301", "ß", "İ", "Ω", "42", "٣", "½", "日本", "\u200b", "<br />", "🙂", "a"}

func randomText(r *rand.Rand, pieces int) string {
	var b strings.Builder
	for range pieces {
		b.WriteString(textPieces[r.IntN(len(textPieces))])
	}
	return b.String()
}

// checkText compares the buckets of a text with the slow ones, and wants them ascending.
func checkText(tb testing.TB, h data.Hashing, text string) {
	tb.Helper()
	c := data.Column{Name: "t", Kind: data.Text, Hashing: &h, Missing: data.Zero}
	buckets, values, missing, ok := c.TextCell(text, data.MissingSet{})
	if missing != (strings.TrimSpace(text) == "") || !ok {
		tb.Fatalf("%q: got missing %v, ok %v", text, missing, ok)
	}
	got := map[uint32]float32{}
	for k, b := range buckets {
		if k > 0 && b <= buckets[k-1] || int(b) >= h.Buckets || values[k] == 0 {
			tb.Fatalf("%q: got buckets %v with values %v, want them ascending below %d and not 0", text, buckets, values, h.Buckets)
		}
		got[b] = values[k]
	}
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6 } // a few roundings of float32
	if want := slowBuckets(h, text); !maps.EqualFunc(got, want, near) {
		tb.Fatalf("%+v of %q: got %v, want %v", h, text, got, want)
	}
}

// TestTextCell compares random texts with the definition.
func TestTextCell(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for i := range 600 {
		h := data.Hashing{Buckets: data.MinBuckets << r.IntN(12), NGrams: 1 + r.IntN(3), StopWords: []string{data.StopNone, data.StopEnglish}[r.IntN(2)], Values: []string{data.ValuesPresence, data.ValuesLogarithm}[r.IntN(2)]}
		checkText(t, h, randomText(r, i/4))
	}
}

// TestTextCellCollides looks at buckets that many n-grams share.
func TestTextCellCollides(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprint(&b, "w", i, " ")
	}
	for _, values := range []string{data.ValuesPresence, data.ValuesLogarithm} {
		h := data.Hashing{Buckets: data.MinBuckets, NGrams: 2, StopWords: data.StopNone, Values: values}
		checkText(t, h, b.String())
		checkText(t, h, strings.Repeat("again ", 1000))
	}
}

// FuzzTextCell wants the definition kept for any bytes.
func FuzzTextCell(f *testing.F) {
	for _, text := range []string{"", "a", "It's GOOD, isn't it?", "é\xff\xfee", "日本 語", "a\u0301", "\xc3"} {
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, bits uint8) {
		h := data.Hashing{Buckets: data.MinBuckets << (bits & 7), NGrams: 1 + int(bits>>3)%3, StopWords: data.StopEnglish, Values: data.ValuesPresence}
		checkText(t, h, text)
	})
}

// TestEnglishStopWords wants lower-case words, each once, and no negation.
func TestEnglishStopWords(t *testing.T) {
	words := data.EnglishStopWords()
	slices.Sort(words)
	if len(slices.Compact(slices.Clone(words))) != len(words) || len(words) < 100 {
		t.Errorf("got %d words, some twice, or few", len(words))
	}
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) || slices.Contains([]string{"not", "no", "nor", "never", "don", "isn", "very"}, w) {
			t.Errorf("stop word %q", w)
		}
	}
}

// textCells are cells of the text columns that ways to read CSV could read differently.
var textCells = []string{"", "?", "nil", " ? ", "good film", " Good  film! ", "\"quoted, text\"", "\"with \"\"quotes\"\" inside\"", "\"two\nlines of it\"", "the", "é日本", "\"\"", "1.5", "\"a\r\nb\""}

func textTable(r *rand.Rand, rows int) string {
	var b strings.Builder
	b.WriteString("x,t,h,y,s,g\n")
	for range rows {
		cell := func() string { return textCells[r.IntN(len(textCells))] }
		fmt.Fprintf(&b, "%v,%s,\"h\",%s,%s,%s\n", []string{"0.5", "", "7"}[r.IntN(3)], cell(), []string{"a", "b", "c"}[r.IntN(3)], cell(), []string{"u", "w", ""}[r.IntN(3)])
	}
	return b.String()
}

// sameRows holds sparse data sets to each other, row by row.
func sameRows(tb testing.TB, got, want *data.Dataset) {
	tb.Helper()
	if !got.Sparse() || got.Records() != want.Records() {
		tb.Fatalf("got sparse %v, %d records, want %d", got.Sparse(), got.Records(), want.Records())
	}
	for i := range want.Records() {
		gotAt, gotValues := got.Cells(i)
		at, values := want.Cells(i)
		if !slices.Equal(gotAt, at) {
			tb.Fatalf("row %d: got cells at %v, want %v", i, gotAt, at)
		}
		sameBits(tb, fmt.Sprint("row ", i), gotValues, values)
	}
}

// TestTextPaths reads tables with texts in all ways, and in blocks.
func TestTextPaths(t *testing.T) {
	s, r := mustParse(t, textSchema), rand.New(rand.NewPCG(53, 54))
	tables, all := 0, 80
	if thorough {
		all = 200
	}
	for i := range all {
		text := textTable(r, 1+r.IntN(30))
		o := data.ReadOptions{KeepDropped: i%2 == 0, WithoutTarget: i%3 == 0, Extra: []string{"h", "t"}[:i%3]}
		block := 1 + r.IntN(200)
		if !pathsAgree(t, s, text, o, block) {
			continue
		}
		tables++
		want, err := data.ReadFromGeneral(context.Background(), s, "t.csv", strings.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := data.ReadFromInBlocks(context.Background(), s, "t.csv", strings.NewReader(text), o, block)
		if err != nil {
			t.Fatal(err)
		}
		sameRows(t, got, want)
	}
	if tables < all-all/20 {
		t.Errorf("got %d tables of %d: the test is idle", tables, all)
	}
}

// TestTextBlocks reads a table of many blocks, whose rooms are used again.
func TestTextBlocks(t *testing.T) {
	s := mustParse(t, strings.Replace(textSchema, "max-records: 40", "max-records: 9000", 1))
	text, o := strings.ReplaceAll(textTable(rand.New(rand.NewPCG(59, 60)), 9000), "good film", strings.Repeat("good film ", 100)), data.ReadOptions{}
	want, err := data.ReadFromGeneral(context.Background(), s, "t.csv", strings.NewReader(text), o)
	if err != nil || len(text) < 1000000 {
		t.Fatal(len(text), err)
	}
	got, err := data.ReadFromInBlocks(context.Background(), s, "t.csv", strings.NewReader(text), o, 1000)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, got, want)
}

// TestTextRows compares the values of rows with the cells of the columns, one by one.
func TestTextRows(t *testing.T) {
	s := mustParse(t, textSchema)
	text := "g,t,x,s,h,y\nu,good film,0.5,\"bad, bad\",1,a\nw,?,0,good,2,b\n,the,,?,3,b\n"
	d, err := data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(text), data.ReadOptions{})
	if err != nil || d.Records() != 2 || s.Values() != 1+256+1+512 {
		t.Fatalf("got %v with error %v and %d values, want 2 records; the second has no text and is dropped", d, err, s.Values())
	}
	features := s.Features()
	for i, cells := range [][4]string{{"u", "good film", "0.5", "bad, bad"}, {"", "the", "", "?"}} {
		row, at := d.Row(nil, i), 0
		for j := range features {
			c := &features[j]
			want := make([]float32, c.Width())
			if c.Kind == data.Text {
				buckets, values, _, _ := c.TextCell(cells[j], s.Marks())
				for k, b := range buckets {
					want[b] = values[k]
				}
			} else {
				want[0], _ = c.Cell(cells[j], s.Marks())
			}
			got := row[at : at+len(want)]
			at += len(want)
			if !slices.EqualFunc(got, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
				t.Errorf("row %d column %s: got %v, want %v", i, c.Name, got, want)
			}
		}
		if at != len(row) {
			t.Errorf("row %d has %d values, want %d", i, len(row), at)
		}
	}
	if _, _, err = d.Group("g"); err != nil {
		t.Error(err)
	}
	if codes, _, _ := d.Group("g"); !slices.Equal(codes, []int32{0, -1}) {
		t.Errorf("got codes %v, want 0 and missing", codes)
	}
}

// TestTextLooksAtOneRow permutes and removes rows: the cells of the others keep their bits.
func TestTextLooksAtOneRow(t *testing.T) {
	s, r := mustParse(t, textSchema), rand.New(rand.NewPCG(55, 56))
	lines := strings.SplitAfter(strings.ReplaceAll(textTable(r, 30), "\"two\nlines of it\"", "two"), "\n")
	lines = slices.DeleteFunc(lines[:len(lines)-1], func(line string) bool { return strings.Contains(line, "\r") || strings.HasPrefix(line, "b\"") })
	o := data.ReadOptions{KeepDropped: true}
	read := func(lines []string) *data.Dataset {
		d, err := data.ReadFrom(context.Background(), s, "t.csv", strings.NewReader(strings.Join(lines, "")), o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	whole := read(lines)
	order := r.Perm(whole.Records())[:whole.Records()/2]
	some := []string{lines[0]}
	for _, i := range order {
		some = append(some, lines[1+i])
	}
	part := read(some)
	for k, i := range order {
		sameBits(t, fmt.Sprint("row ", i), part.Row(nil, k), whole.Row(nil, i))
	}
}

// TestTextRefused wants clear errors.
func TestTextRefused(t *testing.T) {
	declare := func(column string) string {
		return "dither-schema: 1\nrow: one review\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  t: " + column + "\n"
	}
	for column, words := range map[string]string{
		"{text: {buckets: 1000}}":        "number of buckets is 1000, want a power of two from 256 to 524288",
		"{text: {buckets: 128}}":         "number of buckets is 128",
		"{text: {buckets: 1048576}}":     "number of buckets is 1048576",
		"{text: {ngrams: 4}}":            "ngrams is 4, want 1 to 3 words",
		"{text: {stop-words: german}}":   "stop-words is \"german\", want none or english",
		"{text: {values: counts}}":       "values is \"counts\", want presence or logarithm",
		"{text: {words: 3}}":             "unknown key \"words\"",
		"{text: 5}":                      "text is \"5\", want key: value pairs",
		"{text: {}, missing: indicator}": "missing is \"indicator\", want one of zero, drop",
		"{text: {}, levels: [a]}":        "is more than one",
		"{text: {}, bins: [1]}":          "is text and has the key bins",
		"{text: {buckets: 524288}}\n  u: {text: {buckets: 524288}}\n  v: {text: {}}": "more than 1048576 values in a row",
	} {
		s, err := data.ParseSchema("s.yaml", []byte(declare(column)))
		if err == nil {
			err = s.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", column, err, words)
		}
	}
	s := mustParse(t, declare("{text: {}}"))
	if s.Columns[0].Missing != data.Zero || *s.Columns[0].Hashing != data.HashingFor(s.MaxRecords) {
		t.Errorf("got %+v, want the defaults", s.Columns[0])
	}
	if _, err := data.New(s, [][]float32{{0}}, nil); err == nil || !strings.Contains(err.Error(), "text column") {
		t.Errorf("New: got error %v", err)
	}
	if err := (&data.Schema{MaxRecords: 1, Target: s.Target, Columns: []data.Column{{Name: "t", Kind: data.Text}}}).Validate(); err == nil || !strings.Contains(err.Error(), "DefaultHashing") {
		t.Errorf("a text column without hashing: got error %v", err)
	}
}

// BenchmarkText hashes a text of 230 words.
func BenchmarkText(b *testing.B) {
	r := rand.New(rand.NewPCG(57, 58))
	var text strings.Builder
	for range 230 {
		fmt.Fprintf(&text, "word%d ", r.IntN(5000))
	}
	h := data.DefaultHashing()
	c := data.Column{Name: "t", Kind: data.Text, Hashing: &h, Missing: data.Zero}
	b.ReportAllocs()
	for b.Loop() {
		c.TextCell(text.String(), nil)
	}
}
