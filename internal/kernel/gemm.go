package kernel

import (
	"fmt"
	"unsafe"
)

// Float is a type of the entries of matrices.
type Float interface{ float32 | float64 }

// Matrix is a view of a slice as a matrix: entry (i, j) is Data[i*RowStride + j*ColumnStride]. One
// of the strides must be 1, and the other at least the number of entries that it steps over. So
// rows, or columns, are contiguous and do not overlap. A matrix without entries may have any
// strides.
type Matrix[T Float] struct {
	Data                    []T
	Rows, Columns           int
	RowStride, ColumnStride int
}

// NewMatrix returns the view of data, row after row, of shape rows × columns.
func NewMatrix[T Float](data []T, rows, columns int) Matrix[T] {
	return Matrix[T]{Data: data, Rows: rows, Columns: columns, RowStride: columns, ColumnStride: 1}
}

// At returns entry (i, j).
func (m Matrix[T]) At(i, j int) T { return m.Data[i*m.RowStride+j*m.ColumnStride] }

// Transposed returns the transpose of m: a view of the same numbers.
func (m Matrix[T]) Transposed() Matrix[T] {
	return Matrix[T]{Data: m.Data, Rows: m.Columns, Columns: m.Rows, RowStride: m.ColumnStride, ColumnStride: m.RowStride}
}

// Slice returns rows from ≤ i < to of m: a view of the same numbers.
func (m Matrix[T]) Slice(from, to int) Matrix[T] {
	if from < 0 || to < from || to > m.Rows {
		panic(fmt.Sprintf("kernel: rows %d to %d of a matrix of %d rows", from, to, m.Rows))
	}
	if from < to && m.Columns > 0 {
		m.Data = m.Data[from*m.RowStride:]
	}
	m.Rows = to - from
	return m
}

// checkMatrix panics unless the data hold all entries.
func checkMatrix[T Float](m Matrix[T], name string) {
	if m.Rows < 0 || m.Columns < 0 {
		panic(fmt.Sprintf("kernel: Gemm: %s has %d rows and %d columns", name, m.Rows, m.Columns))
	}
	if m.Rows == 0 || m.Columns == 0 {
		return
	}
	rowwise := m.ColumnStride == 1 && (m.RowStride >= m.Columns || m.Rows == 1)
	columnwise := m.RowStride == 1 && (m.ColumnStride >= m.Rows || m.Columns == 1)
	if !rowwise && !columnwise || m.RowStride < 0 || m.ColumnStride < 0 {
		panic(fmt.Sprintf("kernel: Gemm: %s of shape %d × %d has strides %d and %d", name, m.Rows, m.Columns, m.RowStride, m.ColumnStride))
	}
	if last := (m.Rows-1)*m.RowStride + (m.Columns-1)*m.ColumnStride; last >= len(m.Data) {
		panic(fmt.Sprintf("kernel: Gemm: %s of shape %d × %d has %d numbers, want %d", name, m.Rows, m.Columns, len(m.Data), last+1))
	}
}

// Gemm sets c to alpha·a·b + beta·c. The shapes must agree: m × n of c, m × k of a, k × n of b.
// Transposed views give the products with transposes. For a layer with weights w of shape out × in,
// Gemm(y, 1, x, w.Transposed(), 0) is the forward pass. Gemm(dx, 1, dy, w, 0) is the gradient by
// the arguments, and Gemm(dw, 1, dy.Transposed(), x, 1) adds the gradient by the weights. The
// matrix c must not overlap a or b. Gemm panics if a shape or a stride is wrong, before it writes
// anything. With beta = 0 the old values of c have no effect, not even NaN. With alpha = 0 or k =
// 0, c is multiplied by beta, and a and b have no effect.
//
// The sum of an entry goes over k in blocks of at most gemmDepth, as equal as possible. Within a
// block it begins with 0 and adds the products in ascending order. The blocks, times alpha, are
// added to beta·c in ascending order. With AVX2 and AVX-512 each of these steps is a fused
// multiply-add, and the results of both have the same bits. Without them every product and sum is
// rounded. An entry therefore depends on its row of a, its column of b, its old value and the
// instructions. It does not depend on m, n, its place or the number of processors. Because it
// depends on the instructions, privacy must not depend on the bits of a product.
//
// Let u be 2^-24 (float32) or 2^-53 (float64). The error of an entry is at most γ·(|alpha|·Σ|a·b| +
// |beta·c|), where γ = t·u/(1 - t·u), t = min(k, gemmDepth) + ⌈k/gemmDepth⌉ + 3. Overflow and
// underflow are excluded. Source: N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
// edition (2002), section 3.1.
//
// Large products use several processors.
func Gemm[T Float](c Matrix[T], alpha T, a, b Matrix[T], beta T) {
	gemmOnce(0, c, alpha, a, b, beta)
}

// GemmSerial is Gemm on the caller's processor only. The result has the same bits.
func GemmSerial[T Float](c Matrix[T], alpha T, a, b Matrix[T], beta T) {
	gemmOnce(1, c, alpha, a, b, beta)
}

// gemmOnce is Gemm by the given number of workers; 0 means the number that pays off. Code after it
// is compiled here once for each type, not again in every package that multiplies.
func gemmOnce[T Float](workers int, c Matrix[T], alpha T, a, b Matrix[T], beta T) {
	switch c := any(&c).(type) {
	case *Matrix[float32]:
		gemm32(workers, c, float32(alpha), any(&a).(*Matrix[float32]), any(&b).(*Matrix[float32]), float32(beta))
	case *Matrix[float64]:
		gemm64(workers, c, float64(alpha), any(&a).(*Matrix[float64]), any(&b).(*Matrix[float64]), float64(beta))
	}
}

//go:noinline
func gemm32(workers int, c *Matrix[float32], alpha float32, a, b *Matrix[float32], beta float32) {
	gemmChecked(available, workers, *c, alpha, *a, *b, beta)
}

//go:noinline
func gemm64(workers int, c *Matrix[float64], alpha float64, a, b *Matrix[float64], beta float64) {
	gemmChecked(available, workers, *c, alpha, *a, *b, beta)
}

// gemmChecked is Gemm with a set of instructions that the processor has, by the given number of
// workers. 0 workers means the number that pays off.
func gemmChecked[T Float](set instructions, workers int, c Matrix[T], alpha T, a, b Matrix[T], beta T) {
	checkMatrix(c, "c")
	checkMatrix(a, "a")
	checkMatrix(b, "b")
	if a.Rows != c.Rows || b.Columns != c.Columns || a.Columns != b.Rows {
		panic(fmt.Sprintf("kernel: Gemm: shapes %d × %d = %d × %d times %d × %d do not agree", c.Rows, c.Columns, a.Rows, a.Columns, b.Rows, b.Columns))
	}
	if c.Rows == 0 || c.Columns == 0 {
		return
	}
	if alpha == 0 || a.Columns == 0 {
		scaleMatrix(c, beta)
		return
	}
	if beta != 0 && beta != 1 {
		scaleMatrix(c, beta)
	}
	g := gemmOf(set, c, alpha, a, b, beta != 0)
	g.run(workers)
}

// scaleMatrix multiplies m by beta. With 0 it clears m, whatever m holds.
func scaleMatrix[T Float](m Matrix[T], beta T) {
	if m.ColumnStride != 1 {
		m = m.Transposed()
	}
	if beta == 1 {
		return
	}
	for i := range m.Rows {
		row := m.Data[i*m.RowStride : i*m.RowStride+m.Columns]
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

// isDouble reports whether T is float64 instead of float32.
func isDouble[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }
