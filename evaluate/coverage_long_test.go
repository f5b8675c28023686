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
	for n, wide := range map[int]func(string) bool{10: atLeastWhereHidden, 60: atLeastWhereHidden, 300: atLeastWhereHidden, 1000: exactly, 3000: exactly} {
		tolerance := tolerance
		if n < 100 { // the sampling part of a variance is not below 0, and so too large by a little
			tolerance += 0.004
		}
		for _, noise := range []string{NoiseLaplace, NoiseGaussian} {
			for _, name := range []string{"groups", "three levels"} {
				p := plans[name]
				p.Noise = noise
				t.Run(fmt.Sprintf("%s %s %d", name, noise, n), func(t *testing.T) { simulateClasses(t, p, n, rounds, tolerance, wide) })
			}
			p := plans["number"]
			p.Noise = noise
			t.Run(fmt.Sprintf("number %s %d", noise, n), func(t *testing.T) { simulateNumbers(t, p, n, rounds, tolerance, wide) })
		}
	}
}

// TestIntervalsOfPersonsCoverLong does so for persons of up to five rows, with much noise and with little, for many and
// for few. Upward are those where the noise on the sums over pairs may be more than half of the variance without them.
func TestIntervalsOfPersonsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, c := range []struct {
		name              string
		persons, most     int
		laplace, gaussian map[float64]bool // by noise multiplier, whether upward
	}{
		{"two levels, persons", 1500, 5, map[float64]bool{5: true, 1: false, 0.1: false}, map[float64]bool{10: true, 4: true, 0.5: false}},
		{"two levels, persons", 300, 5, map[float64]bool{5: true, 0.5: true, 0.01: false}, map[float64]bool{10: true, 0.02: false}},
		{"two levels, persons", 20, 5, map[float64]bool{5: true, 0.5: true}, map[float64]bool{10: true}},
		{"groups, persons", 1500, 3, map[float64]bool{2: true, 0.1: false}, map[float64]bool{4: true, 0.5: true}},
		{"three levels, persons", 1500, 5, map[float64]bool{2: true, 0.1: false}, map[float64]bool{4: true, 0.5: false}},
		{"three levels, persons", 300, 5, map[float64]bool{2: true, 0.01: false}, map[float64]bool{4: true}},
		{"number, persons", 2000, 3, map[float64]bool{5: true, 0.05: false}, map[float64]bool{4: true, 0.1: false}},
		{"number, persons", 300, 3, map[float64]bool{0.5: true, 0.002: false}, map[float64]bool{4: true}},
	} {
		for noise, multipliers := range map[string]map[float64]bool{NoiseLaplace: c.laplace, NoiseGaussian: c.gaussian} {
			for z, up := range multipliers {
				p := plans[c.name]
				p.Noise, p.NoiseMultiplier, p.Person, p.MaxRecords = noise, z, &Person{"id", c.most}, 20000
				t.Run(fmt.Sprintf("%s %d %s %v", c.name, c.persons, noise, z), func(t *testing.T) {
					wide := func(string) bool { return up }
					if p.regression() {
						rounds, tolerance := simulated(10000, 0.0112) // 5.14 standard errors
						simulateNumbers(t, p, c.persons, rounds, tolerance, wide)
					} else {
						rounds, tolerance := simulated(25000, 0.007)
						simulateClasses(t, p, c.persons, rounds, tolerance, wide)
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
				t.Run(fmt.Sprintf("%d levels, noise %v, %v", levels, z, first), func(t *testing.T) { simulateMajority(t, levels, z, first, rounds, tolerance) })
			}
		}
	}
}
