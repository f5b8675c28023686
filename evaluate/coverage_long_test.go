//go:build long

package evaluate

import "testing"

// TestIntervalsCoverLong is the full run of all kinds of intervals under both noises, of rows and of persons: 25000
// data sets for each size. A coverage of 0.95 is off by more than 0.007 with a probability below 4e-7 (5.08
// standard errors of 0.0014), of which some hundred intervals make 1e-4; the streams are seeded, so that the
// outcome is fixed.
func TestIntervalsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, n := range []int{1000, 3000} {
		for _, noise := range []string{NoiseLaplace, NoiseGaussian} {
			for _, name := range []string{"groups", "three levels", "groups, persons"} {
				p := plans[name]
				p.Noise = noise
				t.Run(name+" "+noise, func(t *testing.T) { simulateClasses(t, p, n, 25000, 0.007) })
			}
			p := plans["number"]
			p.Noise = noise
			t.Run("number "+noise, func(t *testing.T) { simulateNumbers(t, p, n, 25000, 0.007) })
		}
	}
}
