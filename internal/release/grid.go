package release

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

const (
	// sumBits: sums and noise together stay below 2^sumBits in magnitude.
	sumBits = 60
	// maxBoundBits: one record's bound on the grid is at most 2^maxBoundBits.
	maxBoundBits = 51
)

// grid is the integer scale of one release: noise of scale S = 2^bits, which is the standard
// deviation of normal noise, and one record's bound Δ. Discrete noise has its own scale, and bits
// is 0. All is derived from public numbers.
type grid struct {
	noise      mechanism.Noise
	bits       uint
	bound      int64 // Δ
	maxRecords int
	norm       Norm
}

// maxMaxRecords is the largest declared number of records.
const maxMaxRecords = 1 << 40

// maxKNormBits bounds the scale of K-norm noise, for the exact samplers.
const maxKNormBits = 40

// newGrid takes the largest S = 2^b, b ≤ maxBits, for which Δ = ⌊S/z⌋ and maxRecords·Δ·a +
// 16·S < 2^60, so that nothing overflows; a is what Norm.longest returns. Δ is at most maxBound (0: no such limit).
// The executed multiplier S/Δ is at least z. Where the fit has the largest integer of rows, b is no larger than
// their rounding asks for.
func newGrid(n mechanism.Noise, multiplier float64, f fit, maxBits uint) (grid, error) {
	if f.maxRecords < 1 || f.maxRecords > maxMaxRecords {
		return grid{}, fmt.Errorf("release: max records is %d, want 1 to 2^40", f.maxRecords)
	}
	if err := mechanism.CheckEvent(n); err != nil {
		return grid{}, err
	}
	maxBound := leastPositive(f.maxBound, f.norm.maxBound(), 1<<maxBoundBits)
	for b := f.enough(multiplier, maxBits); b >= sample.MinGridBits; b-- {
		delta := floorRatio(b, multiplier)
		if delta.Cmp(big.NewInt(maxBound)) > 0 {
			continue
		}
		worst := new(big.Int).Mul(delta, big.NewInt(int64(f.maxRecords)*f.norm.longest()))
		worst.Add(worst, new(big.Int).Lsh(big.NewInt(16), b))
		if worst.BitLen() <= sumBits {
			if delta.BitLen() < minBoundBits {
				break
			}
			return grid{n, b, delta.Int64(), f.maxRecords, f.norm}, nil
		}
	}
	return grid{}, fmt.Errorf("release: noise multiplier %v with at most %d records leaves no exact integer grid; use a smaller multiplier or fewer records", multiplier, f.maxRecords)
}

const (
	// roundingBits: on a coarse grid the rounding of all coefficients together moves a number of
	// the sum little. It moves it by at most 2^-roundingBits standard deviations of its noise, even
	// where each is rounded the same way.
	roundingBits = 7
	// coefficientBits: on a coarse grid a record with a row of the greatest norm, and with the greatest
	// coefficient that it may have, has one of at least 2^coefficientBits.
	coefficientBits = 12
	// framedBoundBits: on a coarse grid of rows that are moved by a frame, with norms of up to about 2^rowBits, Δ is at
	// least 2^framedBoundBits. The greatest coefficient of such a row is then at least 2^15.
	framedBoundBits = rowBits + 15
)

// enough returns the least b of at most maxBits for which a scale of S = 2^b is fine enough: a coefficient that is
// rounded to nearest moves a number of the sum by at most half the largest integer of a row, and MaxRecords of them
// by at most 2^-7·S; and Δ = S/z is at least 2^12 times the norm of a row. It is maxBits where that is not
// asked for.
func (f fit) enough(multiplier float64, maxBits uint) uint {
	if f.largest == 0 && !f.framed {
		return maxBits
	}
	all := float64(f.maxRecords) * f.largest * (1 << (roundingBits - 1))
	one := f.largest * math.Sqrt(float64(f.rowDim)) * multiplier * (1 << coefficientBits)
	if f.framed {
		one = multiplier * (1 << framedBoundBits)
	}
	fraction, bits := math.Frexp(max(all, one))
	if fraction == 0.5 { // 2^(bits-1) exactly
		bits--
	}
	return min(maxBits, uint(max(bits, sample.MinGridBits)))
}

// leastPositive returns the least of the numbers that are positive.
func leastPositive(numbers ...int64) int64 {
	least := int64(math.MaxInt64)
	for _, v := range numbers {
		if v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// minBoundBits: below 2^(minBoundBits-1) the rounding of coefficients would show.
const minBoundBits = 8

// newExactGrid is the grid of a release without noise: Δ is the largest power of
// two that cannot overflow, at most maxBound.
func newExactGrid(n mechanism.Noise, f fit) (grid, error) {
	if f.maxRecords < 1 || f.maxRecords > maxMaxRecords {
		return grid{}, fmt.Errorf("release: max records is %d, want 1 to 2^40", f.maxRecords)
	}
	maxBound := leastPositive(f.maxBound, f.norm.maxBound(), 1<<44)
	bound := int64(1) << 44
	for bound > (1<<sumBits-1)/(int64(f.maxRecords)*f.norm.longest()) || bound > maxBound {
		bound >>= 1
	}
	return grid{noise: n, bound: bound, maxRecords: f.maxRecords, norm: f.norm}, nil
}

// floorRatio returns ⌊2^b/z⌋ exactly.
func floorRatio(b uint, z float64) *big.Int {
	ratio := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), b))
	ratio.Quo(ratio, new(big.Rat).SetFloat64(z))
	return new(big.Int).Quo(ratio.Num(), ratio.Denom())
}

// positive reports whether v is positive and finite.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
