package data

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/ditherml/dither/internal/columnar"
)

// nullPartition is the value that programs write for a missing cell.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitionCell is the cell that all rows of a file have, because it lies in a folder named
// name=value.
type partitionCell struct{ name, value string }

// partitionOf returns the cell of a folder with a name. The value may have characters in the form
// %20.
func partitionOf(folder string) (partitionCell, bool) {
	name, value, ok := strings.Cut(folder, "=")
	if !ok || name == "" {
		return partitionCell{}, false
	}
	if plain, err := url.PathUnescape(value); err == nil {
		value = plain
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if value == nullPartition {
		value = ""
	}
	return partitionCell{strings.TrimSpace(name), value}, true
}

// partitioned is a file with the columns of its folders after its own.
type partitioned struct {
	columnar.File
	cells []partitionCell
}

// Columns returns all columns.
func (p partitioned) Columns() []columnar.Column {
	columns := append([]columnar.Column(nil), p.File.Columns()...)
	for _, c := range p.cells {
		columns = append(columns, columnar.Column{Name: c.name, Kind: columnar.Texts})
	}
	return columns
}

// Reader reads a column of the file or of its folders.
func (p partitioned) Reader(column int) columnar.Reader {
	own := column - len(p.File.Columns())
	if own < 0 {
		return p.File.Reader(column)
	}
	return &constant{text: []byte(p.cells[own].value)}
}

// constant is a column whose cells are all the same text.
type constant struct {
	text  []byte
	codes []int32
}

var _ columnar.Reader = (*constant)(nil)

// Next returns n cells. Their code is 0, or -1 for a missing cell.
func (c *constant) Next(n int) (columnar.Cells, error) {
	code := int32(0)
	if !utf8.Valid(c.text) || bytes.IndexByte(c.text, 0) >= 0 {
		return columnar.Cells{}, &columnar.Problem{Problem: "a folder's name has bytes that are not UTF-8, or a NUL byte", Want: "names in UTF-8", Remedy: "rename the folder"}
	}
	if len(c.text) == 0 {
		code = -1
	}
	for len(c.codes) < n {
		c.codes = append(c.codes, code)
	}
	return columnar.Cells{Codes: c.codes[:n], Texts: [][]byte{c.text}}, nil
}

// Close does nothing.
func (c *constant) Close() error { return nil }

// partitionRefused returns the error of a file that cannot lie in a folder named key=value.
func partitionRefused(path string) error {
	return &FileError{File: path, Problem: "a file in a folder named key=value is no Parquet or Arrow file", Want: "Parquet or Arrow there", Remedy: "write the key as a column of the file, and rename the folder"}
}
