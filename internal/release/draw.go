package release

import (
	"fmt"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/internal/slack"
	"github.com/ditherml/dither/mechanism"
)

// fit is what the integer scale of a sum follows from.
type fit struct {
	maxRecords int
	maxBound   int64 // 0: no such limit
	norm       Norm
	dim        int
	projected  bool // of sums that clip by projected norms
	// enough returns how fine a coarse grid is, for a number of records and a noise multiplier; nil
	// asks for the finest.
	enough func(records int, multiplier float64) uint
}

// fitNoise derives the integer scale of a noise from public numbers, or says why there is none.
func fitNoise(n mechanism.Noise, f fit) (grid, error) {
	if f.maxRecords < 1 || f.maxRecords > maxMaxRecords {
		return grid{}, fmt.Errorf("release: max records is %d, want 1 to 2^40", f.maxRecords)
	}
	switch n := n.(type) {
	case mechanism.Gaussian:
		if f.norm != L2() {
			return grid{}, fmt.Errorf("release: noise is %v and the bound is in norm %v, want norm %v", n, f.norm, L2())
		}
		return newGrid(n, n.NoiseMultiplier, f, sample.MaxGridBits)
	case mechanism.KNorm:
		return fitKNorm(n, f)
	case mechanism.DiscreteGaussian:
		return discreteGrid(n, n.StandardDeviation, n.Sensitivity, f)
	case mechanism.DiscreteLaplace:
		return discreteGrid(n, n.Scale, n.Sensitivity, f)
	case mechanism.NonPrivate:
		return newExactGrid(n, f), nil
	case mechanism.JLClipping:
		return fitProjected(n, f)
	case seriesNoise:
		return n.fit(f)
	}
	return grid{}, errNoise(n)
}

func errNoise(n mechanism.Noise) error {
	return fmt.Errorf("release: noise is %v, want one that package mechanism declares", n)
}

// drawNoise writes fresh noise to dst, under keys of its own: the noise that the grid was made for.
// Where that is none, it leaves dst, which holds zeros.
func drawNoise(dst []int64, g grid) error {
	switch n := g.noise.(type) {
	case mechanism.NonPrivate:
		return nil
	case mechanism.Gaussian, mechanism.JLClipping, seriesNoise:
		drawGaussian(dst, g.bits)
		return nil
	case mechanism.KNorm:
		return g.norm.draw(dst, g.bits)
	case mechanism.DiscreteGaussian:
		return drawDiscreteGaussian(dst, n)
	case mechanism.DiscreteLaplace:
		return drawDiscreteLaplace(dst, n)
	}
	return errNoise(g.noise)
}

// The slack that accountants add is that of the sampler.
const (
	_ = uint(sample.SlackBits - slack.Bits)
	_ = uint(sample.TailBits - slack.TailBits)
)

// noisePart is how many numbers one stream draws where several do.
const noisePart = 1 << 17

// drawGaussian splits long noise over the processors, each part from a stream under a key of its
// own.
func drawGaussian(dst []int64, bits uint) {
	parallel.Parts((len(dst)+noisePart-1)/noisePart, func(from, to int) {
		sample.NewStream().RoundedGaussian(dst[from*noisePart:min(to*noisePart, len(dst))], bits)
	})
}
