package data_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/columnar"
)

// memory is a format whose cells lie in memory. Its files begin with FAKE.
type memory struct {
	columns []columnar.Column
	cells   []columnar.Cells
	records int64
	bytes   int64
	failure error // of Open
	cut     bool  // whether readers return too few cells
}

func (m *memory) Name() string           { return "a table in memory" }
func (m *memory) Knows(head []byte) bool { return bytes.HasPrefix(head, []byte("FAKE")) }
func (m *memory) Open(file io.ReaderAt, size int64) (columnar.File, error) {
	return m, m.failure
}
func (m *memory) Columns() []columnar.Column      { return m.columns }
func (m *memory) Comment() string                 { return "" }
func (m *memory) Records() int64                  { return m.records }
func (m *memory) Bytes() int64                    { return m.bytes }
func (m *memory) Reader(c int) columnar.Reader    { return &memoryReader{m, m.cells[c]} }
func (m *memory) source(t *testing.T) data.Source { return m.named(t, "t", "FAKE") }
func (m *memory) named(t *testing.T, name, text string) data.Source {
	return data.Source{Path: writeFile(t, name, text), Formats: []columnar.Format{m}}
}

type memoryReader struct {
	m     *memory
	cells columnar.Cells
}

func (r *memoryReader) Close() error { return nil }
func (r *memoryReader) Next(n int) (columnar.Cells, error) {
	if len(r.cells.Numbers) < n && len(r.cells.Codes) < n {
		return columnar.Cells{}, io.ErrUnexpectedEOF
	}
	next := columnar.Cells{Texts: r.cells.Texts}
	if len(r.cells.Numbers) > 0 {
		next.Numbers, r.cells.Numbers = r.cells.Numbers[:n], r.cells.Numbers[n:]
	} else {
		next.Codes, r.cells.Codes = r.cells.Codes[:n], r.cells.Codes[n:]
	}
	if r.m.cut {
		next.Numbers, next.Codes = nil, nil
	}
	return next, nil
}

// memorySchema has a column of each kind, all treatments among them.
const memorySchema = `dither-schema: 1
name: memory
row: one person
max-records: 5000
target: {column: y, levels: ["no", "yes"]}
columns:
  x: {numeric: [-1, 1.5], out-of-range: clamp, missing: indicator}
  far: {numeric: [0.1, 2], out-of-range: drop, missing: zero, fill: 1}
  level: {levels: ["1", "0.1", "7"], unknown: other, missing: zero}
  g: {levels: [u, v], unknown: as-missing, missing: indicator}
  b: {levels: ["True", "False"], unknown: other, missing: indicator}
  flag: {numeric: [0, 1], out-of-range: clamp, missing: indicator}
  digits: {numeric: [0, 50], out-of-range: clamp, missing: indicator}
  skip: ignore
`

// memoryTable makes a table and its text as CSV.
func memoryTable(rows int) (*memory, string) {
	source := rand.New(rand.NewPCG(15, 16))
	m := &memory{records: int64(rows)}
	var names []string
	texts := make([][]string, rows)
	number := func(name string, bits int, draw func() float64) {
		cells := columnar.Cells{}
		for i := range rows {
			v, text := draw(), ""
			if source.IntN(20) == 0 {
				v = math.NaN()
			}
			if v == v {
				text = strconv.FormatFloat(v, 'f', -1, bits)
			}
			cells.Numbers = append(cells.Numbers, v)
			texts[i] = append(texts[i], text)
		}
		names, m.cells = append(names, name), append(m.cells, cells)
		m.columns = append(m.columns, columnar.Column{Name: name, Kind: columnar.Numbers})
	}
	coded := func(name string, kind columnar.Kind, levels ...string) {
		cells := columnar.Cells{}
		for _, level := range levels {
			cells.Texts = append(cells.Texts, []byte(level))
		}
		for i := range rows {
			code, text := source.IntN(len(levels)+1)-1, ""
			if code >= 0 {
				text = levels[code]
			}
			cells.Codes = append(cells.Codes, int32(code))
			texts[i] = append(texts[i], text)
		}
		if kind == columnar.Bools {
			cells.Texts = nil
		}
		names, m.cells = append(names, name), append(m.cells, cells)
		m.columns = append(m.columns, columnar.Column{Name: name, Kind: kind})
	}
	number("x", 64, source.NormFloat64)
	coded("y", columnar.Texts, "no", " yes ", "perhaps")
	number("far", 64, func() float64 { return float64(source.Float32()*2) * []float64{1, 1e-8}[source.IntN(2)] })
	number("level", 32, func() float64 { return float64([]float32{1, 0.1, 7, 8}[source.IntN(4)]) })
	coded("g", columnar.Texts, "v", "?", "u", "w", "u")
	coded("b", columnar.Bools, "False", "True")
	coded("flag", columnar.Bools, "0", "1")
	coded("digits", columnar.Texts, "12", "1e9", "x", " 7.25")
	coded("skip", columnar.Texts, "p", "q", "r", "s")
	var b strings.Builder
	b.WriteString(strings.Join(names, ",") + "\n")
	for _, row := range texts {
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return m, b.String()
}

// TestFormat compares a table in columns with the same table as CSV.
func TestFormat(t *testing.T) {
	s, ctx := mustSchema(t, memorySchema), context.Background()
	m, text := memoryTable(3000)
	for _, o := range []data.ReadOptions{{}, {KeepDropped: true}, {WithoutTarget: true, Extra: []string{"skip", "g"}}, {KeepDropped: true, Extra: []string{"skip", "far", "digits"}}} {
		want, err := readCSVText(s, text, o)
		if err != nil || want.Records() < 500 {
			t.Fatalf("CSV: got %v, error %v", want, err)
		}
		got, err := data.Read(ctx, s, m.source(t), o)
		if err != nil {
			t.Fatal(err)
		}
		sameDatasets(t, got, want, o.Extra)
		blocks, from := 0, 0
		err = data.ReadBlocks(ctx, s, m.source(t), o, 700, func(d *data.Dataset) error {
			blocks++
			sameDatasetsBut(t, d, want.Slice(from, from+d.Records()))
			from += d.Records()
			return nil
		})
		if err != nil || from != want.Records() || blocks != (from+699)/700 {
			t.Errorf("%+v: got %d rows in %d blocks, error %v, want %d rows", o, from, blocks, err, want.Records())
		}
	}
	got, err := data.Check(ctx, s, m.source(t))
	want, wantErr := data.Check(ctx, s, data.Source{Path: writeFile(t, "t.csv", text)})
	if err != nil || wantErr != nil {
		t.Fatalf("Check: got errors %v and %v", err, wantErr)
	}
	for i := range want.Columns {
		for k := range want.Columns[i].FirstLines {
			want.Columns[i].FirstLines[k]-- // the header
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || got.Dropped == 0 {
		t.Errorf("Check: got %v\nwant %v", got, want)
	}
}

// sameDatasetsBut compares all but the groups.
func sameDatasetsBut(tb testing.TB, got, want *data.Dataset) { sameDatasets(tb, got, want, nil) }

// TestFormatFaults wants a *FileError for what a file in columns can have wrong.
func TestFormatFaults(t *testing.T) {
	s, ctx := mustSchema(t, memorySchema), context.Background()
	secret := errors.New(planted)
	for _, c := range []struct {
		name   string
		change func(m *memory)
		column int
		words  string
	}{
		{"Open fails", func(m *memory) { m.failure = secret }, 0, "cannot be read to its end"},
		{"Open says why", func(m *memory) { m.failure = &columnar.Problem{Problem: "it is encrypted"} }, 0, "it is encrypted"},
		{"no rows", func(m *memory) { m.records = 0 }, 0, "no records"},
		{"fewer than no rows", func(m *memory) { m.records = -1 }, 0, "cannot be read to its end"},
		{"too many rows", func(m *memory) { m.records = 5001 }, 0, "more rows than max-records, 5000"},
		{"far too many rows", func(m *memory) { m.records = math.MaxInt64 }, 0, "more rows than max-records, 5000"},
		{"fewer cells than rows", func(m *memory) { m.records++ }, 1, "cannot be read to its end"},
		{"too large", func(m *memory) { m.bytes = 1<<40 + 1 }, 0, "the file is too large"},
		{"column missing", func(m *memory) { m.columns[2].Name = planted }, 0, `no column "far"`},
		{"undeclared column", func(m *memory) { m.columns = append(m.columns, columnar.Column{Name: planted}) }, 10, "does not name this column"},
		{"refused column", func(m *memory) { m.columns[4].Refused = &columnar.Problem{Problem: "the cells are dates"} }, 5, "the cells are dates"},
		{"one column", func(m *memory) { m.columns = m.columns[:1] }, 0, "no target column"},
		{"cut cells", func(m *memory) { m.cut = true }, 0, "cannot be read to its end"},
		{"code too high", func(m *memory) { m.cells[4].Codes[99] = 5 }, 5, "cannot be read to its end"},
		{"code too low", func(m *memory) { m.cells[4].Codes[99] = -2 }, 5, "cannot be read to its end"},
		{"bool too high", func(m *memory) { m.cells[5].Codes[99] = 2 }, 6, "cannot be read to its end"},
	} {
		m, _ := memoryTable(100)
		c.change(m)
		_, err := data.Read(ctx, s, m.source(t), data.ReadOptions{})
		var e *data.FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.words) || c.column > 0 && e.Column != c.column {
			t.Errorf("%s: got error %v, want column %d and %q", c.name, err, c.column, c.words)
			continue
		}
		oneLine(t, err)
	}
	m, _ := memoryTable(100)
	m.columns[8].Refused = &columnar.Problem{Problem: "the cells are dates"} // ignored by the schema
	if _, err := data.Read(ctx, s, m.source(t), data.ReadOptions{}); err != nil {
		t.Errorf("ignored column: got error %v, want none", err)
	}
	labeled := m.source(t)
	labeled.Labels = labeled.Path
	for words, source := range map[string]data.Source{
		"within a gzip file":         m.named(t, "t.gz", gzipped("FAKE")),
		"a table with named columns": labeled,
		"1 column was found":         {Path: m.source(t).Path},
	} {
		if _, err := data.Read(ctx, s, source, data.ReadOptions{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v, want %q", err, words)
		}
	}
}

// TestDraftFormat drafts from the names and kinds of columns, and from their cells.
func TestDraftFormat(t *testing.T) {
	ctx := context.Background()
	m, text := memoryTable(200)
	m.columns[3].Refused = &columnar.Problem{Problem: "the cells are dates"}
	s, err := data.DraftSchema(ctx, m.source(t), data.Draft{Target: "flag", Numeric: map[string][2]float64{"x": {0, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Target.Levels, s.Columns[0].Kind, s.Columns[3].Kind, s.Columns[5].Levels, s.Columns[4].Kind); got != "[false true] numeric ignored [false true] undeclared" {
		t.Errorf("got %s", got)
	}
	if len(s.Undeclared) != 6 { // max-records, y, far, g, digits, skip
		t.Errorf("got %d open declarations, want 6: %q", len(s.Undeclared), s.Undeclared)
	}
	if s, err = data.DraftSchema(ctx, m.source(t), data.Draft{Target: "y", FromData: true}); err != nil {
		t.Fatal(err)
	}
	want, err := data.DraftSchema(ctx, data.Source{Path: writeFile(t, "t.csv", text)}, data.Draft{Target: "y", FromData: true, Ignore: []string{"level"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.Columns {
		if c.Name != "b" && c.Name != "flag" && c.Name != "level" && fmt.Sprint(c) != fmt.Sprint(want.Columns[i]) {
			t.Errorf("got %v, want %v", c, want.Columns[i])
		}
	}
	if fmt.Sprint(s.Target) != fmt.Sprint(want.Target) {
		t.Errorf("got %v, want %v", s.Target, want.Target)
	}
}
