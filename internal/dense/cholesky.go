package dense

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Cholesky is the factor L of a positive definite matrix A = L·Lᵀ (Golub and Van Loan, "Matrix
// Computations", 4th edition 2013, section 4.2). Its solutions solve a system that differs from A
// by a small multiple of 2^-53 of A's norm (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd edition 2002, theorem 10.4).
type Cholesky struct {
	lower Matrix
	norm  float64 // the largest sum of magnitudes of a column of A
}

// NewCholesky returns the factor of a symmetric matrix. It does not read the entries above the
// diagonal. It reports false for a matrix that is not positive definite up to rounding, or whose
// numbers are not finite.
func NewCholesky(a Matrix) (*Cholesky, bool) {
	n := a.Rows
	l, products := Clone(a), make([]float64, n)
	out := &Cholesky{l, oneNorm(a)}
	for j := range n {
		row := l.Data[j*n : (j+1)*n]
		kernel.RowProducts(products[:n-j], l.Data[j*n:], n, row[:j])
		pivot := row[j] - products[0]
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return nil, false
		}
		pivot = math.Sqrt(pivot)
		row[j] = pivot
		clear(row[j+1:])
		for i := j + 1; i < n; i++ {
			l.Data[i*n+j] = (l.Data[i*n+j] - products[i-j]) / pivot
		}
	}
	return out, true
}

// oneNorm returns the largest sum of magnitudes of a column of a symmetric matrix, from its lower
// triangle.
func oneNorm(a Matrix) float64 {
	sums, largest := make([]float64, a.Rows), 0.0
	for i := range a.Rows {
		for j := range i {
			v := math.Abs(a.At(i, j))
			sums[i] += v
			sums[j] += v
		}
		sums[i] += math.Abs(a.At(i, i))
	}
	for _, v := range sums {
		largest = max(largest, v)
	}
	return largest
}

// Solve returns X of A·X = B.
func (c *Cholesky) Solve(b Matrix) Matrix {
	x := Clone(b)
	c.forward(x, 0, x.Rows)
	c.backward(x, 0, x.Rows)
	return x
}

// solvedRows is the number of rows of a system that are solved one by one. More rows are halved,
// with a product of matrices between.
const solvedRows = 16

// forward replaces rows from … to-1 of B by the rows of L⁻¹·B. The contributions of earlier rows
// must have been subtracted.
func (c *Cholesky) forward(x Matrix, from, to int) {
	n, m := x.Rows, x.Columns
	if middle := (from + to) / 2; to-from > solvedRows {
		c.forward(x, from, middle)
		kernel.Gemm(x.Slice(middle, to), -1, c.below(from, middle, to), x.Slice(from, middle), 1)
		c.forward(x, middle, to)
		return
	}
	for i := from; i < to; i++ {
		row := x.Data[i*m : (i+1)*m]
		for k := from; k < i; k++ {
			addScaled(row, -c.lower.Data[i*n+k], x.Data[k*m:(k+1)*m])
		}
		divide(row, c.lower.Data[i*n+i])
	}
}

// backward does the same with Lᵀ, from the last row to the first.
func (c *Cholesky) backward(x Matrix, from, to int) {
	n, m := x.Rows, x.Columns
	if middle := (from + to) / 2; to-from > solvedRows {
		c.backward(x, middle, to)
		kernel.Gemm(x.Slice(from, middle), -1, c.below(from, middle, to).Transposed(), x.Slice(middle, to), 1)
		c.backward(x, from, middle)
		return
	}
	for i := to - 1; i >= from; i-- {
		row := x.Data[i*m : (i+1)*m]
		for k := i + 1; k < to; k++ {
			addScaled(row, -c.lower.Data[k*n+i], x.Data[k*m:(k+1)*m])
		}
		divide(row, c.lower.Data[i*n+i])
	}
}

// below returns rows middle … to-1 of L in columns from … middle-1.
func (c *Cholesky) below(from, middle, to int) Matrix {
	n := c.lower.Rows
	return Matrix{Data: c.lower.Data[middle*n+from:], Rows: to - middle, Columns: middle - from, RowStride: n, ColumnStride: 1}
}

// SolveVector returns x of A·x = b.
func (c *Cholesky) SolveVector(b []float64) []float64 {
	return c.Solve(kernel.NewMatrix(b, len(b), 1)).Data
}

// divide divides all numbers by one.
func divide(x []float64, by float64) {
	for j := range x {
		x[j] /= by
	}
}

// Inverse returns the inverse of A, symmetric to the bit.
func (c *Cholesky) Inverse() Matrix {
	n := c.lower.Rows
	identity := New(n, n)
	for i := range n {
		identity.Data[i*n+i] = 1
	}
	out := c.Solve(identity)
	Symmetrize(out)
	return out
}

// Condition returns an estimate of ‖A‖·‖A⁻¹‖ in the norm of sums of columns. Up to rounding it is
// at most the condition, and seldom below a third of it (Higham, "FORTRAN Codes for Estimating the
// One-Norm of a Real or Complex Matrix, with Applications to Condition Estimation", ACM
// Transactions on Mathematical Software 1988).
func (c *Cholesky) Condition() float64 {
	n := c.lower.Rows
	x, estimate, last := make([]float64, n), 0.0, -1
	for i := range x {
		x[i] = 1 / float64(n)
	}
	for range 5 {
		y := c.SolveVector(x)
		sum, signs := 0.0, make([]float64, n)
		for i, v := range y {
			sum += math.Abs(v)
			signs[i] = math.Copysign(1, v)
		}
		estimate = max(estimate, sum)
		z, most := c.SolveVector(signs), 0
		for i, v := range z {
			if math.Abs(v) > math.Abs(z[most]) {
				most = i
			}
		}
		if last == most {
			break
		}
		last = most
		clear(x)
		x[most] = 1
	}
	// Alternating signs of growing size reveal parts that cancel in all of the above.
	for i := range x {
		x[i] = 1 + float64(i)/float64(max(1, n-1))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	sum := 0.0
	for _, v := range c.SolveVector(x) {
		sum += math.Abs(v)
	}
	return c.norm * max(estimate, 2*sum/float64(3*n))
}
