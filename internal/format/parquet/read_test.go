package parquet_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/format/parquet"
)

// The files of testdata, and table.csv with the same cells, were written by pyarrow 26.0.1
// with and without compression, pages of both versions, and dictionaries, plain and delta encodings.

// schemaText declares the columns of testdata.
const schemaText = `dither-schema: 1
name: table
row: one person
max-records: 1000
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  f32: {numeric: [-2, 2]}
  f64: {numeric: [-1000, 1000], out-of-range: drop}
  i8: {numeric: [-100, 200]}
  u32: {numeric: [0, 5000000000]}
  i64: {numeric: [-1000000000000, 1000000000000]}
  u64: {numeric: [0, 20000000000000000000]}
  price: {numeric: [-100000, 100000]}
  flag: {levels: ["false", "true"]}
  job: {levels: [clerk, smith]}
  id: ignore
  day: {date: {since: 2020-01-01, range: [0, 138]}}
  list: ignore
`

func schema(tb testing.TB, text string) *data.Schema {
	tb.Helper()
	s, err := data.ParseSchema("t.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func source(path string) data.Source {
	return data.Source{Path: path, Formats: parquet.Formats()}
}

func files(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.parquet")
	paths = slices.DeleteFunc(paths, func(path string) bool {
		name := filepath.Base(path)
		return name == "lz4.parquet" || name == "brotli.parquet" || strings.HasPrefix(name, "texts") || name == "words.parquet"
	})
	if err != nil || len(paths) != 5 {
		tb.Fatalf("got files %q, error %v, want 5", paths, err)
	}
	return paths
}

// same compares two data sets bit by bit, with some groups.
func same(tb testing.TB, what string, got, want *data.Dataset, groups ...string) {
	tb.Helper()
	equal := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	if got.Records() != want.Records() || !slices.EqualFunc(got.Target(), want.Target(), equal) {
		tb.Fatalf("%s: got %d records, target %v, want %d, %v", what, got.Records(), got.Target(), want.Records(), want.Target())
	}
	for j, c := range want.Schema().Features() {
		if !slices.EqualFunc(got.Column(j), want.Column(j), equal) {
			tb.Errorf("%s: column %s: got %v\nwant %v", what, c.Name, got.Column(j), want.Column(j))
		}
	}
	for _, name := range groups {
		codes, levels, err := got.Group(name)
		wantCodes, wantLevels, wantErr := want.Group(name)
		if err != nil || wantErr != nil || !slices.Equal(codes, wantCodes) || !slices.Equal(levels, wantLevels) {
			tb.Errorf("%s: group %s: got %v %q %v, want %v %q", what, name, codes, levels, err, wantCodes, wantLevels)
		}
	}
}

// TestRead compares each file with the same table as CSV.
func TestRead(t *testing.T) {
	s, ctx := schema(t, schemaText), context.Background()
	o := data.ReadOptions{Extra: []string{"id", "job", "flag", "i64"}}
	want, err := data.Read(ctx, s, data.Source{Path: "testdata/table.csv"}, o)
	if err != nil || want.Records() < 200 || want.Records() == 240 {
		t.Fatalf("CSV: got %v, error %v", want, err)
	}
	for _, path := range files(t) {
		got, err := data.Read(ctx, s, source(path), o)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		same(t, path, got, want, o.Extra...)
		from := 0
		err = data.ReadBlocks(ctx, s, source(path), o, 37, func(d *data.Dataset) error {
			same(t, path, d, want.Slice(from, from+d.Records()))
			from += d.Records()
			return nil
		})
		if err != nil || from != want.Records() {
			t.Errorf("%s in blocks: got %d records, error %v, want %d", path, from, err, want.Records())
		}
	}
}

// TestCheck compares the reports on a file and on the same table as CSV.
func TestCheck(t *testing.T) {
	s, ctx := schema(t, schemaText), context.Background()
	want, err := data.Check(ctx, s, data.Source{Path: "testdata/table.csv"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files(t) {
		got, err := data.Check(ctx, s, source(path))
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows != want.Rows || got.Dropped != want.Dropped || want.Dropped == 0 {
			t.Errorf("%s: got %d rows, %d dropped, want %d, %d", path, got.Rows, got.Dropped, want.Rows, want.Dropped)
		}
		for i, c := range want.Columns {
			g := got.Columns[i]
			if g.Missing != c.Missing || g.Unparsable != c.Unparsable || g.OutOfRange != c.OutOfRange || g.Unknown != c.Unknown {
				t.Errorf("%s: column %s: got %+v, want %+v", path, c.Name, g, c)
			}
		}
	}
}

// TestRefused wants the reason and the position of a column that cannot be read.
func TestRefused(t *testing.T) {
	s := schema(t, strings.Replace(schemaText, "list: ignore", "list: {numeric: [0, 1]}", 1))
	_, err := data.Read(context.Background(), s, source("testdata/none.parquet"), data.ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "column 12: the column is nested") || !strings.Contains(err.Error(), "ignore") {
		t.Errorf("got error %v, want a nested column refused", err)
	}
}

// TestRefusedCodec wants a column refused whose codec is not read.
func TestRefusedCodec(t *testing.T) {
	for _, codec := range []string{"lz4", "brotli"} {
		_, err := data.Read(context.Background(), schema(t, schemaText), source("testdata/"+codec+".parquet"), data.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), "column 13: the column is compressed with "+codec) {
			t.Errorf("got error %v, want one about %s and the first column that is read", err, codec)
		}
	}
}

// TestDraft drafts from names and types.
func TestDraft(t *testing.T) {
	s, err := data.DraftSchema(context.Background(), source("testdata/snappy.parquet"), data.Draft{Target: "y", MaxRecords: 10, Ignore: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]data.Kind{}
	for _, c := range s.Columns {
		kinds[c.Name] = c.Kind
	}
	if len(kinds) != 12 || kinds["flag"] != data.Categorical || kinds["day"] != 0 || kinds["list"] != data.Ignored || kinds["i8"] != data.Numeric || kinds["f32"] != 0 || kinds["job"] != 0 {
		t.Errorf("got %v", kinds)
	}
	if len(s.Undeclared) != 9 {
		t.Errorf("got %d open declarations, want 9: %q", len(s.Undeclared), s.Undeclared)
	}
}

// readDamaged reads bytes as a file: any table, or a *FileError of one line.
func readDamaged(tb testing.TB, s *data.Schema, path string, content []byte) bool {
	tb.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	_, err := data.Read(context.Background(), s, source(path), data.ReadOptions{Extra: []string{"id"}})
	var e *data.FileError
	if err != nil && (!errors.As(err, &e) || strings.ContainsAny(err.Error(), "\r\n")) {
		tb.Fatalf("got error %q, want a *FileError of one line", err)
	}
	return err != nil
}

// TestDamaged flips bytes, and cuts files, at random places.
func TestDamaged(t *testing.T) {
	s, random, path := schema(t, schemaText), rand.New(rand.NewPCG(17, 18)), filepath.Join(t.TempDir(), "t.parquet")
	refused := 0
	for _, name := range files(t) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			damaged := slices.Clone(content)
			for range 1 + random.IntN(3) {
				damaged[4+random.IntN(len(damaged)-4)] ^= byte(1 << random.IntN(8))
			}
			if i%10 == 0 {
				damaged = damaged[:4+random.IntN(len(damaged)-4)]
			}
			if readDamaged(t, s, path, damaged) {
				refused++
			}
		}
	}
	if refused < 60 {
		t.Errorf("got %d files refused of 300, want 60 or more", refused)
	}
}

// FuzzRead wants no panic, whatever a file holds.
func FuzzRead(f *testing.F) {
	for _, name := range files(f) {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, name := range []string{"int96", "spark", "described"} {
		content, err := os.ReadFile("../readers/testdata/" + name + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	s, path := schema(f, schemaText), filepath.Join(f.TempDir(), "t.parquet")
	f.Fuzz(func(t *testing.T, content []byte) { readDamaged(t, s, path, content) })
}
