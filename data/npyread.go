package data

import (
	"io/fs"
	"os"
)

// bulkSink is a sink that also takes many cells of one column at once. numbers means the same as
// number for each value in turn.
type bulkSink interface {
	reserve(rows int)
	numbers(row, column int, values []float64)
}

var _ bulkSink = (*builder)(nil)

// reserve allocates this many rows in every column.
func (b *builder) reserve(rows int) {
	if len(b.dropped) > 0 { // a part of the table was read before
		return
	}
	for j := range b.columns {
		b.columns[j] = make([]float32, 0, rows)
	}
	b.dropped = make([]bool, 0, rows)
}

// numbers adds the cells of one column from row on. Most cells of a large matrix are numbers within
// their bounds, for which the general treatment is slow; see plainNumbers.
func (b *builder) numbers(row, column int, values []float64) {
	j := b.byColumn[column]
	isTarget := b.hasTarget && column == b.layout.target
	if j < 0 || isTarget || len(b.extraAt[column]) > 0 || b.features[j].Kind != Numeric {
		for i, v := range values {
			b.number(row+i, column, v)
		}
		return
	}
	for len(b.dropped) < row+len(values) {
		b.dropped = append(b.dropped, false)
	}
	b.columns[j] = b.plainNumbers(b.columns[j], row, b.feature(j), values)
}

// plainNumbers appends the stored values of numeric cells. Between the bounds the stored value is
// the nearest float32. within moves a value that rounding took over a bound to the least or the
// greatest float32 within the bounds. Every other cell goes through Column.Number.
func (b *builder) plainNumbers(dst []float32, row int, c counted, values []float64) []float32 {
	low, high := within(c.Lower, c.Lower, c.Upper), within(c.Upper, c.Lower, c.Upper)
	for i, v := range values {
		if v >= c.Lower && v <= c.Upper && !c.isAbsent(v) {
			dst = append(dst, min(max(float32(v), low), high))
			continue
		}
		stored, ok := c.treat(c.classifyNumber(v, nil))
		dst = append(dst, stored)
		b.drop(row+i, ok)
	}
	return dst
}

// vouched reports whether a file on disk is as large as an array. So a short file cannot cause an
// allocation that only its header claims.
func vouched(path string, a *array) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeType == 0 && info.Size()/int64(a.size)/int64(a.width()) >= int64(a.rows())
}

// bulkNumbers returns the function by which a sink takes many cells at once. It allocates the rows
// of a matrix if the file vouches for them.
func bulkNumbers(s sink, rows int, vouched bool) func(row, column int, values []float64) {
	bulk, ok := s.(bulkSink)
	if !ok {
		return func(row, column int, values []float64) {
			for i, v := range values {
				s.number(row+i, column, v)
			}
		}
	}
	if vouched {
		bulk.reserve(rows)
	}
	return bulk.numbers
}
