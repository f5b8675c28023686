package evaluate

import (
	"math"
	"testing"

	"github.com/ditherml/dither/query"
)

// ordinary is a setting with the kinds of intervals whose rate is exact in every data set, or in most of them.
type ordinary struct {
	name       string
	records, k int // k rows of a person at most, 0 where a record is a row
	noise      string
	multiplier float64
	always     []string
	mostly     []string
}

var (
	shareKinds = []string{"accuracy", "area", "recall of yes", "precision of yes", "accuracy of the most frequent level", "rate in a bin", "records"}
	errorKinds = []string{"root mean squared error", "mean absolute error"}
)

// TestOrdinarySettingsHaveAnExactRate draws data sets of at least 1000 rows or 300 persons, at
// epsilons of at least 1, and checks the stated rates. A multiplier of 1 is epsilon 1 under Laplace
// noise. A multiplier of 4.22 is epsilon 1 under Gaussian noise at delta 1e-6.
func TestOrdinarySettingsHaveAnExactRate(t *testing.T) {
	persons := []string{"accuracy", "records"}
	for _, c := range []ordinary{
		{"two levels", 1000, 0, noiseLaplace, 1, shareKinds, nil},
		{"two levels", 3000, 0, noiseLaplace, 1. / 3, shareKinds, nil},
		{"two levels", 1000, 0, noiseLaplace, 0.1, []string{"accuracy", "area", "recall of yes", "precision of yes"}, nil},
		{"two levels", 1000, 0, noiseGaussian, 4.22, shareKinds, nil},
		{"three levels", 1000, 0, noiseLaplace, 1, []string{"accuracy", "recall of b", "precision of c"}, []string{"accuracy of the most frequent level"}},
		{"number", 1000, 0, noiseLaplace, 1, errorKinds, []string{"R²"}},
		{"number", 1000, 0, noiseLaplace, 1. / 3, append([]string{"R²"}, errorKinds...), nil},
		{"number", 2000, 0, noiseLaplace, 1, append([]string{"R²"}, errorKinds...), nil},
		{"number", 1000, 0, noiseGaussian, 4.22, []string{"mean absolute error"}, []string{"root mean squared error"}},
		{"two levels, persons", 300, 2, noiseLaplace, 1, persons, nil},
		{"two levels, persons", 300, 3, noiseLaplace, 1, persons, nil},
		{"two levels, persons", 300, 3, noiseLaplace, 1. / 3, persons, nil},
		{"two levels, persons", 300, 5, noiseGaussian, 4.22, persons, nil},
	} {
		of := c.simulate(t)
		for _, name := range c.always {
			if v := of[name]; v.exact < v.of || v.of == 0 {
				t.Errorf("%+v: %s states 95 %% in %v of %v data sets, want all", c, name, v.exact, v.of)
			}
		}
		for _, name := range c.mostly {
			if v := of[name]; !(v.exact > v.of/2) {
				t.Errorf("%+v: %s states 95 %% in %v of %v data sets, want most", c, name, v.exact, v.of)
			}
		}
	}
}

// simulate draws 40 data sets. Their coverage is not looked at.
func (c ordinary) simulate(t *testing.T) coverages {
	p := testPlans()[c.name]
	p.Noise, p.NoiseMultiplier, p.MaxRecords = c.noise, c.multiplier, 20000
	if c.k > 0 {
		p.Person = &query.Person{Column: "id", MaxRows: c.k}
	}
	if p.regression() {
		return simulateNumbers(t, p, c.records, 40, 1)
	}
	return simulateClasses(t, p, c.records, 40, 1)
}

// TestHiddenRecordsHaveARateOfAtLeast has so few records, or so much noise, that sets are wide.
func TestHiddenRecordsHaveARateOfAtLeast(t *testing.T) {
	for _, c := range []ordinary{
		{"two levels", 10, 0, noiseLaplace, 2, []string{"accuracy", "area", "rate in a bin"}, nil},
		{"two levels", 60, 0, noiseLaplace, 2, []string{"area"}, nil},
		{"two levels", 30, 0, noiseLaplace, 0.1, []string{"area", "recall of yes"}, nil},
		{"two levels", 30, 0, noiseLaplace, 0.001, []string{"accuracy", "recall of yes"}, nil}, // counts are integers
		{"number", 10, 0, noiseLaplace, 2, append([]string{"R²"}, errorKinds...), nil},
		{"number", 60, 0, noiseLaplace, 2, append([]string{"R²"}, errorKinds...), nil},
		{"number", 300, 0, noiseGaussian, 2, []string{"R²"}, nil},
		{"two levels, persons", 300, 5, noiseLaplace, 1, []string{"accuracy", "recall of no"}, nil},
		{"number, persons", 300, 3, noiseLaplace, 0.5, errorKinds, nil},
		{"three levels, persons", 300, 5, noiseGaussian, 4, []string{"recall of b"}, nil},
	} {
		of := c.simulate(t)
		for _, name := range c.always {
			if v := of[name]; v.exact > seldom*v.of || v.of == 0 {
				t.Errorf("%+v: %s states 95 %% in %v of %v data sets, want seldom", c, name, v.exact, v.of)
			}
		}
	}
}

// TestDoubtedIntervalsCover integrates the coverage of a set whose sampling part, a share of a variance of 1, is known with
// normal noise as a whole: no less than 95 % less 0.7, and no more than so much above it where the doubt is little, or is at
// most ownDoubt with a large sampling part. At ten times as much it covers more.
func TestDoubtedIntervalsCover(t *testing.T) {
	for _, doubt := range []float64{0.03, 0.05, 0.08, 0.1, 0.13, 0.15, 0.18, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1} {
		for _, rows := range []float64{0.001, 0.01, 0.03, 0.07, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9} {
			held, all := 0.0, 0.0
			for x := -7.0; x <= 7; x += 1e-2 {
				weight := math.Exp(-x * x / 2)
				r := ratio{noise: quad{1 - rows}, rows: quad{rows + doubt*x}, most: quad{1000}, rowDoubt: quart{doubt * doubt}}
				s := spread{most: 1}
				held += weight * math.Erf(math.Sqrt(-s.excess(s.folded(r), 1, 0))/math.Sqrt2)
				all += weight
			}
			got := held / all
			little := doubt <= littleDoubt || doubt <= ownDoubt && rows > doubt
			if got < confidence-0.007 || little && got > confidence+0.007 {
				t.Errorf("doubt %v of a sampling part of %v: %.4f are held, want %v within 0.007, no less where the doubt is large", doubt, rows, got, confidence)
			}
		}
	}
}

// TestCountsWithoutNoiseAreNotHeldLess has shares of few rows under next to no noise, whose counts are integers: without half
// a step more, 85 % are held of a share of 0.2 of one row. It adds up binomial probabilities.
func TestCountsWithoutNoiseAreNotHeldLess(t *testing.T) {
	for _, noise := range []float64{1e-8, 1e-3} {
		for _, n := range []float64{1, 5, 20, 100} {
			for theta := 0.01; theta < 1; theta += 0.01 {
				held := 0.0
				for k := 0.0; k <= n; k++ {
					r := rate(k, n-k, noise, noise, nil)
					s := spread{single: noise, most: 1}
					if s.excess(s.folded(r), 1, theta) <= 0 {
						a, _ := math.Lgamma(n + 1)
						b, _ := math.Lgamma(k + 1)
						c, _ := math.Lgamma(n - k + 1)
						held += math.Exp(a - b - c + k*math.Log(theta) + (n-k)*math.Log1p(-theta))
					}
				}
				if held < confidence-0.007 {
					t.Errorf("a share of %v of %v rows, noise of variance %v: %.4f are held, want %v less 0.007", theta, n, noise, held, confidence)
				}
			}
		}
	}
}

// TestSharedNoiseIsTakenOff integrates the coverage where what is tested, of variance 1, and the noise on its variance are
// correlated, as they are where one sum weighs most in both. What they share counts: else a small sampling part of strong
// correlation, which is floored on the side where it would be too small, is covered by half a point more.
func TestSharedNoiseIsTakenOff(t *testing.T) {
	for _, rows := range []float64{0.05, 0.1, 0.3} {
		for _, correlation := range []float64{-0.9, -0.5, 0.5, 0.9} {
			got, without := sharedCoverage(rows, correlation, correlation), sharedCoverage(rows, correlation, 0)
			if got < confidence-0.007 || math.Abs(correlation) > 0.8 && rows < 0.1 && got > without-0.005 {
				t.Errorf("a sampling part of %v, a correlation of %v: %.4f are held and %.4f without counting it, want at least %v less 0.007, and less where both are extreme", rows, correlation, got, without, confidence)
			}
		}
	}
}

// sharedCoverage is the coverage with a doubt of 0.3 and a correlation, of which so much is counted.
func sharedCoverage(rows, correlation, counted float64) float64 {
	const doubt = 0.3
	held, all := 0.0, 0.0
	for x := -5.0; x <= 5; x += 0.05 {
		for y := -5.0; y <= 5; y += 0.05 {
			weight := math.Exp(-(x*x + y*y) / 2)
			r := ratio{a: correlation*x + math.Sqrt(1-correlation*correlation)*y, noise: quad{1 - rows}, rows: quad{rows + doubt*x},
				most: quad{1000}, rowDoubt: quart{doubt * doubt}, shared: cubic{counted * doubt}}
			if s := (spread{most: 1}); s.excess(s.folded(r), 1, 0) <= 0 {
				held += weight
			}
			all += weight
		}
	}
	return held / all
}
