package data

import (
	"bufio"
	"context"
	"io"
)

// blockBytes is the size of a matrix block that is read at once, about that of a fast cache.
const blockBytes = 256 << 10

// matrix is an array whose numbers are still to be read, with its labels, or nil.
type matrix struct {
	*array
	r      io.Reader
	labels *vector
	at     int // the position of the labels for the sink
}

// vector is an open file of labels.
type vector struct {
	*array
	r     io.Reader
	close func() error
}

// labelsBeside returns the function that opens the labels of a matrix, nil where no labels are
// named.
func labelsBeside(ctx context.Context, q request, src Source) func() (*vector, error) {
	if src.Labels == "" {
		return nil
	}
	return func() (*vector, error) {
		f, in, err := openFile(ctx, src.Labels, q.maxBytes, src.Formats)
		if err != nil {
			return nil, err
		}
		in.watch(nil)
		a, r, err := readVector(src.Labels, bufio.NewReaderSize(in, chunkBytes))
		if err != nil {
			_ = f.Close()
		}
		return &vector{a, r, f.Close}, err
	}
}

// match demands one label for each row.
func (v *vector) match(a *array) error {
	if v.rows() == a.rows() && v.width() == 1 {
		return nil
	}
	return &FileError{File: v.file, Problem: "the labels are not as many as the rows of the matrix", Want: "one label for each row", Remedy: "name the labels that go with the matrix"}
}

// columns reads a matrix in Fortran order, column by column.
func (m *matrix) columns(ctx context.Context, s sink) error {
	err := m.numbers(ctx, m.r, m.rows()*m.width(), func(i int, v float64) { s.number(i%m.rows(), i/m.rows(), v) })
	if err == nil {
		err = m.end(m.r)
	}
	if err == nil {
		err = m.target(ctx, s, 0, m.rows())
	}
	return err
}

// blocks reads a matrix in C order by blocks of complete rows and passes each block column by
// column. The columns lie far apart in memory, so that passing a cell of each in turn would be
// slow.
func (m *matrix) blocks(ctx context.Context, s sink, vouched bool) error {
	stride := m.width() * m.size
	block := min(max(1, blockBytes/stride), m.rows())
	buffer, values := make([]byte, block*stride), make([]float64, block)
	numbers := bulkNumbers(s, m.rows(), vouched)
	for from := 0; from < m.rows(); from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(block, m.rows()-from)
		if _, err := io.ReadFull(m.r, buffer[:count*stride]); err != nil {
			return m.failure(err)
		}
		for column := range m.width() {
			for i := range count {
				values[i] = m.decode(buffer[i*stride+column*m.size:])
			}
			numbers(from, column, values[:count])
		}
		if from+count == m.rows() {
			if err := m.end(m.r); err != nil {
				return err
			}
		}
		if err := m.target(ctx, s, from, count); err != nil {
			return err
		}
		if b, ok := s.(*blockSink); ok {
			b.complete()
		}
	}
	return nil
}

// target passes on the labels of some rows. They follow the labels that it passed on before.
func (m *matrix) target(ctx context.Context, s sink, from, count int) error {
	if m.labels == nil {
		return nil
	}
	err := m.labels.numbers(ctx, m.labels.r, count, func(i int, v float64) { s.number(from+i, m.at, v) })
	if err == nil && from+count == m.rows() {
		err = m.labels.end(m.labels.r)
	}
	return err
}

// numbers reads the next numbers of an array in the order of the file.
func (a *array) numbers(ctx context.Context, r io.Reader, count int, number func(i int, v float64)) error {
	buffer := make([]byte, min(count*a.size, chunkBytes/a.size*a.size))
	for i := 0; i < count; {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := buffer[:min(len(buffer), (count-i)*a.size)]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return a.failure(err)
		}
		for at := 0; at < len(chunk); at += a.size {
			number(i, a.decode(chunk[at:at+a.size]))
			i++
		}
	}
	return nil
}
