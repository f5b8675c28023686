package dense

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
)

// Eigen are the eigenvalues and eigenvectors of a symmetric matrix A = Σ_k Values[k]·v_k·v_kᵀ. The
// v_k are orthonormal. Both hold up to rounding: a small multiple of 2^-53 of the norm of A. Small
// eigenvalues have no accuracy of their own next to large ones.
type Eigen struct {
	// Values are in any order.
	Values []float64
	// strips hold kernel.RotatedColumns coordinates of all eigenvectors each, eigenvector after
	// eigenvector. Coordinates of the last strip that A lacks are 0.
	strips [][]float64
}

// NewEigen returns the eigenvalues and eigenvectors of a symmetric matrix. Householder reflections
// make it tridiagonal, and implicit QR steps with Wilkinson's shift make it diagonal (G. H. Golub
// and C. F. Van Loan, "Matrix Computations", 4th edition 2013, algorithms 8.3.1 and 8.3.2).
// Rotations are collected and applied strip by strip, so that a strip stays in the cache. It
// returns an error for numbers that are not finite, or whose norm is not.
func NewEigen(a Matrix) (Eigen, error) {
	work := Clone(a)
	d, e := tridiagonal(work.Data, a.Rows, true)
	out := Eigen{d, stripsOf(work.Data, a.Rows)}
	chase := &chase{d: d, e: e, apply: out.rotate}
	return out, chase.run()
}

// Eigenvalues returns the eigenvalues of a symmetric matrix in ascending order, with the errors of
// NewEigen.
func Eigenvalues(a Matrix) ([]float64, error) {
	d, e := tridiagonal(Clone(a).Data, a.Rows, false)
	chase := &chase{d: d, e: e, apply: func([]sweep, []kernel.Rotation) {}}
	err := chase.run()
	slices.Sort(d)
	return d, err
}

// Ascending returns the eigenvalues in ascending order, and the matrix whose row k is the
// eigenvector of value k.
func (g Eigen) Ascending() (values []float64, vectors Matrix) {
	side := len(g.Values)
	order := make([]int, side)
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.Values[a], g.Values[b]) })
	vectors = New(side, side)
	for k, from := range order {
		values = append(values, g.Values[from])
		for i, strip := range g.strips {
			copy(vectors.Data[k*side+i*kernel.RotatedColumns:(k+1)*side], strip[from*kernel.RotatedColumns:][:kernel.RotatedColumns])
		}
	}
	return values, vectors
}

// stripsOf cuts a matrix into strips of rows, each column after column.
func stripsOf(a []float64, side int) (strips [][]float64) {
	for first := 0; first < side; first += kernel.RotatedColumns {
		strip, rows := make([]float64, side*kernel.RotatedColumns), min(kernel.RotatedColumns, side-first)
		for i := range rows {
			for k, v := range a[(first+i)*side : (first+i+1)*side] {
				strip[k*kernel.RotatedColumns+i] = v
			}
		}
		strips = append(strips, strip)
	}
	return strips
}

// sweep is the rotations of eigenvectors first, first+1, … of one step, from up to to in a list.
type sweep struct{ first, from, to int }

// rotate applies rotations to all strips.
func (g Eigen) rotate(sweeps []sweep, rotations []kernel.Rotation) {
	eachOf(len(g.strips), func(i int) {
		for _, s := range sweeps {
			kernel.RotateRows(g.strips[i][s.first*kernel.RotatedColumns:], rotations[s.from:s.to])
		}
	})
}

// Combine returns Σ_k factors[k]²·v_k·v_kᵀ, which is symmetric to the bit.
func (g Eigen) Combine(factors []float64) Matrix {
	side := len(g.Values)
	scaled, out := make([]float64, side*side), make([]float64, side*side)
	eachOf(len(g.strips), func(i int) {
		first := i * kernel.RotatedColumns
		width := min(kernel.RotatedColumns, side-first)
		for k, f := range factors {
			for j, v := range g.strips[i][k*kernel.RotatedColumns:][:width] {
				scaled[k*side+first+j] = f * v
			}
		}
	})
	kernel.AddGram(out, scaled, side, side)
	for i := range side {
		for j := range i {
			out[j*side+i] = out[i*side+j]
		}
	}
	return kernel.NewMatrix(out, side, side)
}

// eachOf calls do for each of [0, n) on all processors.
func eachOf(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	parallel.Each(workers, func(w int) {
		for i := w; i < n; i += workers {
			do(i)
		}
	})
}

// errDiverged is the error of eigenvalues that cannot be found.
var errDiverged = errors.New("dense: the eigenvalues did not converge, want a matrix of finite numbers")

// chase makes a symmetric tridiagonal matrix diagonal by QR steps. d is its diagonal and e its
// subdiagonal.
type chase struct {
	d, e      []float64
	apply     func([]sweep, []kernel.Rotation)
	sweeps    []sweep
	rotations []kernel.Rotation
}

const (
	// mostRotations is the number of rotations that are collected before they are applied.
	mostRotations = 1 << 14
	// mostSweeps bounds the steps for a number of the diagonal; two or three usually suffice.
	mostSweeps = 30
)

// run ends with the eigenvalues in d and all rotations applied.
func (c *chase) run() error {
	norm := 0.0
	for j, v := range c.d {
		norm = max(norm, math.Abs(v))
		if j < len(c.e) {
			norm = max(norm, math.Abs(c.e[j]))
		}
	}
	if !(norm <= math.MaxFloat64) {
		return errDiverged
	}
	small := func(k int) bool { return math.Abs(c.e[k]) <= norm*0x1p-53 }
	left := mostSweeps * len(c.d)
	for last := len(c.d) - 1; last > 0; {
		if small(last - 1) {
			last--
			continue
		}
		first := last - 1
		for first > 0 && !small(first-1) {
			first--
		}
		if left--; left < 0 {
			return errDiverged
		}
		c.step(first, last)
	}
	c.apply(c.sweeps, c.rotations)
	return nil
}

// step is one QR step on rows first … last, which no zero divides. Its shift is the eigenvalue of
// the last two rows that is nearer to the last number.
func (c *chase) step(first, last int) {
	d, e := c.d, c.e
	if len(c.rotations) > mostRotations {
		c.apply(c.sweeps, c.rotations)
		c.sweeps, c.rotations = c.sweeps[:0], c.rotations[:0]
	}
	half, beside := (d[last-1]-d[last])/2, e[last-1]
	shift := d[last] - beside*(beside/(half+math.Copysign(math.Hypot(half, beside), half)))
	x, z, from := d[first]-shift, e[first], len(c.rotations)
	for k := first; k < last; k++ {
		r := kernel.Rotation{C: 1}
		if length := math.Hypot(x, z); length > 0 {
			r = kernel.Rotation{C: x / length, S: -z / length}
		}
		if k > first {
			e[k-1] = r.C*x - r.S*z
		}
		a, b, g := d[k], e[k], d[k+1]
		d[k] = r.C*r.C*a - 2*r.C*r.S*b + r.S*r.S*g
		d[k+1] = r.S*r.S*a + 2*r.C*r.S*b + r.C*r.C*g
		e[k] = r.C*r.S*(a-g) + (r.C*r.C-r.S*r.S)*b
		if k+1 < last {
			x, z = e[k], -r.S*e[k+1]
			e[k+1] *= r.C
		}
		c.rotations = append(c.rotations, r)
	}
	c.sweeps = append(c.sweeps, sweep{first, from, len(c.rotations)})
}
