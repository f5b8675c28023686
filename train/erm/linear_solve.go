package erm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// ridge is the rule for the numbers that are added to the diagonal of the second moment before
// least squares is solved. The zero value adds nothing.
type ridge struct {
	// penalty is λ in Σ (y - w·x)² + λ·‖w‖². noiseNorms is λ in units of the spectral norm of the
	// noise (Moments.noiseNorm). As is usual in statistics, penalty leaves out the constant
	// coordinate. The other rules include this coordinate.
	penalty, noiseNorms float64
	// adaptive selects the rule of AdaSSP. The rule adds the amount by which the least eigenvalue
	// falls short of the noise, or 0 if it does not fall short.
	adaptive bool
}

// defaultNoiseNorms is the default of noiseNorms, which needs no tuning. Among 0.1, 0.15, 0.3, 0.5
// and 1 it was best or nearly best. The comparison used two tables of 13 and 26 features at ε from
// 0.3 to 4.
const defaultNoiseNorms = 0.3

// noiseNormMargin covers the fluctuation of the spectral norm about its limit.
const noiseNormMargin = 1.05

// noiseNorm returns the spectral norm of the noise in the second moment, or 0 without noise. If the
// standard deviation is ν on the diagonal and ν/√2 elsewhere, the norm approaches ν·√(2·features)
// for many features (Mehta, "Random matrices", 3rd edition 2004, chapter 7). If both standard
// deviations are equal, the norm is √2 times that. Only with few features does the true norm exceed
// this value by more than a few percent.
func (m *Moments) noiseNorm() float64 {
	if m.equal {
		return 2 * m.noise * math.Sqrt(float64(m.features))
	}
	return m.noise * math.Sqrt(2*float64(m.features))
}

// penalties returns the number to add to the diagonal for each coordinate, given the least
// eigenvalue.
//
// The adaptive rule adds λ = max(0, b - λ_min), where b bounds the norm of the noise (Wang,
// "Revisiting Differentially Private Linear Regression: Optimal and Adaptive Prediction &
// Estimation in Unbounded Domain", UAI 2018, algorithm 2, https://arxiv.org/abs/1803.02596). The
// source pays for a release of λ_min. Here the released matrix Ŝ gives the bound λ_min(S) ≥
// λ_min(Ŝ) - b at no cost (Weyl's inequality).
func (r ridge) penalties(m *Moments, least float64) []float64 {
	all := r.noiseNorms * m.noiseNorm()
	if r.adaptive {
		b := noiseNormMargin * m.noiseNorm()
		all += max(0, b-max(0, least-b))
	}
	out := make([]float64, m.features)
	for j := range out {
		out[j] = all + r.penalty
	}
	if m.intercept > 0 {
		out[m.features-1] = all
	}
	return out
}

// check returns an error if a number of the ridge is negative, infinite or NaN.
func (r ridge) check() error {
	if !(r.penalty >= 0) || math.IsInf(r.penalty, 1) || !(r.noiseNorms >= 0) || math.IsInf(r.noiseNorms, 1) {
		return fmt.Errorf("erm: ridge penalty is %v and %v noise norms, want 0 or positive finite numbers", r.penalty, r.noiseNorms)
	}
	return nil
}

// solver holds the second moment with negative eigenvalues replaced by 0, and the eigenvalues of
// the released matrix.
type solver struct {
	moments *Moments
	values  []float64 // ascending, before the replacement
	second  kernel.Matrix[float64]
}

// newSolver returns a solver for the moments. Replacing negative eigenvalues by 0 gives the nearest
// positive semidefinite matrix in Frobenius norm (Higham, "Computing a nearest symmetric positive
// semidefinite matrix", Linear Algebra and its Applications 1988, theorem 2.1).
func newSolver(m *Moments) (*solver, error) {
	second := m.secondMoment()
	eigen, err := dense.NewEigen(second)
	if err != nil {
		return nil, errNotConverged
	}
	s := &solver{m, slices.Sorted(slices.Values(eigen.Values)), second}
	if s.values[0] < 0 {
		roots := make([]float64, len(eigen.Values))
		for j, v := range eigen.Values {
			roots[j] = math.Sqrt(max(0, v))
		}
		s.second = eigen.Combine(roots)
	}
	return s, nil
}

// errNotConverged is the error of moments whose eigenvalues cannot be found.
var errNotConverged = errors.New("erm: the eigenvalues of the released second moment did not converge")

// rankTolerance is the share of the largest eigenvalue below which an eigenvalue counts as 0.
const rankTolerance = 1e-10

// weights returns the weights of every target, one target after the other. If several weights
// minimize the objective, it returns the weights of least norm.
func (s *solver) weights(r ridge) ([]float64, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	m := s.moments
	system, right := dense.Clone(s.second), dense.New(m.targets, m.features)
	for j, v := range r.penalties(m, s.values[0]) {
		dense.Row(system, j)[j] += v
	}
	for k := range m.targets {
		copy(dense.Row(right, k), m.cross(k))
	}
	solved, err := solvePositive(system, right.Transposed())
	return dense.Clone(solved.Transposed()).Data, err
}

// solvePositive solves a positive semidefinite system. It uses the pseudoinverse if the system is
// singular.
func solvePositive(system, right kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	if factor, ok := dense.NewCholesky(system); ok && factor.Condition() < 1/rankTolerance {
		return factor.Solve(right), nil
	}
	eigen, err := dense.NewEigen(system)
	if err != nil {
		return right, errNotConverged
	}
	values, vectors := eigen.Ascending()
	inside := dense.Product(vectors, right)
	for j, v := range values {
		row := dense.Row(inside, j)
		for k := range row {
			if v <= rankTolerance*values[len(values)-1] {
				row[k] = 0
			} else {
				row[k] /= v
			}
		}
	}
	return dense.Product(vectors.Transposed(), inside), nil
}

// solve returns the weights of the least squares problem with this ridge. There are Features
// weights for each target, one target after the other. Negative eigenvalues of the released second
// moment count as 0. The result is finite.
func (m *Moments) solve(r ridge) ([]float64, error) {
	s, err := newSolver(m)
	if err != nil {
		return nil, err
	}
	return s.weights(r)
}

// Path returns, for each penalty λ in order, the weights w that minimize Σ(y - w·x)² + λ·‖w‖². The
// constant coordinate is not penalized. All weights are computed from one release. Each element of
// the result holds one weight for each feature, for one target after the other. A penalty that is
// negative, infinite or NaN is an error.
func (m *Moments) Path(penalties []float64) ([][]float64, error) {
	s, err := newSolver(m)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(penalties))
	for i, p := range penalties {
		if out[i], err = s.weights(ridge{penalty: p}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
