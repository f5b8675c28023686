package arrow_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format/arrow"
)

// The files of testdata are from pyarrow 26. table.csv holds the columns of plain.arrow that are not nested.
const tableSchema = `dither-schema: 1
max-records: 400
target: {column: y, levels: ["no", "yes"]}
defaults: {missing: indicator, out-of-range: clamp, unknown: other}
columns:
  lst: ignore
  i8: {numeric: [-40, 100]}
  u16: {numeric: [0, 1e5]}
  st: ignore
  i64: {numeric: [-1e20, 1e20]}
  f32: {numeric: [0, 100]}
  f64: {numeric: [0, 100]}
  f16: {numeric: [0, 100]}
  d: {numeric: [-1e9, 1e9]}
  big: {numeric: [0, 1e30]}
  job: {levels: [clerk, smith, "a word of more than twelve bytes"]}
  large: {text: {buckets: 256}, missing: zero}
  dic: {levels: [clerk, smith, é]}
  flag: {levels: ["False", "True"]}
  none: {numeric: [0, 1]}
  fl: ignore
  day: {date: {since: 2020-01-01, range: [0, 138]}}
  view: {levels: [clerk, é]}
  dn: {numeric: [0, 10]}
`

func schema(tb testing.TB, text string) *data.Schema {
	tb.Helper()
	s, err := data.ParseSchema("s.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// rows are the values and targets of a data set.
func rows(d *data.Dataset) []string {
	out := make([]string, d.Records())
	for i := range out {
		out[i] = fmt.Sprint(d.Row(nil, i), d.Target()[i])
	}
	return out
}

func compare(t *testing.T, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d rows, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: row %d: got %s, want %s", name, i, got[i], want[i])
			return
		}
	}
}

// TestFilesAgree wants the records that CSV gives, whatever the batches, compression and form of the file, at once and
// in blocks.
func TestFilesAgree(t *testing.T) {
	ctx := context.Background()
	csv := strings.NewReplacer("  lst: ignore\n", "", "  st: ignore\n", "", "  fl: ignore\n", "", "\"False\", \"True\"", "\"false\", \"true\"").Replace(tableSchema)
	d, err := data.Read(ctx, schema(t, csv), data.Source{Path: "testdata/table.csv"}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := rows(d)
	for _, name := range []string{"plain.arrow", "zstd.arrow", "lz4.feather", "stream.arrows"} {
		src := data.Source{Path: filepath.Join("testdata", name), Formats: arrow.Formats()}
		got, err := data.Read(ctx, schema(t, tableSchema), src, data.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compare(t, name, rows(got), want)
		for _, size := range []int{1, 77, 130, 1000} {
			var blocks []string
			err = data.ReadBlocks(ctx, schema(t, tableSchema), src, data.ReadOptions{}, size, func(d *data.Dataset) error {
				blocks = append(blocks, rows(d)...)
				return nil
			})
			if err != nil {
				t.Errorf("%s in blocks: %v", name, err)
			}
			compare(t, fmt.Sprint(name, " in blocks of ", size), blocks, want)
		}
		report, err := data.Check(ctx, schema(t, tableSchema), src)
		if err != nil || report.Rows != 300 {
			t.Errorf("%s: checked as %+v, %v", name, report, err)
		}
	}
}

const jobSchema = `dither-schema: 1
max-records: 400
target: {column: y, levels: ["no", "yes"]}
columns:
  job: {levels: [clerk, smith, é, "a word of more than twelve bytes"], unknown: drop, missing: drop}
`

// TestDictionaries wants a dictionary that a stream extends or replaces read as it is at each batch.
func TestDictionaries(t *testing.T) {
	for name, code := range map[string]func(i int) int{
		"delta.arrows":    func(i int) int { return i % (2 + i/100) },
		"replaced.arrows": func(i int) int { return i * i % 4 },
	} {
		d, err := data.Read(context.Background(), schema(t, jobSchema), data.Source{Path: filepath.Join("testdata", name), Formats: arrow.Formats()}, data.ReadOptions{KeepDropped: true})
		if err != nil || d.Records() != 300 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 300 {
			if got := d.Row(nil, i)[0]; got != float32(code(i)) {
				t.Errorf("%s: row %d has level %v, want %d", name, i, got, code(i))
				break
			}
		}
	}
}

// TestDraft wants bools declared, and columns that cannot be read ignored, from metadata alone.
func TestDraft(t *testing.T) {
	s, err := data.DraftSchema(context.Background(), data.Source{Path: "testdata/plain.arrow", Formats: arrow.Formats()}, data.Draft{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.YAML()
	for _, want := range []string{"lst: ignore", "day: {date: {since: DECLARE", `flag: {levels: ["false", "true"]`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("got\n%s, %v\nwant %q", text, err, want)
		}
	}
}

func file(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// readAll reads every column of a file that is not refused, and returns the first error.
func readAll(text []byte) error {
	f, err := arrow.Format{}.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for i, c := range f.Columns() {
		if c.Refused != nil {
			continue
		}
		r := f.Reader(i)
		for left := min(f.Records(), 1000); left > 0; left -= 50 {
			if _, err := r.Next(int(min(50, left))); err != nil {
				return err
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestFaults wants files that are cut or damaged refused with a problem in words, and never a panic.
func TestFaults(t *testing.T) {
	for _, name := range []string{"plain.arrow", "zstd.arrow", "lz4.feather", "stream.arrows", "delta.arrows"} {
		text := file(t, name)
		for n := 0; n < len(text); n += 1 + len(text)/150 {
			var said *columnar.Problem
			if err := readAll(text[:n]); !errors.As(err, &said) {
				t.Errorf("%s cut to %d bytes: got %v, want a problem", name, n, err)
			}
		}
		for at := 8; at < len(text); at += 1 + len(text)/300 {
			flipped := bytes.Clone(text)
			flipped[at] ^= 0xff
			var said *columnar.Problem
			if err := readAll(flipped); err != nil && !errors.As(err, &said) {
				t.Errorf("%s with byte %d flipped: got %v, want a problem or none", name, at, err)
			}
		}
	}
	for _, text := range []string{"", "ARROW1\x00\x00", "ARROW1\x00\x00\xff\xff\xff\x7fARROW1", "\xff\xff\xff\xff\x00\x00\x00\x00", "\xff\xff\xff\xff\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if err := readAll([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

// TestSourceErrors wants file, column and remedy in the error of a column, and no cell.
func TestSourceErrors(t *testing.T) {
	broken := bytes.Replace(file(t, "plain.arrow"), []byte("a word of more than"), []byte("a wor\x00 of more than"), 1)
	path := filepath.Join(t.TempDir(), "t.arrow")
	if err := os.WriteFile(path, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(schemaText, path string) error {
		_, err := data.Read(context.Background(), schema(t, schemaText), data.Source{Path: path, Formats: arrow.Formats()}, data.ReadOptions{})
		return err
	}
	for want, err := range map[string]error{
		"column 13: bytes were found that are not UTF-8, or a NUL byte": read(tableSchema, path),
		"column 1: the column is nested":                                read(strings.Replace(tableSchema, "lst: ignore", "lst: {numeric: [0, 1]}", 1), "testdata/plain.arrow"),
		"more rows than max-records, 299":                               read(strings.Replace(tableSchema, "400", "299", 1), "testdata/plain.arrow"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "wor") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestLengthBomb wants a buffer refused that claims to decompress to more than its size allows.
func TestLengthBomb(t *testing.T) {
	text := file(t, "zstd.arrow")
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for from := 0; ; {
		at := bytes.Index(text[from:], magic)
		if at < 0 {
			break
		}
		from += at + 4
		binary.LittleEndian.PutUint64(text[from-12:], 1<<29)
	}
	if err := readAll(text); err == nil {
		t.Error("got no error")
	}
}

func FuzzArrow(f *testing.F) {
	for _, name := range []string{"delta.arrows", "replaced.arrows", "lz4.feather", "../../readers/testdata/described.arrow", "../../readers/testdata/fine.arrow"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var said *columnar.Problem
		if err := readAll(text); err != nil && !errors.As(err, &said) {
			t.Errorf("got %v, want a problem", err)
		}
	})
}
