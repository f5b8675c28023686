package data

import (
	"errors"
	"os"

	"github.com/ditherml/dither/internal/columnar"
)

// columns returns a file opened by the format that knows its first bytes; nil where no format does.
func (in *input) columns(f *os.File, head []byte, src Source) (columnar.File, error) {
	for _, known := range src.Formats {
		format, ok := known.(columnar.Table)
		if !ok || !format.Knows(head) {
			continue
		}
		if in.packed {
			return nil, &FileError{File: src.Path, Problem: "it is " + format.Name() + " within " + in.packing, Want: "the file itself, which is compressed already", Remedy: "decompress it"}
		}
		if in.size == 0 {
			return nil, &FileError{File: src.Path, Problem: "it is " + format.Name() + " in a stream", Want: "a file on disk", Remedy: "write it into a file"}
		}
		columns, err := format.Open(f, in.size)
		if err != nil {
			return nil, columnFailure(src.Path, 0, err)
		}
		if len(src.partition) > 0 {
			columns = partitioned{columns, src.partition}
		}
		return columns, nil
	}
	if len(src.partition) > 0 {
		return nil, partitionRefused(src.Path)
	}
	return nil, nil
}

// columnFailure completes an error of a Format. column counts from 1; 0 means none.
func columnFailure(path string, column int, err error) error {
	var complete *FileError
	var said *columnar.Problem
	switch {
	case errors.As(err, &complete):
		return complete
	case errors.As(err, &said):
		return &FileError{File: path, Column: column, Problem: said.Problem, Want: said.Want, Remedy: said.Remedy}
	}
	return &FileError{File: path, Column: column, Problem: "the file cannot be read to its end", Want: "a whole file", Remedy: "copy it again, or write it again"}
}
