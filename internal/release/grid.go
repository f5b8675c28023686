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

// newGrid takes the largest S = 2^b, b ≤ maxBits, for which Δ = ⌊S/z⌋ and maxRecords·Δ + 16·S <
// 2^60, so that nothing overflows. Δ is at most maxBound (0: no such limit). The executed
// multiplier S/Δ is at least z. There are 1 to 2^40 records. Where the fit says what is enough, b
// is no larger.
func newGrid(n mechanism.Noise, multiplier float64, f fit, maxBits uint) (grid, error) {
	if err := mechanism.CheckEvent(n); err != nil {
		return grid{}, err
	}
	maxBound := f.most(1 << maxBoundBits)
	if f.enough != nil {
		maxBits = min(maxBits, f.enough(f.maxRecords, multiplier))
	}
	for b := maxBits; b >= sample.MinGridBits; b-- {
		delta := floorRatio(b, multiplier)
		if delta.Cmp(big.NewInt(maxBound)) > 0 {
			continue
		}
		worst := new(big.Int).Mul(delta, big.NewInt(int64(f.maxRecords)))
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

// most returns the largest bound of at most this limit.
func (f fit) most(limit int64) int64 {
	if f.maxBound > 0 {
		return min(f.maxBound, limit)
	}
	return limit
}

// minBoundBits: below 2^(minBoundBits-1) the rounding of coefficients would show.
const minBoundBits = 8

// newExactGrid is the grid of a release without noise: Δ is the largest power of
// two that cannot overflow, at most maxBound.
func newExactGrid(n mechanism.Noise, f fit) grid {
	maxBound := f.most(1 << 44)
	bound := int64(1) << 44
	for bound > (1<<sumBits-1)/int64(f.maxRecords) || bound > maxBound {
		bound >>= 1
	}
	return grid{noise: n, bound: bound, maxRecords: f.maxRecords, norm: f.norm}
}

// floorRatio returns ⌊2^b/z⌋ exactly.
func floorRatio(b uint, z float64) *big.Int {
	ratio := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), b))
	ratio.Quo(ratio, new(big.Rat).SetFloat64(z))
	return new(big.Int).Quo(ratio.Num(), ratio.Denom())
}

// positive reports whether v is positive and finite.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
