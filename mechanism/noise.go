package mechanism

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Noise is a way to release a sum: Gaussian, KNorm, DiscreteGaussian, DiscreteLaplace, or
// NonPrivate. It is the event that the release costs, before sampling.
type Noise interface {
	Event
	// fit derives the integer scale from public numbers, or says why there is none.
	fit(f fit) (grid, error)
	// draw writes fresh noise under a key of its own.
	draw(dst []int64, g grid) error
}

// fit is what the integer scale of a sum follows from.
type fit struct {
	maxRecords int
	maxBound   int64 // 0: no such limit
	norm       Norm
	dim        int
	projected  bool    // of sums that clip by projected norms
	largest    float64 // of the integers of a row, for a coarse grid, or 0
	rowDim     int     // how many a row has
	framed     bool    // a coarse grid for rows with long integers
}

func (n Gaussian) fit(f fit) (grid, error) {
	if f.norm != L2() {
		return grid{}, fmt.Errorf("mechanism: noise is %v and the bound is in norm %v, want norm %v", n, f.norm, L2())
	}
	return newGrid(n, n.NoiseMultiplier, f, sample.MaxGridBits)
}

func (n NonPrivate) fit(f fit) (grid, error) { return newExactGrid(n, f) }

func (n KNorm) fit(f fit) (grid, error) {
	if euclidean := f.norm.kind == normL2 || f.norm.kind == normEllipsoid; euclidean && f.dim > sample.MaxL2Dimension {
		return grid{}, fmt.Errorf("mechanism: noise %v in norm %v is for vectors of up to %d numbers, want fewer than %d", n, f.norm, sample.MaxL2Dimension, f.dim)
	}
	return newGrid(n, n.NoiseMultiplier, f, f.norm.maxScaleBits(f.dim))
}

func (n DiscreteGaussian) fit(f fit) (grid, error) {
	return discreteGrid(n, n.StandardDeviation, n.Sensitivity, f)
}

func (n DiscreteLaplace) fit(f fit) (grid, error) {
	return discreteGrid(n, n.Scale, n.Sensitivity, f)
}

// discreteGrid is the grid of integers on which one record's bound is the sensitivity. In the norm of an ellipsoid the
// integer itself could move by more.
func discreteGrid(n Noise, scale float64, sensitivity int64, f fit) (grid, error) {
	if err := CheckEvent(n); err != nil {
		return grid{}, err
	}
	if _, _, err := dyadic(n, scale); err != nil {
		return grid{}, err
	}
	if f.dim != 1 || f.norm.kind == normEllipsoid {
		return grid{}, fmt.Errorf("mechanism: noise is %v and the sum has %d numbers in norm %v, want 1 and no ellipsoid; for others use gaussian or k-norm", n, f.dim, f.norm)
	}
	most := leastPositive(f.maxBound, 1<<sumBits-1)
	if f.maxRecords < 1 || f.maxRecords > maxMaxRecords || sensitivity > min(most, (1<<sumBits-1)/int64(f.maxRecords)) {
		return grid{}, fmt.Errorf("mechanism: max records is %d with sensitivity %d, want 1 to 2^40, a sensitivity of at most %d, and a product below 2^%d", f.maxRecords, sensitivity, most, sumBits)
	}
	return grid{noise: n, bound: sensitivity, maxRecords: f.maxRecords, norm: f.norm}, nil
}

// noisePart is how many numbers one stream draws where several do.
const noisePart = 1 << 17

// draw splits long noise over the processors, each part from a stream under a key of its own.
func (Gaussian) draw(dst []int64, g grid) error {
	parallel.Parts((len(dst)+noisePart-1)/noisePart, func(from, to int) {
		sample.NewStream().RoundedGaussian(dst[from*noisePart:min(to*noisePart, len(dst))], g.bits)
	})
	return nil
}

func (NonPrivate) draw([]int64, grid) error { return nil }

func (KNorm) draw(dst []int64, g grid) error { return g.norm.draw(dst, g.bits) }

func (n DiscreteGaussian) draw(dst []int64, _ grid) error {
	numerator, denominator, err := dyadic(n, n.StandardDeviation)
	if err == nil {
		sample.NewStream().DiscreteGaussian(dst, numerator, denominator)
	}
	return err
}

func (n DiscreteLaplace) draw(dst []int64, _ grid) error {
	numerator, denominator, err := dyadic(n, n.Scale)
	if err == nil {
		sample.NewStream().DiscreteLaplace(dst, numerator, denominator)
	}
	return err
}

// scaleBits: scales of discrete noise are whole multiples of 2^-scaleBits.
const scaleBits = 16

// maxScale keeps scales within the exact samplers' integers.
const maxScale = 1 << 20

// RoundScale returns the least scale or standard deviation of at least v that the exact discrete
// samplers take: a multiple of 2^-16, at most 2^20.
func RoundScale(v float64) (float64, error) {
	rounded := math.Ldexp(math.Ceil(math.Ldexp(v, scaleBits)), -scaleBits)
	if !(v > 0) || rounded > maxScale {
		return 0, fmt.Errorf("mechanism: scale is %v, want more than 0 and at most %d", v, maxScale)
	}
	return rounded, nil
}

// dyadic returns the scale as an exact fraction.
func dyadic(n Noise, scale float64) (numerator, denominator uint64, err error) {
	if rounded, err := RoundScale(scale); err != nil || rounded != scale {
		return 0, 0, fmt.Errorf("mechanism: scale of %v is no multiple of 2^-%d up to %d, want one that RoundScale gives", n, scaleBits, maxScale)
	}
	return uint64(math.Ldexp(scale, scaleBits)), 1 << scaleBits, nil
}
