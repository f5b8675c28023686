package mechanism

import (
	"fmt"
	"math/big"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

const (
	// sumBits: sums and noise together stay below 2^sumBits in magnitude.
	sumBits = 62
	// maxBoundBits: one record's bound on the grid is at most 2^maxBoundBits.
	maxBoundBits = 51
)

// grid is the integer scale of one release: noise of standard deviation S =
// 2^bits, one record's bound Δ. It is derived from public numbers.
type grid struct {
	multiplier float64 // 0 for a release without noise
	bits       uint
	bound      int64
	maxRecords int
}

// newGrid takes the largest S = 2^b, b ≤ 50, for which Δ = ⌊S/z⌋ and maxRecords·Δ +
// 16·S < 2^62, so that nothing overflows; Δ is at most maxBound (0: no such limit).
// The executed multiplier S/Δ is at least z.
func newGrid(multiplier float64, maxRecords int, maxBound int64) (grid, error) {
	if maxRecords < 1 || maxRecords > 1<<40 {
		return grid{}, fmt.Errorf("mechanism: max records is %d, want 1 to 2^40", maxRecords)
	}
	if maxBound == 0 {
		maxBound = 1 << maxBoundBits
	}
	if err := CheckEvent(Gaussian{multiplier}); err != nil {
		return grid{}, err
	}
	for b := uint(sample.MaxGridBits); b >= sample.MinGridBits; b-- {
		delta := floorRatio(b, multiplier)
		if delta.Cmp(big.NewInt(maxBound)) > 0 {
			continue
		}
		worst := new(big.Int).Mul(delta, big.NewInt(int64(maxRecords)))
		worst.Add(worst, new(big.Int).Lsh(big.NewInt(16), b))
		if worst.BitLen() <= sumBits {
			if delta.BitLen() < minBoundBits {
				break
			}
			return grid{multiplier, b, delta.Int64(), maxRecords}, nil
		}
	}
	return grid{}, fmt.Errorf("mechanism: noise multiplier %v with at most %d records leaves no exact integer grid; use a smaller multiplier or fewer records", multiplier, maxRecords)
}

// minBoundBits: below 2^(minBoundBits-1) the rounding of coefficients would show.
const minBoundBits = 8

// newExactGrid is the grid of a release without noise: Δ is the largest power of
// two that cannot overflow, at most maxBound.
func newExactGrid(maxRecords int, maxBound int64) (grid, error) {
	if maxRecords < 1 || maxRecords > 1<<40 {
		return grid{}, fmt.Errorf("mechanism: max records is %d, want 1 to 2^40", maxRecords)
	}
	bound := int64(1) << 44
	for bound > (1<<sumBits-1)/int64(maxRecords) || (maxBound > 0 && bound > maxBound) {
		bound >>= 1
	}
	return grid{bound: bound, maxRecords: maxRecords}, nil
}

// floorRatio returns ⌊2^b/z⌋ exactly.
func floorRatio(b uint, z float64) *big.Int {
	ratio := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), b))
	ratio.Quo(ratio, new(big.Rat).SetFloat64(z))
	return new(big.Int).Quo(ratio.Num(), ratio.Denom())
}
