package query

import (
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Products returns the noisy sum of products of coordinates over rows made with mechanism.MomentRows, with
// noise of standard deviation NoiseMultiplier·radius² on every number. A matrix is released in full and
// averaged with its transpose, so that off its diagonal the noise has 1/√2 of that.
func Products(t Settings, rows *mechanism.Rows, p mechanism.Products) ([]float64, error) {
	sample, err := mechanism.Full().Draw(rows.Len())
	if err != nil {
		return nil, err
	}
	bounded, err := mechanism.SumProducts(sample, rows, p, t.Noise, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	return released(t, bounded, p)
}

// SecondMomentOf is Products of all pairs for rows of this many records that are not kept, as
// mechanism.SecondMomentOf makes them.
func SecondMomentOf(t Settings, records int, o mechanism.RowsOptions, worker func() func(dst []int16, first, n int)) ([]float64, error) {
	sample, err := mechanism.Full().Draw(records)
	if err != nil {
		return nil, err
	}
	bounded, err := mechanism.SecondMomentOf(sample, o, t.Noise, t.MaxRecords, worker)
	if err != nil {
		return nil, err
	}
	return released(t, bounded, mechanism.AllProducts())
}

// released pays for and releases a sum of products.
func released(t Settings, bounded mechanism.Bounded, p mechanism.Products) ([]float64, error) {
	noisy, err := mechanism.Release(t.Payer, t.Noise, bounded)
	if err != nil || p == mechanism.Squares() {
		return noisy.Values(), err
	}
	side := int(math.Round(math.Sqrt(float64(len(noisy.Values())))))
	return Symmetric(noisy.Values(), side), nil
}
