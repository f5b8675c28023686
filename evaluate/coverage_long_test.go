//go:build long

package evaluate

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"testing"

	"github.com/ditherml/dither/query"
)

var allDataSets = flag.Bool("all-data-sets", false, "simulate 25000 data sets for each test of coverage, not 10000, or 5000 with -short")

// simulated returns how many data sets to simulate, and the tolerance: 0.007, and no less than 5.08 standard errors of a
// coverage of 0.95, which it is off by with a probability below 4e-7. Some hundreds of intervals make 2e-4; the streams are seeded, so
// that the outcome is fixed.
func simulated() (rounds int, tolerance float64) {
	switch {
	case *allDataSets:
		rounds = 25000
	case testing.Short():
		rounds = 5000
	default:
		rounds = 10000
	}
	return rounds, max(0.007, 5.08*math.Sqrt(confidence*(1-confidence)/float64(rounds)))
}

// turn lets a case run beside others. With DITHER_COVERAGE=k/n in the environment only every n-th case is simulated, k from 0,
// which one a hash of its name tells. The streams are seeded, so that a case says nothing new until the code changes.
func turn(t *testing.T) {
	t.Helper()
	part, parts := uint32(0), uint32(1)
	if share := os.Getenv("DITHER_COVERAGE"); share != "" {
		if n, err := fmt.Sscanf(share, "%d/%d", &part, &parts); n != 2 || err != nil || part >= parts {
			t.Fatalf("DITHER_COVERAGE is %q, want k/n with k from 0 to n-1", share)
		}
	}
	h := fnv.New32a()
	fmt.Fprint(h, t.Name())
	if h.Sum32()%parts != part {
		t.Skip("another share of the cases is simulated")
	}
	t.Parallel()
}

// TestIntervalsCoverLong runs all kinds of intervals under both noises. No limit of a stated rate, and no other constant of
// the intervals, was fitted to 120 or to 3000 rows.
func TestIntervalsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, n := range []int{10, 60, 120, 300, 1000, 3000} {
		for _, noise := range []string{noiseLaplace, noiseGaussian} {
			for _, name := range []string{"groups", "three levels", "number"} {
				p := plans[name]
				p.Noise = noise
				t.Run(fmt.Sprintf("%s %s %v %d", name, noise, p.NoiseMultiplier, n), func(t *testing.T) {
					turn(t)
					simulateLong(t, p, n)
				})
			}
		}
	}
}

// TestIntervalsAtOtherEpsilonsCoverLong has other epsilons than 0.5: 1, 3 and 10 under Laplace noise, and 1 and 3 under Gaussian
// noise at delta 1e-6.
func TestIntervalsAtOtherEpsilonsCoverLong(t *testing.T) {
	plans := testPlans()
	for _, n := range []int{30, 120, 1000} {
		for noise, multipliers := range map[string][]float64{noiseLaplace: {1, 1. / 3, 0.1}, noiseGaussian: {4.22, 1.5}} {
			for _, z := range multipliers {
				for _, name := range []string{"two levels", "number"} {
					if n == 30 && (name == "number" || noise == noiseGaussian) {
						continue
					}
					p := plans[name]
					p.Noise, p.NoiseMultiplier = noise, z
					t.Run(fmt.Sprintf("%s %s %.2g %d", name, noise, z, n), func(t *testing.T) {
						turn(t)
						simulateLong(t, p, n)
					})
				}
			}
		}
	}
}

// TestMoreIntervalsCover has cases like those of the ordinary run, as many data sets each, that are left to the long one.
func TestMoreIntervalsCover(t *testing.T) {
	plans := testPlans()
	quiet, three, two := plans["groups"], plans["three levels, persons"], plans["two levels, persons"]
	quiet.NoiseMultiplier = 0.1 // almost all is sampling
	three.NoiseMultiplier = 2
	two.NoiseMultiplier = 0.01
	for name, simulate := range map[string]func(t *testing.T){
		"quiet groups":          func(t *testing.T) { simulateClasses(t, quiet, 600, 1500, 0.025) },
		"number, gaussian":      func(t *testing.T) { simulateNumbers(t, plans["number, gaussian"], 800, 1500, 0.025) },
		"three levels, persons": func(t *testing.T) { simulateClasses(t, three, 1000, 1500, 0.025) },
		"quiet persons":         func(t *testing.T) { simulateClasses(t, two, 300, 1500, 0.025) },
	} {
		t.Run(name, func(t *testing.T) {
			turn(t)
			simulate(t)
		})
	}
}

// simulateLong simulates a plan of either target.
func simulateLong(t *testing.T, p Plan, n int) {
	rounds, tolerance := simulated()
	if p.regression() {
		simulateNumbers(t, p, n, rounds, tolerance)
		return
	}
	simulateClasses(t, p, n, rounds, tolerance)
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
		{"two levels, persons", 300, 3, []float64{1, 0.33}, []float64{4.22}},
		{"two levels, persons", 20, 5, []float64{5, 0.5}, []float64{10}},
		{"groups, persons", 1500, 3, []float64{2, 0.1}, []float64{4, 0.5}},
		{"three levels, persons", 1500, 5, []float64{2, 0.1}, []float64{4, 0.5}},
		{"three levels, persons", 300, 5, []float64{2, 0.01}, []float64{4}},
		{"number, persons", 2000, 3, []float64{5, 0.05}, []float64{4, 0.1}},
		{"number, persons", 300, 3, []float64{0.5, 0.002}, []float64{4}},
		{"number, persons", 1000, 2, []float64{1, 0.33}, []float64{1.5}},
	} {
		for noise, multipliers := range map[string][]float64{noiseLaplace: c.laplace, noiseGaussian: c.gaussian} {
			for _, z := range multipliers {
				p := plans[c.name]
				p.Noise, p.NoiseMultiplier, p.Person, p.MaxRecords = noise, z, &query.Person{Column: "id", MaxRows: c.most}, 20000
				t.Run(fmt.Sprintf("%s of %d rows %s %v %d", c.name, c.most, noise, z, c.persons), func(t *testing.T) {
					turn(t)
					simulateLong(t, p, c.persons)
				})
			}
		}
	}
}

// TestMajorityCoversLong has levels with as many records as each other, and one with more: 300 rows of two to six levels, as
// what is a rival was fitted for, and others.
func TestMajorityCoversLong(t *testing.T) {
	rounds, tolerance := simulated()
	for _, c := range []struct{ levels, rows int }{{2, 300}, {3, 300}, {6, 300}, {4, 120}, {10, 300}, {20, 3000}} {
		for _, z := range []float64{0.1, 5, 60} {
			for _, first := range []float64{1, 1.15, 1.4} {
				t.Run(fmt.Sprintf("%d levels %d rows, noise %v, %v", c.levels, c.rows, z, first), func(t *testing.T) {
					turn(t)
					simulateMajority(t, c.levels, c.rows, z, first, rounds, tolerance)
				})
			}
		}
	}
}

// TestAreaHoldsTheExactScoresLong has more records, other noise, and scores that bins of equal width hide.
func TestAreaHoldsTheExactScoresLong(t *testing.T) {
	for _, s := range []scored{rareScores, {0, 1, 0.5}, {-3, 2.4, 0.03}, {1, 0, 0.3}} {
		for _, n := range []int{500, 5000} {
			for _, z := range []float64{0.1, 2} {
				for _, bins := range []int{3, 10, 60, 400} {
					t.Run(fmt.Sprintf("%+v %d rows noise %v %d bins", s, n, z, bins), func(t *testing.T) {
						turn(t)
						checkScores(t, scoredPlan(t, Request{Bins: bins}, z), s, n, 1500, 0.03)
					})
				}
			}
		}
	}
}

// TestShapesOfScoresCoverLong has 500 data sets of each population, number of records and noise. Its streams are
// seeded, so that its outcome is fixed.
func TestShapesOfScoresCoverLong(t *testing.T) {
	for _, s := range []scored{rareScores, {0, 1, 0.5}, {-3, 2.4, 0.03}, {1, 0, 0.3}, {-0.7, 1.4, 0.25}, {-4, 7, 0.25}, {-3, 5, 0.1}, calibratedScores} {
		for _, n := range []int{300, 1500, 10000} {
			for _, z := range []float64{2, 1, 1.0 / 3} {
				for _, bins := range []int{6, 60} {
					t.Run(fmt.Sprintf("%v %d %.3g %d", s, n, z, bins), func(t *testing.T) {
						turn(t)
						checkShapes(t, scoredPlan(t, Request{Bins: bins}, z), s, n, 500, 0.03)
					})
				}
			}
		}
	}
}
