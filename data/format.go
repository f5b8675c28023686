package data

import (
	"errors"
	"io"
	"os"
)

// Format reads files that hold a table column by column, of a kind that a package of its own
// knows: whoever reads no such file does not carry its library. Source.Formats names them.
//
// No *FileError of a Format, of its Columns and of their readers may quote what a file holds. It is
// completed with the file and the column. Any other error may: it is replaced. A file that is not
// as it should be is an error and never a panic.
type Format interface {
	// Name is what a file of the format is, such as "a Parquet file".
	Name() string
	// Knows reports whether a file that begins with these bytes, at most 64 KiB, is one.
	Knows(head []byte) bool
	// Open reads what a file says about itself. The file stays open as long as the Columns.
	Open(file io.ReaderAt, size int64) (Columns, error)
}

// Columns is an open file of a Format.
type Columns interface {
	// Columns are the columns of the file, in its order.
	Columns() []FileColumn
	// Records is the number of rows, and Bytes the size of the cells after decompression, as
	// the file says; neither can be trusted.
	Records() int64
	Bytes() int64
	// Reader begins to read the column at a position, whose Refused is nil. Readers of
	// several columns may be used side by side.
	Reader(column int) ColumnReader
}

// FileColumn is what a file says about one of its columns.
type FileColumn struct {
	Name string
	Kind CellKind
	// Refused says why the column cannot be read, or is nil. Such a column is an error only
	// where the schema does not ignore it.
	Refused *FileError
}

// CellKind says what the cells of a column are.
type CellKind uint8

// The kinds of cells.
const (
	NumberCells CellKind = iota + 1 // Cells.Numbers
	TextCells                       // Cells.Codes, which are positions in Cells.Texts
	BoolCells                       // Cells.Codes, 0 for false and 1 for true
)

// Cells are cells of one column that follow each other.
type Cells struct {
	// Numbers are numbers; NaN is a missing cell.
	Numbers []float64
	// Codes are -1 for a missing cell.
	Codes []int32
	Texts [][]byte
}

// ColumnReader reads the cells of one column in order.
type ColumnReader interface {
	// Next returns the next n cells, which are valid until it is called again. It is an error
	// when there are fewer.
	Next(n int) (Cells, error)
	Close() error
}

// columns opens a file with the format that knows its first bytes; nil where none does.
func (in *input) columns(f *os.File, head []byte, src Source) (Columns, error) {
	for _, format := range src.Formats {
		if !format.Knows(head) {
			continue
		}
		if in.packed {
			return nil, &FileError{File: src.Path, Problem: "it is " + format.Name() + " within a gzip file", Want: "the file itself, which is compressed already", Remedy: "unpack it with gunzip"}
		}
		if in.size == 0 {
			return nil, &FileError{File: src.Path, Problem: "it is " + format.Name() + " in a stream", Want: "a file on disk", Remedy: "write it into a file"}
		}
		columns, err := format.Open(f, in.size)
		if err != nil {
			return nil, columnFailure(src.Path, 0, err)
		}
		return columns, nil
	}
	return nil, nil
}

// columnFailure completes an error of a Format. Column counts from 1; 0 is none.
func columnFailure(path string, column int, err error) error {
	var e *FileError
	if !errors.As(err, &e) {
		return &FileError{File: path, Column: column, Problem: "the file cannot be read to its end", Want: "a whole file", Remedy: "copy it again, or write it again"}
	}
	complete := *e
	complete.File, complete.Column = path, column
	return &complete
}
