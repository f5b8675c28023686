package dense

import (
	"math"
	"math/cmplx"

	"github.com/ditherml/dither/internal/kernel"
)

// GeneralEigenvalues returns the eigenvalues of a square matrix, in any order, conjugate ones next
// to each other. Rows and columns are first scaled against each other. The result has the
// eigenvalues of a matrix that differs by a small multiple of 2^-53 of the scaled norm. For an
// asymmetric matrix the eigenvalues can be wrong by far more than that.
//
//  1. Powers of two make rows about as long as columns (Parlett and Reinsch, "Balancing a Matrix
//     for Calculation of Eigenvalues and Eigenvectors", Numerische Mathematik 1969).
//  2. Householder reflections make the matrix zero below the subdiagonal.
//  3. Implicit QR steps with two shifts at a time find the eigenvalues from the last row on.
//
// Source of the last two: Golub and Van Loan, "Matrix Computations", 4th edition 2013, algorithms
// 7.4.2 and 7.5.1.
func GeneralEigenvalues(a Matrix) ([]complex128, error) {
	work, n, largest := Clone(a), a.Rows, 0.0
	for _, v := range work.Data {
		largest = max(largest, math.Abs(v))
	}
	if !(largest <= math.MaxFloat64) {
		return nil, errDiverged
	}
	_, exponent := math.Frexp(largest)
	for i, v := range work.Data {
		work.Data[i] = math.Ldexp(v, -exponent) // so that squares neither overflow nor vanish
	}
	balance(work)
	hessenberg(work)
	q := &quasi{h: work.Data, n: n, norm: Norm(work)}
	err := q.run()
	for i, v := range q.values {
		q.values[i] = complex(math.Ldexp(real(v), exponent), math.Ldexp(imag(v), exponent))
	}
	return q.values, err
}

// balance scales rows and columns against each other by powers of two, which changes no eigenvalue.
// It stops when no scale lowers the sum of a row's and its column's lengths by a twentieth.
func balance(a Matrix) {
	n := a.Rows
	for changed, round := true, 0; changed && round < 100; round++ {
		changed = false
		for i := range n {
			row, column := 0.0, 0.0
			for j := range n {
				if j != i {
					row, column = row+math.Abs(a.Data[i*n+j]), column+math.Abs(a.Data[j*n+i])
				}
			}
			if row == 0 || column == 0 {
				continue
			}
			_, up := math.Frexp(math.Sqrt(row / column))
			f := math.Ldexp(1, up-1)
			if !(f > 0x1p-500 && f < 0x1p500) || column*f+row/f >= 0.95*(column+row) {
				continue
			}
			changed = true
			for j := range n {
				if j != i {
					a.Data[i*n+j] /= f
					a.Data[j*n+i] *= f
				}
			}
		}
	}
}

// hessenberg makes a square matrix zero below the subdiagonal, by reflections from both sides.
func hessenberg(a Matrix) {
	n := a.Rows
	direction, products, right := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := 0; k < n-2; k++ {
		v := direction[:n-k-1]
		for i := range v {
			v[i] = a.Data[(k+1+i)*n+k]
		}
		first, rest := v[0], kernel.Norm(v[1:])
		if rest == 0 {
			continue
		}
		beta := -math.Copysign(math.Hypot(first, rest), first)
		tau := (beta - first) / beta
		for i := range v[1:] {
			v[1+i] /= first - beta
		}
		v[0] = 1
		// A - tau·v·(vᵀA), then A - tau·(A·v)·vᵀ.
		left := products[:n-k]
		clear(left)
		kernel.AddRowProducts(left, a.Data[(k+1)*n+k:], n, v)
		for i, f := range v {
			addScaled(a.Data[(k+1+i)*n+k:(k+2+i)*n], -tau*f, left)
		}
		kernel.RowProducts(right, a.Data[k+1:], n, v)
		for i, f := range right {
			addScaled(a.Data[i*n+k+1:(i+1)*n], -tau*f, v)
		}
		for i := k + 2; i < n; i++ {
			a.Data[i*n+k] = 0
		}
	}
}

// addScaled adds f·x to dst.
func addScaled(dst []float64, f float64, x []float64) {
	for j, v := range x {
		dst[j] += f * v
	}
}

// quasi is a matrix that is zero below the subdiagonal, on its way to blocks of one or two rows.
type quasi struct {
	h      []float64
	n      int
	norm   float64
	values []complex128
}

// mostSteps bounds the steps for an eigenvalue; two or three usually suffice.
const mostSteps = 60

func (q *quasi) at(i, j int) float64 { return q.h[i*q.n+j] }

// small reports whether the subdiagonal entry of row i is 0 up to rounding.
func (q *quasi) small(i int) bool {
	near := math.Abs(q.at(i, i)) + math.Abs(q.at(i-1, i-1))
	return math.Abs(q.at(i, i-1)) <= 0x1p-53*max(near, 0x1p-53*q.norm)
}

// run finds the eigenvalues from the last row on.
func (q *quasi) run() error {
	steps := 0
	for last := q.n - 1; last >= 0; {
		first := last
		for first > 0 && !q.small(first) {
			first--
		}
		switch {
		case first == last:
			q.values, last, steps = append(q.values, complex(q.at(last, last), 0)), last-1, 0
		case first == last-1:
			q.pair(last)
			last, steps = last-2, 0
		case steps == mostSteps:
			return errDiverged
		default:
			steps++
			q.step(first, last, steps%10 == 0)
		}
	}
	return nil
}

// pair takes the eigenvalues of the two rows that end at last.
func (q *quasi) pair(last int) {
	a, b, c, d := q.at(last-1, last-1), q.at(last-1, last), q.at(last, last-1), q.at(last, last)
	half := (a - d) / 2
	if square := half*half + b*c; square < 0 {
		v := complex((a+d)/2, math.Sqrt(-square))
		q.values = append(q.values, v, cmplx.Conj(v))
	} else {
		far := half + math.Copysign(math.Sqrt(square), half)
		near := d
		if far != 0 {
			near -= b * c / far
		}
		q.values = append(q.values, complex(d+far, 0), complex(near, 0))
	}
}

// step is one QR step on rows first … last with the eigenvalues of the last two for shifts, or
// other shifts if those fail. It computes only the entries that decide the eigenvalues of these
// rows.
func (q *quasi) step(first, last int, other bool) {
	sum := q.at(last-1, last-1) + q.at(last, last)
	product := q.at(last-1, last-1)*q.at(last, last) - q.at(last-1, last)*q.at(last, last-1)
	if other {
		beside := math.Abs(q.at(last, last-1)) + math.Abs(q.at(last-1, last-2))
		middle := 0.75*beside + q.at(last, last)
		sum, product = 2*middle, middle*middle+0.4375*beside*beside
	}
	a, b, c, d := q.at(first, first), q.at(first, first+1), q.at(first+1, first), q.at(first+1, first+1)
	x := [3]float64{a*a + b*c - sum*a + product, c * (a + d - sum), c * q.at(first+2, first+1)}
	for k := first; k < last; k++ {
		size := min(3, last-k+1)
		beta := q.reflect(x[:size], k, max(first, k-1), min(k+3, last), first, last)
		if k > first {
			q.h[k*q.n+k-1] = beta
			for i := 1; i < size; i++ {
				q.h[(k+i)*q.n+k-1] = 0
			}
		}
		for i := range x {
			x[i] = 0
			if k+1+i <= last {
				x[i] = q.at(k+1+i, k)
			}
		}
	}
}

// reflect computes the reflection that keeps only the first number of x, and applies it to rows and
// columns. These are k, k+1 and, for three numbers, k+2. It applies to columns from left to last,
// and to rows from first to low. It returns the remaining number.
func (q *quasi) reflect(x []float64, k, left, low, first, last int) float64 {
	norm := math.Hypot(math.Hypot(x[0], x[1]), x[len(x)-1]*float64(len(x)-2))
	if norm == 0 {
		return 0
	}
	beta := -math.Copysign(norm, x[0])
	tau := (beta - x[0]) / beta
	v, w, n := x[1]/(x[0]-beta), 0.0, q.n
	r0, r1 := q.h[k*n:(k+1)*n], q.h[(k+1)*n:(k+2)*n]
	if len(x) == 2 {
		for j := left; j <= last; j++ {
			s := tau * (r0[j] + v*r1[j])
			r0[j], r1[j] = r0[j]-s, r1[j]-s*v
		}
		for i := first; i <= low; i++ {
			row := q.h[i*n+k : i*n+k+2]
			s := tau * (row[0] + v*row[1])
			row[0], row[1] = row[0]-s, row[1]-s*v
		}
		return beta
	}
	w = x[2] / (x[0] - beta)
	r2 := q.h[(k+2)*n : (k+3)*n]
	for j := left; j <= last; j++ {
		s := tau * (r0[j] + v*r1[j] + w*r2[j])
		r0[j], r1[j], r2[j] = r0[j]-s, r1[j]-s*v, r2[j]-s*w
	}
	for i := first; i <= low; i++ {
		row := q.h[i*n+k : i*n+k+3]
		s := tau * (row[0] + v*row[1] + w*row[2])
		row[0], row[1], row[2] = row[0]-s, row[1]-s*v, row[2]-s*w
	}
	return beta
}
