package release

import (
	"math"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
)

// passRows is how many rows are multiplied at a time; products over them are sums of this many
// terms.
const passRows = 256

// roundingError bounds the L2 norm of the error of the gradient that minimization computes at
// weights of norm size. It is for this number of records and a linear term of norm linear. With u =
// 2^-53 and t·u(1 + t·u) for a sum of t products (see kernel.Gemm):
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

// minimization is one search for the minimizer of a problem over rows.
type minimization struct {
	Problem
	rows      *Rows
	dim       int
	linear    []float64 // added to the gradient, or nil
	tolerance float64
	scores    []float64 // of the last gradient: Columns a record
}

func newMinimization(p Problem, rows *Rows, linear []float64, tolerance float64) *minimization {
	return &minimization{Problem: p, rows: rows, dim: rows.Dim(), linear: linear, tolerance: tolerance, scores: make([]float64, rows.count*p.Columns)}
}

// part is what one goroutine adds up: sums of chunks, and what was lost in adding them (Neumaier,
// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 1974).
type part struct {
	sum, lost, chunk []float64
	x, z             []float64
	narrow           []int16
	block            Block
}

func (m *minimization) newPart() *part {
	n := m.Columns * m.dim
	return &part{sum: make([]float64, n), lost: make([]float64, n), chunk: make([]float64, n), x: make([]float64, passRows*m.dim), z: make([]float64, passRows*m.Columns), narrow: make([]int16, m.rows.dim)}
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

// pass returns Σ a_i ⊗ x_i over the records: coefficients turns the products of weights with the
// rows first, first+1, … into the a_i, Columns a row, in place.
func (m *minimization) pass(weights []float64, coefficients func(first int, z []float64, labels []float32)) ([]float64, error) {
	chunks := (m.rows.count + passRows - 1) / passRows
	total := m.newPart()
	var lock sync.Mutex
	var failed error
	parallel.Parts(chunks, func(from, to int) {
		p := m.newPart()
		for c := from; c < to; c++ {
			if err := m.chunk(p, c, weights, coefficients); err != nil {
				lock.Lock()
				failed = err
				lock.Unlock()
				return
			}
		}
		lock.Lock()
		defer lock.Unlock()
		total.add(p.sum)
		total.add(p.lost)
	})
	for j, v := range total.lost {
		total.sum[j] += v
	}
	return total.sum, failed
}

// chunk adds the rows of one chunk to a part.
func (m *minimization) chunk(p *part, c int, weights []float64, coefficients func(first int, z []float64, labels []float32)) error {
	first := c * passRows
	n := min(passRows, m.rows.count-first)
	var err error
	if p.block, err = m.rows.Load(first, n, p.block); err != nil {
		return err
	}
	m.multiply(p, n, weights, func(z []float64, labels []float32) { coefficients(first, z, labels) })
	p.add(p.chunk)
	return nil
}

// gradient returns the gradient of J at the weights, wrong by at most roundingError in L2 norm, and
// keeps the scores for curvature.
func (m *minimization) gradient(w []float64) ([]float64, error) {
	g, err := m.pass(w, func(first int, z []float64, labels []float32) {
		copy(m.scores[first*m.Columns:], z)
		m.residuals(z, labels)
	})
	if err != nil {
		return nil, err
	}
	for j := range g {
		g[j] += m.Ridge * w[j]
		if m.linear != nil {
			g[j] += m.linear[j]
		}
	}
	return g, nil
}

// curvature returns the second derivative of J, where the last gradient was, times a direction.
func (m *minimization) curvature(direction []float64) ([]float64, error) {
	h, err := m.pass(direction, func(first int, v []float64, labels []float32) {
		k, z := m.Columns, make([]float64, m.Columns)
		for i := range len(v) / k {
			copy(z, m.scores[(first+i)*k:])
			m.Loss.curve(v[i*k:(i+1)*k], z, labels[i])
		}
	})
	if err != nil {
		return nil, err
	}
	for j := range h {
		h[j] += m.Ridge * direction[j]
	}
	return h, nil
}

// converged reports whether the exact gradient at weights w is within the tolerance. g is the
// computed one.
func (m *minimization) converged(w, g []float64) bool {
	linear := 0.0
	if m.linear != nil {
		linear = kernel.Norm(m.linear)
	}
	norm := kernel.Norm(g) * (1 + float64(len(g)+8)*0x1p-52)
	return norm+m.roundingError(m.dim, float64(m.rows.count), kernel.Norm(w)*(1+0x1p-20), linear) <= m.tolerance
}

// standardized writes row i as the frame sees it, in the unit of features: the integers that sums
// add, times what each of them stands for. It is shortened to norm radius; a row that adds nothing
// is zero.
func (b *Block) standardized(dst []float64, narrow []int16, i int, radius float64) {
	if b.n2[i] == 0 {
		clear(dst)
		return
	}
	f := &b.rows.frame
	b.x.CopyRow(narrow, i)
	unit := b.multiplier(i, f)
	if norm := unit * math.Sqrt(float64(b.n2[i])) * (1 + 0x1p-50); !(norm <= radius) {
		unit *= radius / norm * (1 - 0x1p-40)
	}
	f.standardize(dst[:len(narrow)], narrow, b.beta(i))
	for j := range narrow {
		dst[j] *= unit
	}
	if f.Intercept > 0 {
		dst[len(narrow)] = unit * float64(b.tail(i))
	}
}

// multiply leaves Σ a_i ⊗ x_i over the part's block of n rows in its chunk.
func (m *minimization) multiply(p *part, n int, weights []float64, coefficients func(z []float64, labels []float32)) {
	for i := range n {
		p.block.standardized(p.x[i*m.dim:(i+1)*m.dim], p.narrow, i, m.Radius)
	}
	x, z := kernel.NewMatrix(p.x, n, m.dim), kernel.NewMatrix(p.z, n, m.Columns)
	kernel.GemmSerial(z, 1, x, kernel.NewMatrix(weights, m.Columns, m.dim).Transposed(), 0)
	coefficients(p.z[:n*m.Columns], p.block.labels)
	kernel.GemmSerial(kernel.NewMatrix(p.chunk, m.Columns, m.dim), 1, z.Transposed(), x, 0)
}

// residuals asks the loss for every record.
func (m *minimization) residuals(z []float64, labels []float32) {
	for i := range len(z) / m.Columns {
		m.Loss.residuals(z[i*m.Columns:(i+1)*m.Columns], labels[i])
	}
}
