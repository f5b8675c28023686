package release_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// One payment is for all steps. Here every record takes part in every step, and there is next to no noise; so each
// step comes back as the sum of the records' numbers.
func ExampleOpenSeries() {
	const records = 40
	event := mechanism.BandedMatrix{NoiseMultiplier: 1e-4, Bands: 1, Steps: 3, Probability: 1}
	series, err := release.OpenSeries(paying{}, event, records, release.SeriesOptions{Coefficients: []int64{1}, MaxRecords: 100})
	if err != nil {
		panic(err)
	}
	for step := range event.Steps {
		sample, err := series.Draw()
		if err != nil {
			panic(err)
		}
		sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: series.Noise(0), Norm: release.L2(), Dim: 2, Bound: 4, MaxRecords: 100})
		if err != nil {
			panic(err)
		}
		for _, record := range sample.Indices() {
			if err = sum.Add(record, []float64{1, float64(step + 1)}); err != nil {
				panic(err)
			}
		}
		noisy, err := series.Release(sum.Seal())
		if err != nil {
			panic(err)
		}
		fmt.Printf("step %d: %.0f\n", step, noisy[0].Values())
	}
	// Output:
	// pays banded-matrix(0.0001, 1, 3, 1)
	// step 0: [40 40]
	// step 1: [40 80]
	// step 2: [40 120]
}
