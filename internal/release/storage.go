package release

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// RowType is how the integers of rows are kept: in the narrowest form that holds them all.
type RowType uint8

// The types of rows.
const (
	Int16  RowType = iota // integers from -32767 to 32767
	Uint8                 // integers from 0 to 255
	Bit                   // 0 or 1
	Sparse                // integers from -32767 to 32767; only those that are not 0 are kept
)

// String returns "int16", "uint8", "bit" or "sparse".
func (t RowType) String() string {
	if t > Sparse {
		return "invalid-type"
	}
	return [...]string{"int16", "uint8", "bit", "sparse"}[t]
}

// Largest returns the largest integer of the type. Memory of the 16-bit types can hold -32768 too, which no
// writer makes: sums hold for it as well.
func (t RowType) Largest() int64 {
	switch t {
	case Uint8:
		return math.MaxUint8
	case Bit:
		return 1
	}
	return maxCoordinate
}

// reach returns the largest magnitude that memory of the type can hold.
func (t RowType) reach() int64 {
	if t == Int16 || t == Sparse {
		return -math.MinInt16
	}
	return t.Largest()
}

// storage holds the integers of rows of one type. Rows are named from 0.
type storage interface {
	integers
	// count returns the number of rows.
	count() int
	// put rounds v/step to row i by way; sparse rows are filled by append instead.
	put(i int, v []float64, step float64, way func(float64) float64)
	// norms2 writes Σ x² of every row to dst, exactly.
	norms2(dst []int64)
	// dots writes Σ x·m modulo 2^64 of every row to dst; narrow is m when it fits 16 bits, or nil.
	dots(dst []int64, m []int64, narrow []int16)
	// copyRow writes row i to dst.
	copyRow(dst []int16, i int)
	// same reports whether o is the same rows in the same memory.
	same(o storage) bool
	// part returns n rows from first on, in the same memory.
	part(first, n int) storage
	// take returns copies of the rows that are listed, in memory of to if there is enough.
	take(to storage, rows []int) storage
	// extend returns the rows, followed by copies of the listed rows of o.
	extend(o storage, rows []int) storage
	// encode appends the bytes of a file to dst and says how many entries sparse rows have.
	encode(dst []byte) ([]byte, int)
	// decode returns the rows that encode made bytes of, without a copy where there is a choice; it may use memory
	// of to otherwise. The first byte is aligned for the numbers of the type.
	decode(to storage, bytes []byte, rows, entries int) (storage, error)
	// weigh returns the products with weights that stand column after column. They may be rounded
	// first, to integers of a unit of each column, if that is faster.
	weigh(weights []float32, columns int, rounded bool) products
	// weighColumns is weigh for products that stand column after column.
	weighColumns(weights []float32, columns int, rounded bool) products
	// addWhole adds all rows times integers q, row-major, to whole; every partial sum is below
	// 2^53.
	addWhole(whole, q []float64, columns int)
	// addColumns is addWhole for integers that stand column after column.
	addColumns(whole, q []float64, columns int)
	// addRow adds row i times q to total modulo 2^64, column after column.
	addRow(total []int64, i int, q []int64)
	// flush adds what addWhole summed to total, column after column, and clears it.
	flush(total []int64, whole []float64, columns int)
}

// products writes the products of all rows of x to dst, row-major; x is of the form that made it.
// Goroutines may share it.
type products func(dst []float32, x storage)

// newStorage returns memory for count rows, or for sparse rows without one yet.
func newStorage(t RowType, count, dim int) storage {
	switch t {
	case Uint8:
		return dense[uint8]{dim, memory[uint8](count * dim)}
	case Bit:
		return bitRows{dim, memory[uint64](count * kernel.BitWords(dim))}
	case Sparse:
		return &sparseRows{dim: dim, start: make([]int, 1, count+1)}
	}
	return dense[int16]{dim, memory[int16](count * dim)}
}

// memory returns n zeros, in huge pages where there are some.
func memory[T any](n int) []T {
	s := make([]T, n)
	kernel.HugePages(s)
	return s
}

// dense rows have all their integers.
type dense[T int16 | uint8] struct {
	dim int
	x   []T
}

func (p dense[T]) count() int { return len(p.x) / p.dim }

func (p dense[T]) row(i int) []T { return p.x[i*p.dim : (i+1)*p.dim] }

func (p dense[T]) put(i int, v []float64, step float64, way func(float64) float64) {
	low, high := float64(-maxCoordinate), float64(maxCoordinate)
	if _, bytes := any(T(0)).(uint8); bytes {
		low, high = 0, math.MaxUint8
	}
	row := p.row(i)
	for j, f := range v {
		row[j] = T(inside(way(f/step), low, high))
	}
}

// inside moves an integer into [low, high]; NaN becomes 0.
func inside(q, low, high float64) float64 {
	switch {
	case q != q:
		return 0
	case q < low:
		return low
	case q > high:
		return high
	}
	return q
}

func (p dense[T]) norm2(i int) int64 { return kernel.SquareInt(p.row(i)) }

func (p dense[T]) norms2(dst []int64) { kernel.SquareRows(dst, p.x, p.dim) }

func (p dense[T]) read(i int, _ *room) ([]uint32, []int16, []uint8) {
	if bytes, ok := any(p.row(i)).([]uint8); ok {
		return nil, nil, bytes
	}
	return nil, any(p.row(i)).([]int16), nil
}

func (p dense[T]) dots(dst []int64, m []int64, narrow []int16) {
	if narrow != nil {
		kernel.DotRows(dst, p.x, p.dim, narrow)
		return
	}
	dotAll(dst, p, m)
}

// dotAll writes Σ x·m modulo 2^64 of every row to dst, in portable code.
func dotAll(dst []int64, x integers, m []int64) {
	var lent room
	for i := range dst {
		var own reader
		own.row.index, own.row.values, own.bytes = x.read(i, &lent)
		dst[i] = own.dot(m)
	}
}

func (p dense[T]) same(o storage) bool {
	other, ok := o.(dense[T])
	return ok && sameMemory(p.x, other.x)
}

// sameMemory reports whether two slices are one.
func sameMemory[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (p dense[T]) copyRow(dst []int16, i int) {
	if row, short := any(p.row(i)).([]int16); short {
		copy(dst, row)
		return
	}
	for j, v := range p.row(i) {
		dst[j] = int16(v)
	}
}

func (p dense[T]) part(first, n int) storage {
	return dense[T]{p.dim, p.x[first*p.dim : (first+n)*p.dim]}
}

func (p dense[T]) take(to storage, rows []int) storage {
	buffer, _ := to.(dense[T])
	return dense[T]{p.dim, buffer.x[:0]}.extend(p, rows)
}

func (p dense[T]) extend(o storage, rows []int) storage {
	from := o.(dense[T])
	p.x = kernel.AppendRows(p.x, from.x, p.dim, rows)
	return p
}

func (p dense[T]) encode(dst []byte) ([]byte, int) { return append(dst, kernel.Bytes(p.x)...), 0 }

func (p dense[T]) decode(_ storage, bytes []byte, rows, _ int) (storage, error) {
	return dense[T]{p.dim, kernel.View[T](bytes, 0, rows*p.dim)}, nil
}

// grow returns a slice of n entries, in the memory of s if there is enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (p dense[T]) weigh(weights []float32, columns int, rounded bool) products {
	if rounded && kernel.HasIntColumns[T](p.dim) {
		whole := kernel.RoundColumns[T](weights, p.dim, columns)
		return func(dst []float32, x storage) {
			if x.count() == 1 {
				whole.ProductsAlone(dst, x.(dense[T]).x)
				return
			}
			whole.Products(dst, x.(dense[T]).x)
		}
	}
	return func(dst []float32, x storage) {
		if x.count() == 1 {
			kernel.MarginsAlone(dst, x.(dense[T]).x, p.dim, weights, columns)
			return
		}
		kernel.Margins(dst, x.(dense[T]).x, p.dim, weights, columns)
	}
}

func (p dense[T]) addWhole(whole, q []float64, columns int) {
	kernel.AddInt(whole, p.x, p.dim, q, columns)
}

func (p dense[T]) weighColumns(weights []float32, columns int, rounded bool) products {
	if rounded && kernel.HasIntColumns[T](p.dim) {
		whole := kernel.RoundColumns[T](weights, p.dim, columns)
		return func(dst []float32, x storage) {
			if x.count() == 1 {
				whole.ProductsAlone(dst, x.(dense[T]).x)
				return
			}
			whole.ProductsByColumn(dst, x.(dense[T]).x)
		}
	}
	return byColumn(p.weigh(weights, columns, rounded), columns)
}

// byColumn returns products that are brought from rows into columns.
func byColumn(weighed products, columns int) products {
	return func(dst []float32, x storage) {
		rows := make([]float32, len(dst))
		weighed(rows, x)
		kernel.Transpose(dst, rows, x.count(), columns)
	}
}

func (p dense[T]) addColumns(whole, q []float64, columns int) {
	kernel.AddIntColumns(whole, p.x, p.dim, q, columns)
}

// byRow returns integers that stand column after column, as addWhole takes them.
func byRow(q []float64, rows, columns int) []float64 {
	turned := make([]float64, len(q))
	kernel.Transpose(turned, q, columns, rows)
	return turned
}

func (p dense[T]) addRow(total []int64, i int, q []int64) {
	for k, c := range q {
		dst := total[k*p.dim : (k+1)*p.dim]
		for j, v := range p.row(i) {
			dst[j] += c * int64(v)
		}
	}
}

func (p dense[T]) flush(total []int64, whole []float64, _ int) { kernel.FlushInt(total, whole) }
