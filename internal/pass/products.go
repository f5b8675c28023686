package pass

import (
	"math"

	"github.com/ditherml/dither/internal/release"
)

// Products returns the noisy sum of products of coordinates over rows made with release.MomentRows.
// The noise has standard deviation NoiseMultiplier·radius² on every number. A matrix is released in
// full and averaged with its transpose. Off its diagonal the noise is then 1/√2 of that.
func Products(t Settings, rows *release.Rows, p release.Products) ([]float64, error) {
	sample, err := release.Draw(release.Full(), rows.Len())
	if err != nil {
		return nil, err
	}
	bounded, err := release.SumProducts(sample, rows, p, t.Noise, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	return released(t, bounded, p)
}

// SecondMomentOf is Products of all pairs for this number of rows, which release.SecondMomentOf
// makes and does not keep.
func SecondMomentOf(t Settings, records int, o release.RowsOptions, worker func() func(dst []int16, first, n int)) ([]float64, error) {
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	bounded, err := release.SecondMomentOf(sample, o, t.Noise, t.MaxRecords, worker)
	if err != nil {
		return nil, err
	}
	return released(t, bounded, release.AllProducts())
}

// released pays for and releases a sum of products.
func released(t Settings, bounded release.Bounded, p release.Products) ([]float64, error) {
	noisy, err := release.Release(t.Payer, t.Noise, bounded)
	if err != nil || p == release.Squares() {
		return noisy.Values(), err
	}
	side := int(math.Round(math.Sqrt(float64(len(noisy.Values())))))
	return Symmetric(noisy.Values(), side), nil
}
