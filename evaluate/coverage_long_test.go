//go:build long

package evaluate

import (
	"flag"
	"fmt"
	"math"
	"testing"
)

var allDataSets = flag.Bool("all-data-sets", false, "simulate all data sets of the tests of coverage, not a fifth of them with a tolerance as much wider")

// simulated returns how many data sets to simulate, and the tolerance that is as many standard errors.
func simulated(rounds int, tolerance float64) (int, float64) {
	if *allDataSets {
		return rounds, tolerance
	}
	return rounds / 5, tolerance * math.Sqrt(5)
}

// TestIntervalsCoverLong runs all kinds of intervals under both noises, with all-data-sets on 25000 data sets for each
// size. A coverage of 0.95 is off by more than 0.007 with a probability below 4e-7 (5.08 standard errors of
// 0.0014), of which some two hundred intervals make 1e-4; the streams are seeded, so that the outcome is fixed.
func TestIntervalsCoverLong(t *testing.T) {
	plans := testPlans()
	rounds, tolerance := simulated(25000, 0.007)
	for _, n := range []int{1000, 3000} {
		for _, noise := range []string{NoiseLaplace, NoiseGaussian} {
			for _, name := range []string{"groups", "three levels"} {
				p := plans[name]
				p.Noise = noise
				t.Run(fmt.Sprintf("%s %s %d", name, noise, n), func(t *testing.T) { simulateClasses(t, p, n, rounds, tolerance) })
			}
			p := plans["number"]
			p.Noise = noise
			t.Run(fmt.Sprintf("number %s %d", noise, n), func(t *testing.T) { simulateNumbers(t, p, n, rounds, tolerance) })
		}
	}
}

// TestIntervalsOfPersonsCoverLong does so for persons of up to five rows, with much noise and with little.
func TestIntervalsOfPersonsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, c := range []struct {
		name               string
		laplace, gaussian  []float64
		persons, most, few int
	}{
		{"two levels, persons", []float64{5, 1, 0.1}, []float64{10, 4, 0.5}, 1500, 5, 6},
		{"groups, persons", []float64{2, 0.1}, []float64{4, 0.5}, 1500, 3, 6},
		{"three levels, persons", []float64{2, 0.1}, []float64{4, 0.5}, 1500, 5, 1},
		{"number, persons", []float64{5, 0.1}, []float64{4, 0.2}, 2000, 3, 4},
	} {
		for noise, multipliers := range map[string][]float64{NoiseLaplace: c.laplace, NoiseGaussian: c.gaussian} {
			for _, z := range multipliers {
				p := plans[c.name]
				p.Noise, p.NoiseMultiplier, p.Person, p.MaxRecords = noise, z, &Person{"id", c.most}, 20000
				t.Run(fmt.Sprintf("%s %s %v", c.name, noise, z), func(t *testing.T) {
					var shown []string
					if p.regression() {
						rounds, tolerance := simulated(10000, 0.0112) // 5.14 standard errors
						shown = simulateNumbers(t, p, c.persons, rounds, tolerance)
					} else {
						rounds, tolerance := simulated(25000, 0.007)
						shown = simulateClasses(t, p, c.persons, rounds, tolerance)
					}
					if len(shown) < c.few {
						t.Errorf("there are intervals of %q, want at least %d", shown, c.few)
					}
				})
			}
		}
	}
}
