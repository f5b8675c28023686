package release

import (
	"fmt"
	"github.com/ditherml/dither/mechanism"
	"testing"
)

// BenchmarkSeries takes steps of a network's size over no records: rows, noise and estimates.
func BenchmarkSeries(b *testing.B) {
	const numbers = 100_000
	for _, bands := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("bands=%d", bands), func(b *testing.B) {
			c := make([]int64, bands)
			for k := range c {
				c[k] = int64(4096 - k)
			}
			s, err := OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: bands, Steps: 1 << 40, Probability: 1}, 0, SeriesOptions{Coefficients: c, MaxRecords: 60000})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				sample, err := s.Draw()
				if err != nil {
					b.Fatal(err)
				}
				sum, err := NewVectorSum(sample, VectorOptions{Noise: s.Noise(0), Norm: L2(), Dim: numbers, Bound: 1, MaxRecords: 60000})
				if err != nil {
					b.Fatal(err)
				}
				if _, err = s.Release(sum.Seal()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(numbers)*float64(b.N)/b.Elapsed().Seconds(), "numbers/s")
		})
	}
}
