package data

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/ditherml/dither/internal/format"
)

// RecordShape returns the shape of one record in an NPY or IDX array of more than two dimensions.
// An example is [28, 28] for images. The first dimension of the array, the number of records, is
// left out. The result is nil for a matrix and for any other file. RecordShape reads only the
// header.
func RecordShape(ctx context.Context, src Source) ([]int, error) {
	if src.Database != nil || src.Path == format.StandardInput || format.IsParts(src.Path) {
		return nil, nil
	}
	f, in, err := openFile(ctx, src.Path, 0, src.Formats)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bufio.NewReaderSize(in, chunkBytes)
	head, err := b.Peek(len(npyMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	var a *array
	switch {
	case string(head) == npyMagic:
		a, err = readHeader(src.Path, b)
	case isIDX(head):
		a, _, err = readIDX(src.Path, b)
	default:
		return nil, nil
	}
	if err != nil || len(a.shape) < 3 {
		return nil, err
	}
	return slices.Clone(a.shape[1:]), nil
}
