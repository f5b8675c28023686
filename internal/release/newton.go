package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
)

// NewtonStep is one step of Newton's method: the solution u of (H + Ridge·I)·u = Gradient. H is the
// sum of x·xᵀ over rows x with a squared norm of at most Curvature. A row is a record multiplied by
// the square root of the second derivative of its loss. H is never released. The solution u is
// released with noise.
//
// Let A = H + Ridge·I and let g be the gradient. Adding a record changes A to A + x·xᵀ. By the
// formula of Sherman and Morrison u changes by A⁻¹x·(xᵀA⁻¹g)/(1 + xᵀA⁻¹x). Let q = xᵀA⁻¹x. Because
// A⁻¹ ≤ 1/Ridge, the norm of the change is at most ‖g‖·(q/Ridge)/(1+q). This bound grows with q ≤
// Curvature/Ridge, so the solutions u and u' of neighbors satisfy
//
//	‖u - u'‖ ≤ ‖g‖·Curvature/(Ridge·(Ridge + Curvature)).
//
// It is lemma 4.2 of the source, for modification by addition, with sums in place of means (Ganesh,
// Haghifam, Steinke & Thakurta, "Faster Differentially Private Convex Optimization via Second-Order
// Methods", NeurIPS 2023, https://arxiv.org/abs/2305.13209). The method Sensitivity also counts
// rounding.
type NewtonStep struct {
	// Gradient is the right side g. It must consist of released numbers.
	Gradient []float64
	// Ridge is the strength of the ridge penalty, and positive. It must be a released or public
	// number.
	Ridge float64
	// Curvature is the largest squared norm of a row.
	Curvature float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// maxNewtonDim keeps the error bound of the solver far below 1.
const maxNewtonDim = 1 << 12

// Rows returns the grid of rows for this step. On the grid the squared norm of a row never exceeds
// Curvature.
func (s NewtonStep) Rows() RowsOptions {
	step := math.Sqrt(s.Curvature) / maxCoordinate * (1 - 0x1p-50)
	return RowsOptions{Dim: len(s.Gradient), Step: step, Limit: maxMomentBound}
}

// check refuses numbers that make no sense or that the error bound does not cover. All are public.
func (s NewtonStep) check() error {
	d := len(s.Gradient)
	if d < 1 || d > maxNewtonDim || !positive(s.Ridge) || !positive(s.Curvature) || s.MaxRecords < 1 || s.MaxRecords > 1<<sumBits/maxMomentBound {
		return fmt.Errorf("release: newton step has %d numbers, ridge %v, curvature %v and at most %d records, want 1 to %d numbers, positive finite ridge and curvature, and at most 2^30 records", d, s.Ridge, s.Curvature, s.MaxRecords, maxNewtonDim)
	}
	if !(s.backward() <= s.Ridge/8) {
		return fmt.Errorf("release: ridge %v of a newton step is %v times the rounding of the system, want at least 8 times; use a larger ridge", s.Ridge, s.Ridge/s.backward())
	}
	return nil
}

// backward bounds the norm of the matrix E for which the computed u solves (A+E)·u = g exactly. The
// entries of A, integers up to the sum of the records' curvatures and the ridge, are rounded once
// each. With d numbers and γ_k = k·2^-53/(1-k·2^-53), Cholesky factorization and substitution have
// |E| ≤ γ_(3d+1)·|Rᵀ|·|R| (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition
// 2002, theorem 10.4), in any order of summation and with or without fused operations; ‖|Rᵀ|·|R|‖ ≤
// d·‖R‖² ≤ d·‖A‖/(1 - d·γ_(d+1)).
func (s NewtonStep) backward() float64 {
	d := float64(len(s.Gradient))
	largest := float64(s.MaxRecords)*s.Curvature + s.Ridge
	return largest * (d*(3*d+1) + 4) * 0x1p-53 * (1 + 0x1p-20)
}

// norm is that of the gradient, rounded upward.
func (s NewtonStep) norm() float64 {
	sum := 0.0
	for _, v := range s.Gradient {
		sum = math.Hypot(sum, v)
	}
	return sum * (1 + 0x1p-40)
}

// Sensitivity returns an upper bound on the L2 distance between the solutions that are computed for
// two neighbors, where one record is added or removed. Under replace-one the distance is at most
// twice the bound. The bound is 0 for a gradient of 0.
//
// The computed solution differs from the exact one by at most ‖A⁻¹‖·‖E‖·‖u‖ ≤ ‖E‖·‖g‖/(Ridge·(Ridge
// - ‖E‖)), on each neighbor. Here A is H + Ridge·I, E is the error of A due to rounding, and g is
// the gradient.
func (s NewtonStep) Sensitivity() float64 {
	exact := s.Curvature / (s.Ridge * (s.Ridge + s.Curvature))
	wrong := s.backward() / (s.Ridge * (s.Ridge - s.backward()))
	return s.norm() * (exact + 2*wrong) * (1 + 0x1p-40)
}

// Solve returns the solution u over all rows, sealed, for release with the noise n. The rows must
// be on the grid that the method Rows returns. The solution is rounded to the integer grid of the
// noise. If one record is added or removed, it changes by at most one bound, which is Sensitivity,
// including rounding.
func (s NewtonStep) Solve(rows *Rows, n mechanism.Noise) (Bounded, error) {
	if err := s.check(); err != nil {
		return Bounded{}, err
	}
	if rows == nil || n == nil {
		return Bounded{}, fmt.Errorf("release: newton step has no rows or no noise, want both")
	}
	sample, err := Draw(Full(), rows.count)
	if err == nil {
		err = checkSample(sample, rows, s.MaxRecords)
	}
	if err != nil {
		return Bounded{}, err
	}
	o := s.Rows()
	if rows.kind != Int16 || rows.file != nil || rows.count != rows.total || rows.dim != o.Dim || rows.step != o.Step || rows.limit != o.Limit || !rows.frame.own() {
		return Bounded{}, fmt.Errorf("release: the rows were not made for this newton step, want the options that Rows gives")
	}
	bound := max(s.Sensitivity(), math.SmallestNonzeroFloat64*0x1p100)
	// ‖u‖ ≤ ‖g‖/(Ridge - ‖E‖), in bounds.
	span := math.Ceil(2*s.norm()/s.Ridge/bound) + 1
	g, err := fitNoise(n, fit{maxRecords: int(min(span, maxMaxRecords+1)), norm: L2(), dim: o.Dim})
	if err != nil {
		return Bounded{}, err
	}
	place, err := newGridPoint(sample, g, o.Dim, bound)
	if err != nil {
		return Bounded{}, err
	}
	u, err := s.solution(sample, rows)
	if err != nil {
		return Bounded{}, err
	}
	return place.seal(u), nil
}

// solution computes u by Cholesky's method. The factor exists: every leading matrix of A + E keeps
// eigenvalues above 0, since ‖E‖ ≤ Ridge/8 (Higham, theorem 10.7). It errs where H is not the sum
// over the rows of the sample, which is all records.
func (s NewtonStep) solution(all Sample, rows *Rows) ([]float64, error) {
	d := len(s.Gradient)
	unit := rows.step * rows.step
	a, sum := make([]float64, d*d), slices.Clone(sumOfProducts(rows, AllProducts()))
	check := newMomentCheck(all, AllProducts(), d, rows.limit)
	if check.noteRows(rows); !check.agrees(sum) {
		return nil, ErrComputation
	}
	for i, v := range sum {
		a[i] = float64(v) * unit
	}
	for j := range d {
		a[j*d+j] += s.Ridge
	}
	factorize(a, d)
	return substitute(a, append([]float64(nil), s.Gradient...)), nil
}

// factorize replaces the lower half of a by L with L·Lᵀ = a, row after row.
func factorize(a []float64, d int) {
	for i := range d {
		row := a[i*d : i*d+i+1]
		for j := range i {
			row[j] = (row[j] - dotFloat(row[:j], a[j*d:j*d+j])) / a[j*d+j]
		}
		row[i] = math.Sqrt(row[i] - dotFloat(row[:i], row[:i]))
	}
}

// substitute solves L·Lᵀ·u = g in place.
func substitute(l, g []float64) []float64 {
	d := len(g)
	for i := range d {
		g[i] = (g[i] - dotFloat(g[:i], l[i*d:i*d+i])) / l[i*d+i]
	}
	for i := d - 1; i >= 0; i-- {
		sum := g[i]
		for k := i + 1; k < d; k++ {
			sum -= l[k*d+i] * g[k]
		}
		g[i] = sum / l[i*d+i]
	}
	return g
}

// dotFloat adds up in four sums, which the processor computes at the same time.
func dotFloat(a, b []float64) (sum float64) {
	var sums [4]float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		sums[0] += a[0] * b[0]
		sums[1] += a[1] * b[1]
		sums[2] += a[2] * b[2]
		sums[3] += a[3] * b[3]
	}
	for i, v := range a {
		sum += v * b[i]
	}
	return sum + sums[0] + sums[1] + sums[2] + sums[3]
}
