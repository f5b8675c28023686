package data

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ditherml/dither/internal/witness"
)

// scanMatrix passes the numbers of an NPY matrix, and of its labels, to the sink.
func scanMatrix(ctx context.Context, q request, src Source, r *bufio.Reader) error {
	a, err := readHeader(q.file, r)
	if err != nil {
		return err
	}
	return scanArray(ctx, q, a, r, labelsBeside(ctx, q, src))
}

// scanArray passes a matrix to the sink. Column i of the matrix is the i-th of the schema. If open
// is nil, there are no separate labels, and the target is the last column.
func scanArray(ctx context.Context, q request, a *array, r io.Reader, open func() (*vector, error)) error {
	l, err := matchMatrix(q, a, open != nil)
	if err != nil {
		return err
	}
	switch {
	case a.rows() == 0:
		return noRecords(q.file)
	case a.rows() > q.maxRecords:
		return tooMany(q, 0)
	}
	var labels *vector
	if open != nil && !q.withoutTarget {
		if labels, err = open(); err != nil {
			return err
		}
		defer labels.close()
		if err = labels.match(a); err != nil {
			return err
		}
	}
	q.sink.begin(l)
	m := matrix{array: a, r: r, labels: labels, at: len(q.schema.Columns)}
	if a.fortran {
		return m.columns(ctx, q.sink)
	}
	return m.blocks(ctx, q.sink, vouched(q.file, a))
}

// matchMatrix maps the schema to the columns of a matrix by position.
func matchMatrix(q request, a *array, labels bool) (layout, error) {
	if err := refuseDates(q, "an array of numbers"); err != nil {
		return layout{}, err
	}
	if err := refuseTexts(q, "an array of numbers"); err != nil {
		return layout{}, err
	}
	if err := refusePassed(q, "an array of numbers"); err != nil {
		return layout{}, err
	}
	columns := len(q.schema.Columns)
	withTarget := !labels && !q.withoutTarget
	width := a.width()
	switch {
	case len(a.shape) < 2:
		return layout{}, &FileError{File: q.file, Problem: "the array is a vector", Want: "a matrix with one row for each record", Remedy: "give the labels apart"}
	case a.fortran && len(a.shape) > 2:
		return layout{}, &FileError{File: q.file, Problem: "the array has more than two dimensions in Fortran order", Want: "C order", Remedy: "save it with numpy.ascontiguousarray"}
	case withTarget && width == columns:
		return layout{}, &FileError{File: q.file, Problem: fmt.Sprintf("the matrix has %s and no target", plural(width, "column")), Want: fmt.Sprintf("%d, the target last", columns+1), Remedy: "give the target as a vector with Source.Labels"}
	case width != columns && width != columns+1 || labels && width != columns || withTarget && width != columns+1:
		return layout{}, &FileError{File: q.file, Problem: fmt.Sprintf("the matrix has %s", plural(width, "column")), Want: fmt.Sprintf("%d as in the schema", columns), Remedy: "use the schema of this table"}
	}
	l := layout{width: width, target: -1}
	if !q.withoutTarget {
		l.target = columns // the last column, or one past the matrix
	}
	for i := range q.schema.Columns {
		if q.schema.Columns[i].Kind != Ignored {
			l.features = append(l.features, i)
		}
	}
	for _, name := range q.extra {
		for i := range q.schema.Columns {
			if q.schema.Columns[i].Name == name {
				l.extra = append(l.extra, i)
			}
		}
	}
	return l, nil
}

// end demands the end of the file, where checksums are compared.
func (a *array) end(r io.Reader) error {
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return damaged(a.file, "there are bytes after the last number", "an array as its header says")
	case err != io.EOF:
		return err
	}
	return nil
}

// failure returns why the numbers end early.
func (a *array) failure(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged(a.file, "the file is cut off", "as many numbers as its header says")
	}
	return err
}

// scanArchive reads an NPZ file. The matrix is the member named x, or the only matrix. The target
// is the vector named y, or the only vector.
func scanArchive(ctx context.Context, q request, src Source) error {
	f, _, err := openFile(ctx, src.Path, 0, nil)
	if err != nil {
		return err
	}
	f.Close()
	z, err := zip.OpenReader(src.Path)
	if err != nil {
		return damaged(src.Path, "it is no NPZ file", "a zip archive of arrays")
	}
	defer z.Close()
	for _, f := range z.File {
		witness.From(ctx).Index(fmt.Appendf(nil, "%q %d %08x", f.Name, f.UncompressedSize64, f.CRC32))
	}
	matrix, target, err := members(ctx, q, z.File)
	if err != nil {
		return err
	}
	if matrix == nil {
		return damaged(src.Path, "no array in it is the one matrix", `a matrix named "x", or only one matrix`)
	}
	a, in, err := openMember(ctx, q, matrix)
	if err != nil {
		return err
	}
	defer in.close()
	if target == nil {
		return scanArray(ctx, q, a, in, nil)
	}
	return scanArray(ctx, q, a, in, func() (*vector, error) {
		labels, member, openErr := openMember(ctx, q, target)
		return &vector{array: labels, r: member, close: member.close}, openErr
	})
}

// member is an open array of an archive.
type member struct {
	*bufio.Reader
	close func() error
}

func openMember(ctx context.Context, q request, f *zip.File) (*array, member, error) {
	file := q.file
	r, err := f.Open()
	if err != nil {
		return nil, member{}, damaged(file, "an array in it cannot be unpacked", "a zip archive of arrays")
	}
	in := &input{ctx: ctx, file: file, raw: &counter{n: int64(f.CompressedSize64)}, r: r, packed: true, maxBytes: q.maxBytes}
	if in.maxBytes == 0 {
		in.maxBytes = defaultMaxBytes
	}
	m := member{bufio.NewReaderSize(in, chunkBytes), r.Close}
	a, err := readHeader(file, m.Reader)
	if err != nil {
		_ = r.Close()
	}
	return a, m, err
}

// members returns the matrix and the vector of an archive. Each is nil where there is none or no
// way to choose.
func members(ctx context.Context, q request, files []*zip.File) (matrix, vector *zip.File, err error) {
	var matrices, vectors []*zip.File
	seen := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".npy") {
			continue
		}
		if seen[f.Name] {
			return nil, nil, damaged(q.file, "two arrays in it have one name", "each name once")
		}
		seen[f.Name] = true
		a, in, err := openMember(ctx, q, f)
		if err != nil {
			return nil, nil, err
		}
		_ = in.close()
		if len(a.shape) > 1 {
			matrices = append(matrices, f)
		} else {
			vectors = append(vectors, f)
		}
	}
	return choose(matrices, "x.npy"), choose(vectors, "y.npy"), nil
}

// choose returns the member of this name, or the only one.
func choose(files []*zip.File, name string) *zip.File {
	for _, f := range files {
		if f.Name == name {
			return f
		}
	}
	if len(files) == 1 {
		return files[0]
	}
	return nil
}
