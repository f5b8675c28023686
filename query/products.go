package query

import (
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Products returns the noisy sum of products of coordinates over rows made with mechanism.MomentRows, with
// noise of standard deviation NoiseMultiplier·radius² on every number. A matrix is released in full and
// averaged with its transpose, so that off its diagonal the noise has 1/√2 of that.
func Products(t Terms, rows *mechanism.Rows, p mechanism.Products) ([]float64, error) {
	sample, err := mechanism.Full().Draw(rows.Len())
	if err != nil {
		return nil, err
	}
	bounded, err := mechanism.SumProducts(sample, rows, p, t.Noise, t.MaxRecords)
	if err != nil {
		return nil, err
	}
	noisy, err := mechanism.Release(t.Payer, t.Noise, bounded)
	if err != nil || p == mechanism.Squares() {
		return noisy.Values(), err
	}
	side := int(math.Round(math.Sqrt(float64(len(noisy.Values())))))
	return Symmetric(noisy.Values(), side), nil
}
