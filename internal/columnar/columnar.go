// Package columnar says what package data asks of files that hold a table column by column.
package columnar

import "io"

// Format reads files that hold a table column by column, of a kind that a package of its own
// knows: whoever reads no such file does not carry its library.
//
// No *Problem of a Format, of its files and of their readers may quote what a file holds. Package
// data completes it with the file and the column. Any other error may: it is replaced. A file that is
// not as it should be is an error and never a panic.
type Format interface {
	// Name is what a file of the format is, such as "a Parquet file".
	Name() string
	// Knows reports whether a file that begins with these bytes, at most 64 KiB, is one.
	Knows(head []byte) bool
	// Open reads what a file says about itself. The file stays open as long as the File.
	Open(file io.ReaderAt, size int64) (File, error)
}

// File is an open file of a Format.
type File interface {
	// Columns are the columns of the file, in its order.
	Columns() []Column
	// Records is the number of rows, and Bytes the size of the cells after decompression, as
	// the file says; neither can be trusted.
	Records() int64
	Bytes() int64
	// Reader begins to read the column at a position, whose Refused is nil. Readers of
	// several columns may be used side by side.
	Reader(column int) Reader
}

// Column is what a file says about one of its columns.
type Column struct {
	Name string
	Kind Kind
	// Refused says why the column cannot be read, or is nil. Such a column is an error only
	// where the schema does not ignore it.
	Refused *Problem
}

// Kind says what the cells of a column are.
type Kind uint8

// The kinds of cells.
const (
	Numbers Kind = iota + 1 // Cells.Numbers
	Texts                   // Cells.Codes, which are positions in Cells.Texts
	Bools                   // Cells.Codes, 0 for false and 1 for true
)

// Cells are cells of one column that follow each other.
type Cells struct {
	// Numbers are numbers; NaN is a missing cell.
	Numbers []float64
	// Codes are -1 for a missing cell.
	Codes []int32
	Texts [][]byte
}

// Reader reads the cells of one column in order.
type Reader interface {
	// Next returns the next n cells, which are valid until it is called again. It is an error
	// when there are fewer.
	Next(n int) (Cells, error)
	Close() error
}

// Problem is what is wrong with a file or a column. None of its texts quotes what the file holds.
type Problem struct {
	// Problem is what was found, Want what was wanted (may be empty), Remedy what a person can do.
	Problem, Want, Remedy string
}

// Error is one line: "problem, want want; remedy".
func (p *Problem) Error() string {
	text := p.Problem
	if p.Want != "" {
		text += ", want " + p.Want
	}
	if p.Remedy != "" {
		text += "; " + p.Remedy
	}
	return text
}
