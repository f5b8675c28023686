package data_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// pathsSchema has a column of each kind and treatment, and numbers among its missing marks.
const pathsSchema = `dither-schema: 1
name: paths
row: one person
max-records: 40
missing-marks: ["?", "-999", "1e1", "NA x"]
target: {column: y, levels: [a, b, "3"]}
columns:
  x: {numeric: [-5, 5.3], out-of-range: clamp, missing: indicator}
  u: {numeric: [0.1, 12], out-of-range: drop, missing: zero, fill: 4}
  g: {levels: [u, "v w", "1", "-0.5"], unknown: other, missing: indicator}
  many: {levels: [a, b, c, d, e, f, g, h, "é"], unknown: as-missing, missing: drop}
  h: ignore
`

// sameDatasets holds two data sets to each other bit by bit, their groups included.
func sameDatasets(tb testing.TB, got, want *data.Dataset, extra []string) {
	tb.Helper()
	if got.Records() != want.Records() || (got.Target() == nil) != (want.Target() == nil) {
		tb.Fatalf("got %d records, target %v, want %d, target %v", got.Records(), got.Target(), want.Records(), want.Target())
	}
	for j := range want.Schema().Features() {
		sameBits(tb, fmt.Sprintf("feature %d", j), got.Column(j), want.Column(j))
	}
	sameBits(tb, "target", got.Target(), want.Target())
	for i := range want.Records() {
		if got.Dropped(i) != want.Dropped(i) {
			tb.Fatalf("row %d: got dropped %v, want %v", i, got.Dropped(i), want.Dropped(i))
		}
	}
	for _, name := range extra {
		codes, levels, err := got.Group(name)
		wantCodes, wantLevels, wantErr := want.Group(name)
		if err != nil || wantErr != nil || !slices.Equal(codes, wantCodes) || !slices.Equal(levels, wantLevels) {
			tb.Fatalf("group %q: got %v %q %v, want %v %q %v", name, codes, levels, err, wantCodes, wantLevels, wantErr)
		}
	}
}

func sameBits(tb testing.TB, what string, got, want []float32) {
	tb.Helper()
	if !slices.EqualFunc(got, want, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
		tb.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// pathsAgree reads a text by blocks and by encoding/csv alone, and reports whether it is a table.
func pathsAgree(tb testing.TB, s *data.Schema, text string, o data.ReadOptions, blockBytes int) bool {
	tb.Helper()
	want, wantErr := data.ReadFromGeneral(context.Background(), s, "t.csv", strings.NewReader(text), o)
	got, err := data.ReadFromInBlocks(context.Background(), s, "t.csv", strings.NewReader(text), o, blockBytes)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		tb.Fatalf("blocks of %d bytes: got error %v\nwant      %v\nof %.2000q", blockBytes, err, wantErr, text)
	}
	if err == nil {
		sameDatasets(tb, got, want, o.Extra)
	}
	return err == nil
}

// pathOptions turns a byte into options.
func pathOptions(bits uint8) data.ReadOptions {
	o := data.ReadOptions{KeepDropped: bits&1 != 0, WithoutTarget: bits&2 != 0}
	if bits&4 != 0 {
		o.Extra = []string{"h", "x", "many"}
	}
	if bits&8 != 0 {
		o.MaxRecords = 3
	}
	if bits&16 != 0 {
		o.MaxBytes = 150
	}
	return o
}

// cellTexts are cells that the two ways could read differently.
var cellTexts = []string{"", "1", "-0", "5.3", "5.30000000000000001", "12", "-999", " -999 ", "1e1", "10", "?", "NA x", "1e400", "-1e-400", "inf", "nan", "0x1p2", "1_0",
	"\"2\"", "\" 2 \"", " \"2\"", "\"a\"\"b\"", "\"a\nb\"", "\"a\r\nb\"", "\"a,b\"", "\"\"", "u", "v w", "\u00a0u\u2003", "\tu", "a", "é", "x\ry", "\r", "+.5", ".5.", "9007199254740993", "0.1000000000000000055511151231257827"}

// faultTexts are cells that no table can hold.
var faultTexts = []string{"a\"b", "\"a\"b", "\"a", "\x00", "\xff", "1,1", "\n", "\"a\" "}

// randomTable writes rows of cells, now and then with a fault.
func randomTable(source *rand.Rand, rows int, faults bool) string {
	var b strings.Builder
	b.WriteString("g,x,h,y,u,many\n")
	for range rows {
		for k := range 6 {
			cell := cellTexts[source.IntN(len(cellTexts))]
			if faults && source.IntN(rows*4) == 0 {
				cell = faultTexts[source.IntN(len(faultTexts))]
			}
			b.WriteString(cell)
			if k < 5 {
				b.WriteString(",")
			}
		}
		b.WriteString([]string{"\n", "\r\n", "\n\n", "\r\r\n"}[source.IntN(4)])
	}
	text := b.String()
	return text[:len(text)-source.IntN(3)]
}

// TestCSVPathsAgree compares both ways of reading on random tables, in blocks of a few bytes
// and in one.
func TestCSVPathsAgree(t *testing.T) {
	s := mustSchema(t, pathsSchema)
	source, tables := rand.New(rand.NewPCG(5, 6)), 0
	all := 400
	if thorough {
		all = 1200
	}
	for i := range all {
		text := randomTable(source, 1+source.IntN(45), i%2 == 0)
		if pathsAgree(t, s, text, pathOptions(uint8(source.IntN(32))), 1+source.IntN(400)) {
			tables++
		}
	}
	if tables < all/20 || tables > all-all/12 {
		t.Errorf("got %d tables without a fault among %d, want many with and many without", tables, all)
	}
}

// TestCSVPathsAgreeOnFaults compares the errors of long tables with several faults, which
// stand in different chunks of the reading.
func TestCSVPathsAgreeOnFaults(t *testing.T) {
	text := strings.Replace(pathsSchema, "max-records: 40", "max-records: 20000", 1)
	s := mustSchema(t, text)
	source := rand.New(rand.NewPCG(7, 8))
	seen := map[string]bool{}
	tables := 12
	if thorough {
		tables = 30
	}
	for range tables {
		var b strings.Builder
		b.WriteString("g,x,h,y,u,many\n")
		for range 8000 {
			b.WriteString("u,1.25,someone,a,3,c\n")
		}
		for range 2 {
			b.WriteString(strings.Repeat("u,1.25,,a,3,c\n", source.IntN(20)))
			if source.IntN(4) == 0 {
				b.WriteString("u,1.25," + strings.Repeat("long", 1<<18+1) + ",a,3,c\n")
			}
			fmt.Fprintf(&b, "u,1.25,%s,a,3,c\n", faultTexts[source.IntN(len(faultTexts))])
		}
		o := data.ReadOptions{MaxRecords: 8000 + source.IntN(40)}
		if source.IntN(4) == 0 {
			o.MaxBytes = int64(8000*21 + source.IntN(100))
		}
		whole := b.String()
		if source.IntN(4) == 0 {
			whole = cutEnd(gzipped(whole))
		}
		pathsAgree(t, s, whole, o, 64<<source.IntN(15))
		_, err := data.ReadFromGeneral(context.Background(), s, "t.csv", strings.NewReader(whole), o)
		var e *data.FileError
		if errors.As(err, &e) {
			seen[e.Problem] = true
		}
	}
	if len(seen) < 7 {
		t.Errorf("got %d different errors, want 7 or more: %v", len(seen), seen)
	}
}

// TestFirstFaultFirst plants two faults in neighboring lines, far behind the first chunk, and
// wants the first.
func TestFirstFaultFirst(t *testing.T) {
	s := mustSchema(t, strings.Replace(smallSchema, "max-records: 3", "max-records: 20000", 1))
	before := header + strings.Repeat("1,clerk,0,no\n", 10000)
	for _, c := range []struct{ first, second, words string }{
		{"1,2\n", "\x00\n", "line 10002: the row has 2 cells"},
		{"\x00\n", "1,2\n", "line 10002: a NUL byte"},
		{"a\"b,,,\n", "\xff\n", "line 10002: a quote stands"},
		{"\xff\n", "a\"b,,,\n", "line 10002: bytes were found that are not UTF-8"},
		{"1,2\n", strings.Repeat("x", 1<<20+1), "line 10002: the row has 2 cells"},
		{strings.Repeat("x", 1<<20+1) + "\n", "1,2\n", "line 10002: a cell is longer"},
		{"1,2\n", "", "line 10002: the row has 2 cells"},
		{"1,2", "", "the file is too large"},
	} {
		o := data.ReadOptions{MaxBytes: int64(len(before + c.first + c.second))}
		text := before + c.first + c.second + "1,clerk,0,no\n"
		if _, err := readCSVText(s, text, o); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%.10q, %.10q: got error %v, want %q", c.first, c.second, err, c.words)
		}
		pathsAgree(t, s, text, o, 100)
	}
}

// TestCSVBlocksStop wants a reading by blocks to end with the context's error.
func TestCSVBlocksStop(t *testing.T) {
	s, text := speedTable(t, 3000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &cancelReader{r: strings.NewReader(text), after: len(text) / 2, cancel: cancel}
	if _, err := data.ReadFromInBlocks(ctx, s, "t.csv", r, data.ReadOptions{}, 1000); err != context.Canceled {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

// FuzzCSVPathsAgree wants the same table, or the same error, of both ways of reading.
func FuzzCSVPathsAgree(f *testing.F) {
	source := rand.New(rand.NewPCG(9, 10))
	for i := range 20 {
		f.Add(randomTable(source, 5, i%2 == 0), uint8(i), uint8(i*10))
	}
	f.Add("x;u;g;many;h;y\n1;2;u;a;;b\n\"1\";2;u;\"a\";;b", uint8(4), uint8(3))
	f.Add("x\tu\tg\tmany\th\ty\n1\t2\tu\ta\t \"\tb\n", uint8(4), uint8(3))
	s := mustSchema(f, pathsSchema)
	f.Fuzz(func(t *testing.T, text string, bits, blockBytes uint8) {
		pathsAgree(t, s, text, pathOptions(bits), 1+int(blockBytes))
	})
}
