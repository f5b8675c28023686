package parquet

import (
	"bytes"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// magic are the first and the last bytes of a Parquet file.
const magic = "PAR1"

// Format recognizes and opens Parquet files. Its value has no state.
type Format struct{}

var _ data.Format = Format{}

// Name returns "a Parquet file".
func (Format) Name() string { return "a Parquet file" }

// Knows reports whether a file begins as a Parquet file does.
func (Format) Knows(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Open reads the footer of a file. It does not look at pages.
func (Format) Open(file io.ReaderAt, size int64) (columns data.Columns, err error) {
	defer recovered(&err)
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, damaged()
	}
	t := &table{file: f, fields: f.Root().Columns()}
	for _, group := range f.Metadata().RowGroups {
		for i := range group.Columns {
			t.bytes = add(t.bytes, group.Columns[i].MetaData.TotalUncompressedSize)
		}
	}
	for _, group := range f.RowGroups() {
		t.records = add(t.records, group.NumRows())
	}
	for _, field := range t.fields {
		c := describe(field)
		if c.Refused == nil && usesLZ4(f, field.Index()) {
			c.Refused = refused("the column is compressed with lz4", "compress it with snappy or zstd")
		}
		t.columns = append(t.columns, c)
	}
	return t, nil
}

// usesLZ4 reports whether some part of a leaf is compressed with lz4, for which the library
// takes all memory where a page is damaged.
func usesLZ4(f *parquet.File, leaf int) bool {
	for _, group := range f.Metadata().RowGroups {
		switch group.Columns[leaf].MetaData.Codec {
		case format.Lz4Raw, format.Lz4: //nolint:staticcheck // the older form is refused too
			return true
		}
	}
	return false
}

// add adds two sizes; a size that no file has makes the sum -1.
func add(a, b int64) int64 {
	if a < 0 || b < 0 || a+b < 0 {
		return -1
	}
	return a + b
}

// damaged is the error for whatever the library finds wrong with a file.
func damaged() error {
	return &data.FileError{Problem: "the Parquet file is damaged, encrypted, or of a kind that is not read", Want: "a whole file that pyarrow or DuckDB wrote, say", Remedy: "copy it again, or write it again"}
}

// recovered turns a panic of the library into an error.
func recovered(err *error) {
	if recover() != nil {
		*err = damaged()
	}
}

// table is an open file.
type table struct {
	file           *parquet.File
	fields         []*parquet.Column
	columns        []data.FileColumn
	records, bytes int64
}

var _ data.Columns = (*table)(nil)

// Columns returns the fields of the file's outermost level.
func (t *table) Columns() []data.FileColumn { return t.columns }

// Records returns the sum over the row groups.
func (t *table) Records() int64 { return t.records }

// Bytes returns the sum over the column chunks.
func (t *table) Bytes() int64 { return t.bytes }

// Reader reads a leaf.
func (t *table) Reader(column int) data.ColumnReader {
	return &reader{groups: t.file.RowGroups(), leaf: t.fields[column].Index(), optional: t.fields[column].Optional(),
		kind: t.columns[column].Kind, number: numberOf(t.fields[column])}
}
