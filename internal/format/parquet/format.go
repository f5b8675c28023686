package parquet

import (
	"bytes"
	"io"

	"github.com/ditherml/dither/internal/columnar"
)

// magic are the first and the last bytes of a Parquet file.
const magic = "PAR1"

// Format recognizes and opens Parquet files. Its value has no state.
type Format struct{}

// Formats returns the formats for data.Source.Formats.
func Formats() []columnar.Format { return []columnar.Format{Format{}} }

var _ columnar.Table = Format{}

// Name returns "a Parquet file".
func (Format) Name() string { return "a Parquet file" }

// Knows reports whether a file begins as a Parquet file does.
func (Format) Knows(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Open reads the footer of a file. It reads no page.
func (Format) Open(file io.ReaderAt, size int64) (columns columnar.File, err error) {
	defer recovered(&err)
	footer, ok := readFooter(file, size)
	if !ok {
		return nil, damaged()
	}
	t := &table{file: file, footer: footer}
	if t.fields, ok = footer.fields(); !ok {
		return nil, damaged()
	}
	for _, group := range footer.groups {
		for _, c := range group.chunks {
			t.bytes = add(t.bytes, c.uncompressed)
		}
		t.records = add(t.records, group.rows)
	}
	var notes map[string]columnar.Column
	notes, t.comment = footer.describe()
	for _, f := range t.fields {
		c := describe(f)
		c.Comment, c.Coded = notes[f.name].Comment, notes[f.name].Coded
		if c.Refused == nil {
			c.Refused = t.unpacked(f)
		}
		t.columns = append(t.columns, c)
	}
	return t, nil
}

// unpacked returns the reason why some part of a leaf cannot be decompressed, or nil.
func (t *table) unpacked(f field) *columnar.Problem {
	for _, group := range t.footer.groups {
		switch name := group.chunks[f.at].codec.refusedName(); name {
		case "":
		default:
			return refused("the column is compressed with "+name, "compress it with snappy or zstd")
		}
	}
	return nil
}

// add returns the sum of two sizes, or -1 if a size is impossible.
func add(a, b int64) int64 {
	if a < 0 || b < 0 || a+b < 0 {
		return -1
	}
	return a + b
}

// damaged returns the error for any fault of a file.
func damaged() error {
	return &columnar.Problem{Problem: "the Parquet file is damaged, encrypted, or of a kind that is not read", Want: "a whole file that pyarrow or DuckDB wrote, say", Remedy: "copy it again, or write it again"}
}

// recovered turns a panic into an error, because the text of a panic may quote the file.
func recovered(err *error) {
	if recover() != nil {
		*err = damaged()
	}
}

// table is an open file.
type table struct {
	file           io.ReaderAt
	footer         *footer
	fields         []field
	columns        []columnar.Column
	comment        string
	records, bytes int64
}

var _ columnar.File = (*table)(nil)

// Columns returns the fields of the file's outermost level.
func (t *table) Columns() []columnar.Column { return t.columns }

// Comment returns what the key-value metadata says of the table.
func (t *table) Comment() string { return t.comment }

// Records returns the sum over the row groups.
func (t *table) Records() int64 { return t.records }

// Bytes returns the sum over the column chunks.
func (t *table) Bytes() int64 { return t.bytes }

// Reader reads a leaf.
func (t *table) Reader(column int) columnar.Reader {
	f := t.fields[column]
	return &reader{file: t.file, groups: t.footer.groups, end: t.footer.end, field: f, kind: t.columns[column].Kind}
}
