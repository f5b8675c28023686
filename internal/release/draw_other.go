package release

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// fitKNorm is the grid of K-norm noise.
func fitKNorm(n mechanism.KNorm, f fit) (grid, error) {
	if f.norm == L2() && f.dim > sample.MaxL2Dimension {
		return grid{}, fmt.Errorf("release: noise %v in norm %v is for vectors of up to %d numbers, want fewer than %d", n, f.norm, sample.MaxL2Dimension, f.dim)
	}
	return newGrid(n, n.NoiseMultiplier, f, f.norm.maxScaleBits(f.dim))
}

// discreteGrid is the grid of integers on which one record's bound is the sensitivity.
func discreteGrid(n mechanism.Noise, scale float64, sensitivity int64, f fit) (grid, error) {
	if err := mechanism.CheckEvent(n); err != nil {
		return grid{}, err
	}
	if _, _, err := dyadic(n, scale); err != nil {
		return grid{}, err
	}
	if f.dim != 1 {
		return grid{}, fmt.Errorf("release: noise is %v and the sum has %d numbers in norm %v, want 1; for others use gaussian or k-norm", n, f.dim, f.norm)
	}
	most := f.most(1<<sumBits - 1)
	if f.maxRecords < 1 || f.maxRecords > maxMaxRecords || sensitivity > min(most, (1<<sumBits-1)/int64(f.maxRecords)) {
		return grid{}, fmt.Errorf("release: max records is %d with sensitivity %d, want 1 to 2^40, a sensitivity of at most %d, and a product below 2^%d", f.maxRecords, sensitivity, most, sumBits)
	}
	return grid{noise: n, bound: sensitivity, maxRecords: f.maxRecords, norm: f.norm}, nil
}

func drawDiscreteGaussian(dst []int64, n mechanism.DiscreteGaussian) error {
	numerator, denominator, err := dyadic(n, n.StandardDeviation)
	if err == nil {
		sample.NewStream().DiscreteGaussian(dst, numerator, denominator)
	}
	return err
}

func drawDiscreteLaplace(dst []int64, n mechanism.DiscreteLaplace) error {
	numerator, denominator, err := dyadic(n, n.Scale)
	if err == nil {
		sample.NewStream().DiscreteLaplace(dst, numerator, denominator)
	}
	return err
}

// scaleBits is the precision of discrete noise: scales are integer multiples of 2^-scaleBits.
const scaleBits = 16

// maxScale is the largest scale within the exact samplers' integers.
const maxScale = 1 << 20

// RoundScale returns the least valid scale or standard deviation of the exact discrete samplers
// that is at least v. It is a multiple of 2^-16. A v that is not positive or is above 2^20 is an
// error.
func RoundScale(v float64) (float64, error) {
	rounded := math.Ldexp(math.Ceil(math.Ldexp(v, scaleBits)), -scaleBits)
	if !(v > 0) || rounded > maxScale {
		return 0, fmt.Errorf("release: scale is %v, want more than 0 and at most %d", v, maxScale)
	}
	return rounded, nil
}

// dyadic returns the scale as an exact fraction.
func dyadic(n mechanism.Noise, scale float64) (numerator, denominator uint64, err error) {
	if rounded, err := RoundScale(scale); err != nil || rounded != scale {
		return 0, 0, fmt.Errorf("release: scale of %v is no multiple of 2^-%d in the range of RoundScale, want one that it gives", n, scaleBits)
	}
	return uint64(math.Ldexp(scale, scaleBits)), 1 << scaleBits, nil
}
