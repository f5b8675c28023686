package release

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
)

// passRows is the number of rows in a chunk: sums over a chunk have this many terms.
const passRows = 256

// roundingError bounds the L2 norm of the error of the gradient that minimization computes at
// weights of norm size. It is for this number of records and a linear term of norm linear. With u =
// 2^-53 and t·u(1 + t·u) for a sum of t products, in any order (Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd edition 2002, section 3.1):
//
//   - a score is wrong by (dim+8)·u·Radius·‖w_k‖, and the residual by Smoothness times that, and by
//     residualError;
//   - the error of a product of residual and row, and of the sum over a chunk of rows, is
//     (passRows+16)·u of the added norms. Together these are at most records·G;
//   - chunks are added with compensation: 4u of those norms and of the result.
func (p Problem) roundingError(dim int, records, size, linear float64) float64 {
	const u = 0x1p-53
	score := float64(dim+8) * u * p.Radius * size
	residual := p.Loss.Smoothness()*score + residualError(p.Columns)*math.Sqrt(float64(p.Columns))
	sums := float64(passRows+32) * u * records * p.GradientBound()
	return (records*p.Radius*residual + sums + 4*u*(p.Ridge*size+linear)) * (1 + 0x1p-20)
}

// minimization is the gradient of a problem over rows, in portable code.
type minimization struct {
	Problem
	rows      *Rows
	dim       int
	linear    []float64 // added to the gradient, or nil
	tolerance float64
	faulty    atomic.Bool // a row is not the one that entered at its place
}

func newMinimization(p Problem, rows *Rows, linear []float64, tolerance float64) *minimization {
	return &minimization{Problem: p, rows: rows, dim: rows.Dim(), linear: linear, tolerance: tolerance}
}

// holds returns what a search found, or its error. Kernels search, and may be wrong. So the gradient
// at the weights w is computed here, in portable code. The weights are refused unless the exact
// gradient is within the tolerance. A true search ends where it cannot be beyond.
func (m *minimization) holds(w []float64, err error) ([]float64, error) {
	if err == nil && !(len(w) == m.Columns*m.dim && m.within(w, m.gradient(w), 1) && !m.faulty.Load()) {
		return nil, ErrComputation
	}
	return w, err
}

// seal puts the weights at the end of a descent on the grid. It refuses weights that are no numbers,
// and weights of rows that did not enter.
func (m *minimization) seal(p point, w []float64) (Bounded, error) {
	if m.faulty.Load() || !(normOf(w) <= math.MaxFloat64) {
		return Bounded{}, ErrComputation
	}
	return p.seal(w), nil
}

// within reports whether the norm of g, the computed gradient at weights w, is at most the tolerance
// less this many errors. With one error this holds for the exact gradient.
func (m *minimization) within(w, g []float64, errors float64) bool {
	rounding := m.roundingError(m.dim, float64(m.rows.count), normOf(w), normOf(m.linear))
	return normOf(g)+errors*rounding <= m.tolerance
}

// normOf is the L2 norm of a vector, rounded upward.
func normOf(v []float64) float64 {
	norm := 0.0
	for _, x := range v {
		norm = math.Hypot(norm, x)
	}
	return norm * (1 + float64(len(v)+8)*0x1p-50)
}

// gradient returns the gradient of J at the weights, wrong by at most roundingError in L2 norm.
func (m *minimization) gradient(w []float64) []float64 {
	return m.finish(w, m.pass(func(p *part, first, n int) {
		clear(p.chunk)
		for i := range n {
			m.addLoss(p, first+i, w)
		}
	}))
}

// finish adds the gradient of the penalty and the linear term to that of the losses.
func (m *minimization) finish(w, g []float64) []float64 {
	for j := range g {
		g[j] += m.Ridge * w[j]
		if m.linear != nil {
			g[j] += m.linear[j]
		}
	}
	return g
}

// addLoss adds the gradient of the loss of record i at the weights to the chunk of a part.
func (m *minimization) addLoss(p *part, i int, w []float64) {
	x, z := p.x[:m.dim], p.z[:m.Columns]
	if m.row(x, p, i) && !m.rows.origin.entered(p.narrow, i) {
		m.faulty.Store(true)
	}
	for k := range z {
		z[k] = dotFloat(w[k*m.dim:(k+1)*m.dim], x)
	}
	m.Loss.residuals(z, m.rows.labels[i])
	for k, a := range z {
		sum := p.chunk[k*m.dim : (k+1)*m.dim]
		for j, v := range x {
			sum[j] += a * v
		}
	}
}

// row writes row i as the frame sees it, in the unit of features: the integers that sums add, times
// what each of them stands for. It is shortened to norm Radius. It reports whether the row adds
// something. If not, or if its multiplier is beyond all numbers, the row is zero.
func (m *minimization) row(dst []float64, p *part, i int) bool {
	r, f, narrow := m.rows, &m.rows.frame, p.narrow
	unit := r.measures.multiplier(i, f)
	if r.known.n2[i] == 0 || !(unit <= math.MaxFloat64) {
		clear(dst)
		return false
	}
	if norm := unit * math.Sqrt(float64(r.known.n2[i])) * (1 + 0x1p-50); !(norm <= m.Radius) {
		unit *= m.Radius / norm * (1 - 0x1p-40)
	}
	r.x.CopyRow(p.lent, i)
	copy(narrow, p.lent)
	scale, beta := math.Ldexp(unit, int(f.bits)), r.beta(i)
	for j, v := range narrow {
		dst[j] = scale * float64(v)
	}
	for j, m := range f.m {
		dst[j] = unit * float64(int64(narrow[j])<<f.bits-beta*m)
	}
	if f.Intercept > 0 {
		dst[len(narrow)] = unit * float64(r.tail(i))
	}
	return true
}

// part is what one goroutine adds up: sums of chunks, and what was lost in adding them (Neumaier,
// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 1974).
type part struct {
	sum, lost, chunk []float64
	x, z             []float64 // rows and their scores
	lent, narrow     []int16   // what storage may keep, and the row
}

func (m *minimization) newPart() *part {
	n := m.Columns * m.dim
	return &part{sum: make([]float64, n), lost: make([]float64, n), chunk: make([]float64, n), x: make([]float64, m.dim), z: make([]float64, m.Columns), lent: make([]int16, m.rows.dim), narrow: make([]int16, m.rows.dim)}
}

// add adds v to the sum.
func (p *part) add(v []float64) {
	for j, x := range v {
		s := p.sum[j] + x
		if math.Abs(p.sum[j]) >= math.Abs(x) {
			p.lost[j] += (p.sum[j] - s) + x
		} else {
			p.lost[j] += (x - s) + p.sum[j]
		}
		p.sum[j] = s
	}
}

// pass returns the sum of all chunks. The function sum writes the sum over the rows first, first+1,
// …, first+n-1 to the chunk of a part.
func (m *minimization) pass(sum func(p *part, first, n int)) []float64 {
	total := m.newPart()
	var lock sync.Mutex
	parallel.Parts((m.rows.count+passRows-1)/passRows, func(from, to int) {
		p := m.newPart()
		for first := from * passRows; first < min(to*passRows, m.rows.count); first += passRows {
			sum(p, first, min(passRows, m.rows.count-first))
			p.add(p.chunk)
		}
		lock.Lock()
		defer lock.Unlock()
		total.add(p.sum)
		total.add(p.lost)
	})
	for j, v := range total.lost {
		total.sum[j] += v
	}
	return total.sum
}
