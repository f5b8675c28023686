package dense

import (
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// panelWidth is the number of reflections that are applied to the rest of a matrix at a time.
const panelWidth = 32

// reflections make a symmetric matrix A tridiagonal: A = Q·T·Qᵀ, Q being the product of I -
// tau[j]·v_j·v_jᵀ in ascending order of j. Here v_j has zeros up to place j and 1 after it. Source:
// G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th edition 2013, algorithm 8.3.1. The
// panels are from J. J. Dongarra, D. C. Sorensen and S. J. Hammarling, "Block reduction of matrices
// to condensed forms for eigenvalue computations", Journal of Computational and Applied Mathematics
// 27, 1989, section 3, https://doi.org/10.1016/0377-0427(89)90367-1.
type reflections struct {
	side      int
	a         []float64 // row-major; the part that later panels have not changed yet
	v         []float64 // row j is v_j
	w         []float64 // row i belongs to the panel's i-th reflection: A is its old value minus Σ v·wᵀ + w·vᵀ
	d, e, tau []float64 // diagonal and subdiagonal of T
}

// tridiagonal overwrites a symmetric matrix of side×side, row-major, with Q if vectors is true. It
// returns the diagonal and the subdiagonal of T.
func tridiagonal(a []float64, side int, vectors bool) (d, e []float64) {
	r := &reflections{side: side, a: a, v: make([]float64, side*side), w: make([]float64, panelWidth*side),
		d: make([]float64, side), e: make([]float64, max(side-1, 0)), tau: make([]float64, max(side-1, 0))}
	largest := 0.0
	for _, v := range a {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	r.scale(a, -exponent) // so that squares neither overflow nor vanish
	for first := 0; first < side-1; first += panelWidth {
		r.panel(first, min(panelWidth, side-1-first))
	}
	if side > 0 {
		r.d[side-1] = a[side*side-1]
	}
	r.scale(r.d, exponent)
	r.scale(r.e, exponent)
	if vectors {
		r.product()
	}
	return r.d, r.e
}

// scale multiplies numbers by a power of two, in two steps, each by a number.
func (r *reflections) scale(x []float64, exponent int) {
	half, rest := math.Ldexp(1, exponent/2), math.Ldexp(1, exponent-exponent/2)
	for j := range x {
		x[j] = x[j] * half * rest
	}
}

// panel makes the reflections from first on, and applies them to the rest of A.
func (r *reflections) panel(first, width int) {
	n := r.side
	for i := range width {
		j := first + i
		row := r.a[j*n+j : (j+1)*n]
		r.update(row, first, i, j)
		r.d[j] = row[0]
		r.reflect(row[1:], j)
		r.beside(first, i, j)
	}
	rest := first + width
	a := kernel.Matrix[float64]{Data: r.a[rest*n+rest:], Rows: n - rest, Columns: n - rest, RowStride: n, ColumnStride: 1}
	v, w := r.v[first*n+rest:], r.w[rest:]
	for _, pair := range [][2][]float64{{v, w}, {w, v}} {
		kernel.Gemm(a, -1, kernel.Matrix[float64]{Data: pair[0], Rows: n - rest, Columns: width, RowStride: 1, ColumnStride: n},
			kernel.Matrix[float64]{Data: pair[1], Rows: width, Columns: n - rest, RowStride: n, ColumnStride: 1}, 1)
	}
}

// update applies the panel's earlier i reflections to the row of A from the diagonal on.
func (r *reflections) update(row []float64, first, i, j int) {
	n := r.side
	byV, byW := make([]float64, i), make([]float64, i)
	for l := range i {
		byV[l], byW[l] = -r.w[l*n+j], -r.v[(first+l)*n+j]
	}
	kernel.AddRowProducts(row, r.v[first*n+j:], n, byV)
	kernel.AddRowProducts(row, r.w[j:], n, byW)
}

// reflect computes the reflection that keeps only the first of these numbers.
func (r *reflections) reflect(x []float64, j int) {
	v := r.v[j*r.side+j+1 : (j+1)*r.side]
	v[0] = 1
	rest := kernel.Norm(x[1:])
	if rest == 0 {
		r.e[j] = x[0]
		return
	}
	beta := -math.Copysign(math.Hypot(x[0], rest), x[0])
	r.e[j], r.tau[j] = beta, (beta-x[0])/beta
	for k, f := range x[1:] {
		v[1+k] = f / (x[0] - beta)
	}
}

// beside computes the panel's i-th row of w.
func (r *reflections) beside(first, i, j int) {
	n := r.side
	v, w := r.v[j*n+j+1:(j+1)*n], r.w[i*n+j+1:(i+1)*n]
	kernel.RowProducts(w, r.a[(j+1)*n+j+1:], n, v)
	if i > 0 {
		before, beside := r.v[first*n+j+1:], r.w[j+1:]
		byV, byW := make([]float64, i), make([]float64, i)
		kernel.RowProducts(byV, beside, n, v)
		kernel.RowProducts(byW, before, n, v)
		for l := range i {
			byV[l], byW[l] = -byV[l], -byW[l]
		}
		kernel.AddRowProducts(w, before, n, byV)
		kernel.AddRowProducts(w, beside, n, byW)
	}
	tau, product := r.tau[j], 0.0
	for k, f := range v {
		w[k] *= tau
		product += w[k] * f
	}
	for k, f := range v {
		w[k] -= tau / 2 * product * f
	}
}

// product writes Q over A, panel after panel from the last. The reflections of one panel are I -
// Vᵀ·T·V for a triangular T.
func (r *reflections) product() {
	n := r.side
	clear(r.a)
	for j := range n {
		r.a[j*n+j] = 1
	}
	for first := (n - 2) / panelWidth * panelWidth; first >= 0 && n > 1; first -= panelWidth {
		width, length := min(panelWidth, n-1-first), n-1-first
		v := kernel.Matrix[float64]{Data: r.v[first*n+first+1:], Rows: width, Columns: length, RowStride: n, ColumnStride: 1}
		across := kernel.Matrix[float64]{Data: v.Data, Rows: length, Columns: width, RowStride: 1, ColumnStride: n}
		q := kernel.Matrix[float64]{Data: r.a[(first+1)*n+first+1:], Rows: length, Columns: length, RowStride: n, ColumnStride: 1}
		y, z := kernel.NewMatrix(make([]float64, width*length), width, length), kernel.NewMatrix(make([]float64, width*length), width, length)
		kernel.Gemm(y, 1, v, q, 0)
		kernel.Gemm(z, 1, kernel.NewMatrix(r.triangle(first, width), width, width), y, 0)
		kernel.Gemm(q, -1, across, z, 1)
	}
}

// triangle returns T of a panel, row-major. Each reflection adds the column -tau·T·(V·v), with tau
// below it, to the T of the reflections before it.
func (r *reflections) triangle(first, width int) []float64 {
	n := r.side
	t, products := make([]float64, width*width), make([]float64, width)
	for i := range width {
		j := first + i
		kernel.RowProducts(products[:i], r.v[first*n+j+1:], n, r.v[j*n+j+1:(j+1)*n])
		for l := range i {
			sum := 0.0
			for k := l; k < i; k++ {
				sum += t[l*width+k] * products[k]
			}
			t[l*width+i] = -r.tau[j] * sum
		}
		t[i*width+i] = r.tau[j]
	}
	return t
}
