package noise

import (
	"errors"
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// kind is a kind of release of a sum over records that add nothing: what comes out is noise.
type kind struct {
	name string
	law  law
	// scale is the scale of the noise in the units of the release: the claim.
	scale float64
	// words says that one random word makes one number, by the layers of a ziggurat.
	words bool
	// maker is the function of package release that makes what is released.
	maker string
	// smooth says that the numbers lie on a grid that is far finer than the one on which they are
	// compared.
	smooth bool
	// share is how many numbers are read, relative to the longest series.
	share float64
	// each is how many numbers a release has where it has more than one piece, else 0. Numbers are
	// then searched release by release, so that pieces of the search are pieces of the noise.
	each int
	draw func() ([]float64, error)
}

// free pays for releases of nothing: there are no records, so nobody is charged.
type free struct{}

// Pay accepts every event.
func (free) Pay(mechanism.Event) error { return nil }

// sums are the numbers of the sums that are released. The noise is of scale 1 where the bound is 1
// and the multiplier 1.
const (
	dim        = 3*4096 + 17 // three pieces under one key each, and a short one
	maxRecords = 256
)

// kinds are the releases under attack: every way in which this program lets out the noise of a sum.
func kinds() []kind {
	return append([]kind{
		{name: "sum of vectors, gaussian", maker: "VectorSum.Seal", law: normal(), scale: 1, words: true, share: 1, each: dim, draw: vectors(mechanism.Gaussian{NoiseMultiplier: 1}, release.L2(), dim)},
		{name: "sum of rows, gaussian on a coarse grid", maker: "Sum.bounded", law: normal(), scale: 1, words: true, share: 0.1, each: dim, draw: rows},
		{name: "sum of layers, gaussian", maker: "ProductSum.Seal", law: normal(), scale: 1, words: true, share: 0.1, draw: layers},
		{name: "second moments, gaussian", maker: "secondMomentOf", law: normal(), scale: 1, words: true, share: 0.1, draw: moments},
		{name: "series of correlated noise", maker: "Series.Release", law: normal(), scale: 1.5, words: true, share: 0.1, draw: series},
		{name: "sum of vectors, l1", law: laplace(), scale: 1, share: 0.1, each: dim, draw: vectors(mechanism.KNorm{NoiseMultiplier: 1}, release.L1(), dim)},
		{name: "one number, l-infinity", law: laplace(), scale: 1, share: 0.01, draw: vectors(mechanism.KNorm{NoiseMultiplier: 1}, release.LInfinity(), 1)},
		{name: "one number, l2", law: laplace(), scale: 1, share: 0.01, draw: vectors(mechanism.KNorm{NoiseMultiplier: 1}, release.L2(), 1)},
	}, solved()...)
}

// nothing returns a sample of one record that adds nothing.
func nothing() (release.Sample, error) { return release.Draw(release.Full(), 1) }

// vectors releases a sum of vectors.
func vectors(n mechanism.Noise, norm release.Norm, dim int) func() ([]float64, error) {
	return func() ([]float64, error) {
		sample, err := nothing()
		if err != nil {
			return nil, err
		}
		s, err := release.NewVectorSum(sample, release.VectorOptions{Noise: n, Norm: norm, Dim: dim, Bound: 1, MaxRecords: maxRecords})
		if err != nil {
			return nil, err
		}
		return let(n, s.Seal())
	}
}

// let releases a sum.
func let(n mechanism.Noise, b release.Bounded) ([]float64, error) {
	noisy, err := release.Release(free{}, n, b)
	return noisy.Values(), err
}

// rows releases a sum of coefficients times rows of bytes, as gradient descent does.
func rows() ([]float64, error) {
	n := mechanism.Gaussian{NoiseMultiplier: 1}
	sample, err := nothing()
	if err != nil {
		return nil, err
	}
	r, err := release.NewRows(1, release.RowsOptions{Dim: dim, Step: 1.0 / 128}, func(dst []float64, _, _ int) { clear(dst) })
	if err != nil {
		return nil, err
	}
	s, err := release.NewSum(sample, r, release.SumOptions{Noise: n, Columns: 1, Bound: 1, MaxRecords: maxRecords, Coarse: true})
	if err != nil {
		return nil, err
	}
	return let(n, s.Seal())
}

// layers releases a sum of the gradients of two layers of a network.
func layers() ([]float64, error) {
	n := mechanism.Gaussian{NoiseMultiplier: 1}
	sample, err := nothing()
	if err != nil {
		return nil, err
	}
	s, err := release.NewProductSum(sample, release.ProductOptions{Noise: n, Bound: 1, MaxRecords: maxRecords,
		Blocks: []release.ProductBlock{{Right: 64, Left: 100, Bias: true}, {Right: 90, Left: 64}}})
	if err != nil {
		return nil, err
	}
	return let(n, s.Seal())
}

// moments releases second moments of rows of one length.
func moments() ([]float64, error) {
	n := mechanism.Gaussian{NoiseMultiplier: 1}
	sample, err := nothing()
	if err != nil {
		return nil, err
	}
	o, err := release.MomentRowsOf(n, maxRecords, 128, 1)
	if err != nil {
		return nil, err
	}
	b, err := release.SecondMomentOf(sample, o, n, maxRecords, func() func(dst []int16, first, n int) {
		return func(dst []int16, _, _ int) { clear(dst) }
	})
	if err != nil {
		return nil, err
	}
	return let(n, b)
}

// series releases steps of a series with correlated noise, and returns the numbers whose noise is
// not correlated: the series solves y_t = Σ_k c_k·estimate_(t-k) for its estimates.
func series() ([]float64, error) {
	const steps = 4
	coefficients := []int64{4, 2, 1}
	s, err := release.OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1.5 / seriesLength, Bands: 3, Steps: steps, Probability: 1}, 3,
		release.SeriesOptions{Coefficients: coefficients, MaxRecords: 1 << 20})
	if err != nil {
		return nil, err
	}
	var all []float64
	var estimates [][]float64
	for t := range steps {
		estimate, err := step(s)
		if err != nil {
			return nil, err
		}
		estimates = append(estimates, estimate)
		for j := range estimate {
			y := 0.0
			for k := range min(t+1, len(coefficients)) {
				y += float64(coefficients[k]) * estimates[t-k][j]
			}
			all = append(all, y)
		}
	}
	return all, nil
}

// seriesLength is √(4² + 2² + 1²), the length of the coefficients.
const seriesLength = 4.58257569495584

// step takes one step of a series.
func step(s *release.Series) ([]float64, error) {
	sample, err := s.Draw()
	if err != nil {
		return nil, err
	}
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: s.Noise(0), Norm: release.L2(), Dim: dim / 4, Bound: 1, MaxRecords: 1 << 20})
	if err != nil {
		return nil, err
	}
	noisy, err := s.Release(sum.Seal())
	if err != nil {
		return nil, err
	}
	return noisy[0].Values(), nil
}

// errGrid says that numbers are none of what a release may give.
var errGrid = errors.New("noise: released numbers lie on no grid of 2^10 to 2^50 cells a scale, want one")

// grid returns released numbers as the integers that they were: the least fine of the grids on
// which one record's bound, 1, is ⌊2^bits/multiplier⌋ cells, for noise of scale 2^bits.
func grid(values []float64, multiplier float64) (numbers []int64, bits uint, err error) {
	numbers = make([]int64, len(values))
	for bits = 10; bits <= 50; bits++ {
		if integers(numbers, values, math.Floor(math.Ldexp(1/multiplier, int(bits)))) {
			return numbers, bits, nil
		}
	}
	return nil, 0, errGrid
}

// smoothBits says on how fine a grid numbers are compared whose own grid is finer.
const smoothBits = 30

// rounded returns numbers over their scale, rounded to 2^-smoothBits.
func rounded(values []float64, scale float64) []int64 {
	numbers := make([]int64, len(values))
	for i, v := range values {
		numbers[i] = int64(math.Round(math.Ldexp(v/scale, smoothBits)))
	}
	return numbers
}

// integers writes the values times cells to numbers, and reports whether they all are integers.
func integers(numbers []int64, values []float64, cells float64) bool {
	for i, v := range values {
		whole := math.Round(v * cells)
		if math.Abs(v*cells-whole) > 0.01 || math.Abs(whole) > 1<<60 {
			return false
		}
		numbers[i] = int64(whole)
	}
	return true
}
