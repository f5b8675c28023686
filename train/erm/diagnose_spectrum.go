package erm

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// spectrum contains the eigenvalues and eigenvectors of a symmetric matrix, such as an exact or
// released second moment Σ x·xᵀ. A direction counts if its eigenvalue exceeds a tolerance.
type spectrum struct {
	// values are the eigenvalues, the largest first.
	values  []float64
	vectors kernel.Matrix[float64] // row j belongs to value j
}

// newSpectrum returns the spectrum of a symmetric matrix.
func newSpectrum(s kernel.Matrix[float64]) (*spectrum, error) {
	eigen, err := dense.NewEigen(s)
	if err != nil {
		return nil, fmt.Errorf("erm: the eigenvalues did not converge, want a symmetric matrix of finite numbers")
	}
	values, vectors := eigen.Ascending()
	slices.Reverse(values)
	out := &spectrum{values, dense.New(s.Rows, s.Rows)}
	for j := range values {
		copy(dense.Row(out.vectors, j), dense.Row(vectors, s.Rows-1-j))
	}
	return out, nil
}

// zeroTolerance returns the bound below which an eigenvalue of a second moment counts as 0. The
// bound is rows·bound²·1e-7, where 1e-7 is about the relative error of single precision.
func zeroTolerance(rows int, bound float64) float64 { return float64(rows) * bound * bound * 1e-7 }

// rank returns how many eigenvalues exceed the tolerance.
func (s *spectrum) rank(tolerance float64) int {
	rank := 0
	for _, v := range s.values {
		if v > tolerance {
			rank++
		}
	}
	return rank
}

// effectiveRank returns the sum of the positive eigenvalues divided by the largest eigenvalue. This
// is the number of equally strong directions that would have the same sum. It is 0 if no eigenvalue
// is positive.
func (s *spectrum) effectiveRank() float64 {
	if len(s.values) == 0 || !(s.values[0] > 0) {
		return 0
	}
	sum := 0.0
	for _, v := range s.values {
		sum += max(0, v)
	}
	return sum / s.values[0]
}

// project returns M·v, where M is the projector onto the span of the eigenvectors that count.
func (s *spectrum) project(v []float64, tolerance float64) []float64 {
	out := make([]float64, len(v))
	for j := range s.rank(tolerance) {
		u := dense.Row(s.vectors, j)
		along := kernel.Dot(v, u)
		for i, x := range u {
			out[i] += along * x
		}
	}
	return out
}

// projector returns the matrix M of project. M is symmetric, M·M = M, and the trace of M is the
// rank.
func (s *spectrum) projector(tolerance float64) kernel.Matrix[float64] {
	kept := s.vectors.Slice(0, s.rank(tolerance))
	out := dense.Product(kept.Transposed(), kept)
	dense.Symmetrize(out)
	return out
}

// semiNorm returns ‖v‖_M = √(vᵀ·M·v). It is 0 for vectors orthogonal to all rows.
func (s *spectrum) semiNorm(v []float64, tolerance float64) float64 {
	norm := 0.0
	for _, x := range s.project(v, tolerance) {
		norm = math.Hypot(norm, x)
	}
	return norm
}

// excessBound returns a bound on the expected excess of the mean loss of noisy gradient descent,
// for generalized linear models. The bound grows with the rank of the rows, not with the dimension:
//
//	L·‖θ*‖_M·√(1 + 2·rank·ln(1/δ)) / (ε·n)
//
// The bound is for losses whose gradients have norm at most lipschitz. The descent takes n²·ε²
// steps with a learning rate from the proof, and returns the average of the iterates (Song,
// Steinke, Thakkar & Thakurta, "Evading the Curse of Dimensionality in Unconstrained Private GLMs",
// AISTATS 2021, theorem 3.1, https://proceedings.mlr.press/v130/song21a.html).
//
// The form is from lecture notes that use noise of standard deviation 2L·√(T·ln(1/δ))/(nε). That
// noise is a little too small for the stated ε. So the bound is a yardstick and no guarantee. A
// model of several scores counts as one vector.
func excessBound(lipschitz, norm float64, rank int, epsilon, delta, records float64) float64 {
	return lipschitz * norm * math.Sqrt(1+2*float64(rank)*math.Log(1/delta)) / (epsilon * records)
}
