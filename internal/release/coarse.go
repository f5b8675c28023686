package release

import (
	"math"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

const (
	// roundingBits: on a coarse grid the rounding of all coefficients together moves a number of
	// the sum little. It moves it by at most 2^-roundingBits standard deviations of its noise, even
	// where each is rounded the same way.
	roundingBits = 7
	// coefficientBits bounds the greatest coefficient of a record with a row of the greatest norm.
	// On a coarse grid that coefficient is at least 2^coefficientBits.
	coefficientBits = 12
	// framedBoundBits: on a coarse grid of rows that are moved by a frame, with norms of up to
	// about 2^rowBits, Δ is at least 2^framedBoundBits. The greatest coefficient of such a row is
	// then at least 2^15.
	framedBoundBits = rowBits + 15
)

// enough returns the least b for which a scale of S = 2^b is fine enough. A rounded coefficient
// moves a number of the sum by at most half the largest integer of a row. This many of them move it
// by at most 2^-7·S, and Δ = S/z is at least 2^12 times the norm of a row. The scale depends on
// public numbers alone.
func (r *Rows) enough(records int, multiplier float64) uint {
	largest := float64(r.kind.Largest())
	all := float64(records) * largest * (1 << (roundingBits - 1))
	one := largest * math.Sqrt(float64(r.dim)) * multiplier * (1 << coefficientBits)
	if r.frame.long() {
		all, one = 0, multiplier*(1<<framedBoundBits)
	}
	fraction, bits := math.Frexp(max(all, one))
	if fraction == 0.5 { // 2^(bits-1) exactly
		bits--
	}
	return uint(max(bits, sample.MinGridBits))
}
