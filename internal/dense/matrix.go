// Package dense is the linear algebra of small matrices of float64: eigenvalues, factors of
// positive definite matrices, and solutions of their systems. It knows nothing of privacy, and no
// guarantee depends on it. Its results are computed from released numbers or from public records.
package dense

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Matrix is a matrix with contiguous rows, one after the other, unless a function says otherwise.
type Matrix = kernel.Matrix[float64]

// New returns a matrix of zeros.
func New(rows, columns int) Matrix {
	return kernel.NewMatrix(make([]float64, rows*columns), rows, columns)
}

// Clone returns a copy of a matrix, row after row.
func Clone(a Matrix) Matrix {
	out := New(a.Rows, a.Columns)
	for i := range a.Rows {
		for j := range a.Columns {
			out.Data[i*a.Columns+j] = a.At(i, j)
		}
	}
	return out
}

// Row returns row i of a matrix with contiguous rows: a view of its numbers.
func Row(a Matrix, i int) []float64 {
	return a.Data[i*a.RowStride : i*a.RowStride+a.Columns]
}

// Product returns a·b.
func Product(a, b Matrix) Matrix {
	out := New(a.Rows, b.Columns)
	kernel.Gemm(out, 1, a, b, 0)
	return out
}

// Apply returns a·v for a matrix with contiguous rows.
func Apply(a Matrix, v []float64) []float64 {
	out := make([]float64, a.Rows)
	kernel.RowProducts(out, a.Data, a.RowStride, v)
	return out
}

// Symmetrize replaces a square matrix by the mean of it and its transpose.
func Symmetrize(a Matrix) {
	for i := range a.Rows {
		for j := range i {
			v := a.At(i, j)/2 + a.At(j, i)/2
			a.Data[i*a.RowStride+j*a.ColumnStride], a.Data[j*a.RowStride+i*a.ColumnStride] = v, v
		}
	}
}

// Trace returns the sum of the diagonal of a square matrix.
func Trace(a Matrix) float64 {
	sum := 0.0
	for i := range a.Rows {
		sum += a.At(i, i)
	}
	return sum
}

// Norm returns the Frobenius norm, without overflow or underflow on the way.
func Norm(a Matrix) float64 {
	norm := 0.0
	for i := range a.Rows {
		for j := range a.Columns {
			norm = math.Hypot(norm, a.At(i, j))
		}
	}
	return norm
}
