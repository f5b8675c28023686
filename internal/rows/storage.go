package rows

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Type is how the integers of rows are kept: in the narrowest form that holds them all.
type Type uint8

// The types of rows.
const (
	Int16  Type = iota // integers from -32767 to 32767
	Uint8              // integers from 0 to 255
	Bit                // 0 or 1
	Sparse             // integers from -32767 to 32767; only those that are not 0 are kept
)

// String returns "int16", "uint8", "bit" or "sparse".
func (t Type) String() string {
	if t > Sparse {
		return "invalid-type"
	}
	return [...]string{"int16", "uint8", "bit", "sparse"}[t]
}

// Largest returns the largest integer of the type. Memory of the 16-bit types can hold -32768 too,
// which no writer makes: sums hold for it as well.
func (t Type) Largest() int64 {
	switch t {
	case Uint8:
		return math.MaxUint8
	case Bit:
		return 1
	}
	return math.MaxInt16
}

// Reach returns the largest magnitude that memory of the type can hold.
func (t Type) Reach() int64 {
	if t == Int16 || t == Sparse {
		return -math.MinInt16
	}
	return t.Largest()
}

// RowBytes returns the size of a dense row of this many coordinates, at least 1.
func (t Type) RowBytes(dim int) int {
	bits := [...]int{Int16: 16, Uint8: 8, Bit: 1, Sparse: 1}[t]
	return max(1, dim*bits/8)
}

// Storage holds the integers of rows of one type. Rows are named from 0.
type Storage interface {
	// Read returns the integers of row i: all of them, as bytes or as values without coordinates,
	// or those that are not 0 with their coordinates, which ascend. They may stand in the room.
	Read(i int, own *Room) (index []uint32, values []int16, bytes []uint8)
	// Count returns the number of rows.
	Count() int
	// Put makes v, integers of the type, row i; sparse rows are filled by Append instead.
	Put(i int, v []int16)
	// Norms2 writes Σ x² of every row to dst, exactly.
	Norms2(dst []int64)
	// Dots writes Σ x·m modulo 2^64 of every row to dst; narrow is m when it fits 16 bits, or nil.
	Dots(dst []int64, m []int64, narrow []int16)
	// CopyRow writes row i to dst.
	CopyRow(dst []int16, i int)
	// Same reports whether o is the same rows in the same memory.
	Same(o Storage) bool
	// Part returns n rows from first on, in the same memory.
	Part(first, n int) Storage
	// Take returns copies of the rows that are listed, in memory of to if there is enough.
	Take(to Storage, rows []int) Storage
	// Extend returns the rows, followed by copies of the listed rows of o.
	Extend(o Storage, rows []int) Storage
	// Encode appends the bytes of a file to dst and says how many entries sparse rows have.
	Encode(dst []byte) ([]byte, int)
	// Decode returns the rows that encode made bytes of, without a copy where there is a choice; it
	// may use memory of to otherwise. The first byte is aligned for the numbers of the type.
	Decode(to Storage, bytes []byte, rows, entries int) (Storage, error)
	// Weigh returns the products with weights that stand column after column. They may be rounded
	// first, to integers of a unit of each column, if that is faster.
	Weigh(weights []float32, columns int, rounded bool) Products
	// WeighColumns is weigh for products that stand column after column.
	WeighColumns(weights []float32, columns int, rounded bool) Products
	// AddWhole adds all rows times integers q, row-major, to whole; every partial sum is below
	// 2^53.
	AddWhole(whole, q []float64, columns int)
	// AddColumns is addWhole for integers that stand column after column.
	AddColumns(whole, q []float64, columns int)
	// AddRow adds row i times q to total modulo 2^64, column after column.
	AddRow(total []int64, i int, q []int64)
	// Flush adds what addWhole summed to total, column after column, and clears it.
	Flush(total []int64, whole []float64, columns int)
}

// Products writes the products of all rows of x to dst, row-major; x is of the form that made it.
// Goroutines may share it.
type Products func(dst []float32, x Storage)

// Room is memory for a row.
type Room struct {
	Index  []uint32
	Values []int16
}

// New returns memory for count rows, or for sparse rows without one yet.
func New(t Type, count, dim int) Storage {
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

// Ints returns the integers of rows of type Int16, row after row, in their own memory.
func Ints(x Storage) []int16 { return x.(dense[int16]).x }

// OfInts returns rows of type Int16 of this many coordinates in the memory of x.
func OfInts(x []int16, dim int) Storage { return dense[int16]{dim, x} }

// dense rows have all their integers.
type dense[T int16 | uint8] struct {
	dim int
	x   []T
}

func (p dense[T]) Count() int { return len(p.x) / p.dim }

func (p dense[T]) row(i int) []T { return p.x[i*p.dim : (i+1)*p.dim] }

func (p dense[T]) Put(i int, v []int16) {
	row := p.row(i)
	for j, q := range v {
		row[j] = T(q)
	}
}

func (p dense[T]) Norms2(dst []int64) { kernel.SquareRows(dst, p.x, p.dim) }

func (p dense[T]) Read(i int, _ *Room) ([]uint32, []int16, []uint8) {
	if bytes, ok := any(p.row(i)).([]uint8); ok {
		return nil, nil, bytes
	}
	return nil, any(p.row(i)).([]int16), nil
}

func (p dense[T]) Dots(dst []int64, m []int64, narrow []int16) {
	if narrow != nil {
		kernel.DotRows(dst, p.x, p.dim, narrow)
		return
	}
	dotAll(dst, p, m)
}

// dotAll writes Σ x·m modulo 2^64 of every row to dst, in portable code.
func dotAll(dst []int64, x Storage, m []int64) {
	var own Room
	for i := range dst {
		index, values, bytes := x.Read(i, &own)
		sum := int64(0)
		for j, v := range bytes {
			sum += int64(v) * m[j]
		}
		for k, v := range values {
			j := k
			if index != nil {
				j = int(index[k])
			}
			sum += int64(v) * m[j]
		}
		dst[i] = sum
	}
}

func (p dense[T]) Same(o Storage) bool {
	other, ok := o.(dense[T])
	return ok && sameMemory(p.x, other.x)
}

// sameMemory reports whether two slices are one.
func sameMemory[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (p dense[T]) CopyRow(dst []int16, i int) {
	if row, short := any(p.row(i)).([]int16); short {
		copy(dst, row)
		return
	}
	for j, v := range p.row(i) {
		dst[j] = int16(v)
	}
}

func (p dense[T]) Part(first, n int) Storage {
	return dense[T]{p.dim, p.x[first*p.dim : (first+n)*p.dim]}
}

func (p dense[T]) Take(to Storage, rows []int) Storage {
	buffer, _ := to.(dense[T])
	return dense[T]{p.dim, buffer.x[:0]}.Extend(p, rows)
}

func (p dense[T]) Extend(o Storage, rows []int) Storage {
	from := o.(dense[T])
	p.x = kernel.AppendRows(p.x, from.x, p.dim, rows)
	return p
}

func (p dense[T]) Encode(dst []byte) ([]byte, int) { return append(dst, kernel.Bytes(p.x)...), 0 }

func (p dense[T]) Decode(_ Storage, bytes []byte, rows, _ int) (Storage, error) {
	return dense[T]{p.dim, kernel.View[T](bytes, 0, rows*p.dim)}, nil
}

func (p dense[T]) Weigh(weights []float32, columns int, rounded bool) Products {
	if rounded && kernel.HasIntColumns[T](p.dim) {
		whole := kernel.RoundColumns[T](weights, p.dim, columns)
		return func(dst []float32, x Storage) {
			if x.Count() == 1 {
				whole.ProductsAlone(dst, x.(dense[T]).x)
				return
			}
			whole.Products(dst, x.(dense[T]).x)
		}
	}
	return func(dst []float32, x Storage) {
		if x.Count() == 1 {
			kernel.MarginsAlone(dst, x.(dense[T]).x, p.dim, weights, columns)
			return
		}
		kernel.Margins(dst, x.(dense[T]).x, p.dim, weights, columns)
	}
}

func (p dense[T]) AddWhole(whole, q []float64, columns int) {
	kernel.AddInt(whole, p.x, p.dim, q, columns)
}

func (p dense[T]) WeighColumns(weights []float32, columns int, rounded bool) Products {
	if rounded && kernel.HasIntColumns[T](p.dim) {
		whole := kernel.RoundColumns[T](weights, p.dim, columns)
		return func(dst []float32, x Storage) {
			if x.Count() == 1 {
				whole.ProductsAlone(dst, x.(dense[T]).x)
				return
			}
			whole.ProductsByColumn(dst, x.(dense[T]).x)
		}
	}
	return byColumn(p.Weigh(weights, columns, rounded), columns)
}

// byColumn returns products that are brought from rows into columns.
func byColumn(weighed Products, columns int) Products {
	return func(dst []float32, x Storage) {
		rows := make([]float32, len(dst))
		weighed(rows, x)
		kernel.Transpose(dst, rows, x.Count(), columns)
	}
}

func (p dense[T]) AddColumns(whole, q []float64, columns int) {
	kernel.AddIntColumns(whole, p.x, p.dim, q, columns)
}

// byRow returns integers that stand column after column, as addWhole takes them.
func byRow(q []float64, rows, columns int) []float64 {
	turned := make([]float64, len(q))
	kernel.Transpose(turned, q, columns, rows)
	return turned
}

func (p dense[T]) AddRow(total []int64, i int, q []int64) {
	for k, c := range q {
		dst := total[k*p.dim : (k+1)*p.dim]
		for j, v := range p.row(i) {
			dst[j] += c * int64(v)
		}
	}
}

func (p dense[T]) Flush(total []int64, whole []float64, _ int) { kernel.FlushInt(total, whole) }
