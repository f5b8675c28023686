package dynamics

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// Tolerance is the least magnitude, in units of a matrix' Frobenius norm, at which an eigenvalue or
// an asymmetry counts as other than 0. Eigenvalues of an asymmetric matrix have errors of up to the
// root of the precision.
const Tolerance = 1e-7

// Character is the properties of a square matrix that decide descents along it.
type Character struct {
	// Norm is the Frobenius norm. Asymmetry is the norm of M - Mᵀ divided by it, 0 for the zero
	// matrix.
	Norm      float64 `json:"norm"`
	Asymmetry float64 `json:"asymmetry"`
	// Least and Largest are the ends of the real parts of the eigenvalues.
	Least   float64 `json:"least-eigenvalue"`
	Largest float64 `json:"largest-eigenvalue"`
	// LeastForm is the least eigenvalue of (M + Mᵀ)/2: the minimum of xᵀMx for ‖x‖ = 1.
	LeastForm float64 `json:"least-of-form"`
	Trace     float64 `json:"trace"`
}

// Describe returns the character of a square matrix of finite numbers.
func Describe(m kernel.Matrix[float64]) (Character, error) {
	size := m.Rows
	c := Character{Norm: dense.Norm(m), Trace: dense.Trace(m), Least: math.Inf(1), Largest: math.Inf(-1)}
	if !(c.Norm < math.Inf(1)) {
		return c, fmt.Errorf("dynamics: the kernel has norm %v, want a finite one; take smaller weights", c.Norm)
	}
	form, difference := dense.Clone(m), 0.0
	dense.Symmetrize(form)
	for i := range size {
		for j := range i {
			difference = math.Hypot(difference, math.Sqrt2*(m.At(i, j)-m.At(j, i)))
		}
	}
	if c.Norm > 0 {
		c.Asymmetry = difference / c.Norm
	}
	symmetric, err := dense.Eigenvalues(form)
	if err != nil {
		return c, fmt.Errorf("dynamics: the eigenvalues of the form did not converge, want a matrix of finite numbers")
	}
	general, err := dense.GeneralEigenvalues(m)
	if err != nil {
		return c, fmt.Errorf("dynamics: the eigenvalues did not converge, want a matrix of finite numbers")
	}
	c.LeastForm = symmetric[0]
	for _, v := range general {
		c.Least, c.Largest = min(c.Least, real(v)), max(c.Largest, real(v))
	}
	return c, nil
}

// Symmetric reports whether the matrix is its own transpose, up to Tolerance.
func (c Character) Symmetric() bool { return c.Asymmetry <= Tolerance }

// Positive reports whether no eigenvalue has a negative real part, up to Tolerance.
func (c Character) Positive() bool { return c.Least >= -Tolerance*c.Norm }

// PositiveForm reports whether xᵀMx is never negative, up to Tolerance. Then the loss can never
// rise.
func (c Character) PositiveForm() bool { return c.LeastForm >= -Tolerance*c.Norm }

// Regular reports whether all eigenvalues have a positive real part, beyond Tolerance. Then
// descents come to rest only at the minimum.
func (c Character) Regular() bool { return c.Least > Tolerance*c.Norm }
