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
// 0.0014), of which some hundreds of intervals make 2e-4; the streams are seeded, so that the outcome is fixed.
func TestIntervalsCoverLong(t *testing.T) {
	plans := testPlans()
	rounds, tolerance := simulated(25000, 0.007)
	for _, n := range []int{10, 60, 300, 1000, 3000} {
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

// TestIntervalsOfPersonsCoverLong does so for persons of up to five rows, with much noise and with little, for many and
// for few.
func TestIntervalsOfPersonsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, c := range []struct {
		name              string
		persons, most     int
		laplace, gaussian []float64 // noise multipliers
	}{
		{"two levels, persons", 1500, 5, []float64{5, 1, 0.1}, []float64{10, 4, 0.5}},
		{"two levels, persons", 300, 5, []float64{5, 0.5, 0.01}, []float64{10, 0.02}},
		{"two levels, persons", 20, 5, []float64{5, 0.5}, []float64{10}},
		{"groups, persons", 1500, 3, []float64{2, 0.1}, []float64{4, 0.5}},
		{"three levels, persons", 1500, 5, []float64{2, 0.1}, []float64{4, 0.5}},
		{"three levels, persons", 300, 5, []float64{2, 0.01}, []float64{4}},
		{"number, persons", 2000, 3, []float64{5, 0.05}, []float64{4, 0.1}},
		{"number, persons", 300, 3, []float64{0.5, 0.002}, []float64{4}},
	} {
		for noise, multipliers := range map[string][]float64{NoiseLaplace: c.laplace, NoiseGaussian: c.gaussian} {
			for _, z := range multipliers {
				p := plans[c.name]
				p.Noise, p.NoiseMultiplier, p.Person, p.MaxRecords = noise, z, &Person{"id", c.most}, 20000
				t.Run(fmt.Sprintf("%s %d %s %v", c.name, c.persons, noise, z), func(t *testing.T) {
					if p.regression() {
						rounds, tolerance := simulated(10000, 0.0112) // 5.14 standard errors
						simulateNumbers(t, p, c.persons, rounds, tolerance)
					} else {
						rounds, tolerance := simulated(25000, 0.007)
						simulateClasses(t, p, c.persons, rounds, tolerance)
					}
				})
			}
		}
	}
}

// TestMajorityCoversLong has levels with as many records as each other, and one with more.
func TestMajorityCoversLong(t *testing.T) {
	rounds, tolerance := simulated(25000, 0.0112)
	for _, levels := range []int{2, 3, 6} {
		for _, z := range []float64{0.1, 5, 60} {
			for _, first := range []float64{1, 1.15, 1.4} {
				t.Run(fmt.Sprintf("%d levels, noise %v, %v", levels, z, first), func(t *testing.T) { simulateMajority(t, levels, 300, z, first, rounds, tolerance) })
			}
		}
	}
}
