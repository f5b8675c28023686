package erm

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// TestDeviationOfNoiseOnAWeight draws each noise for 6 weights that a record moves by at most 1 in L2 norm. The mean
// square over 4000 vectors has a relative deviation of at most 0.02: of single numbers √(5/24000), of the length that
// the numbers of a vector share √(0.7/4000). Six of these are allowed, below 1e-8.
func TestDeviationOfNoiseOnAWeight(t *testing.T) {
	const weights, vectors = 6, 4000
	for name, bound := range map[string]float64{option.NoiseGaussian: 1, option.NoiseL1: math.Sqrt(weights), option.NoiseL2: 1, option.NoiseLInfinity: 1} {
		norm, err := noiseNorm(name)
		if err != nil {
			t.Fatal(err)
		}
		noise, sum := noiseOf(name, 1), 0.0
		for range vectors {
			sample, err := release.Draw(release.Full(), 0)
			if err != nil {
				t.Fatal(err)
			}
			empty, err := release.NewVectorSum(sample, release.VectorOptions{Noise: noise, Norm: norm, Dim: weights, Bound: bound, MaxRecords: 100})
			if err != nil {
				t.Fatal(err)
			}
			noisy, err := release.Release(freePayer{}, noise, empty.Seal())
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range noisy.Values() {
				sum += v * v / (weights * vectors)
			}
		}
		if want := perWeight(name, weights); math.Abs(sum/(want*want)-1) > 0.12 {
			t.Errorf("%s: the deviation of a weight is %v, want %v", name, math.Sqrt(sum), want)
		}
	}
	for d := 1; d < 2000; d *= 3 {
		if perWeight(option.NoiseL1, d) > perWeight(option.NoiseLInfinity, d)*(1+1e-12) {
			t.Errorf("%d weights: noise in the norm L1 has a larger deviation than in L-infinity", d)
		}
	}
}
