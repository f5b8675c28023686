package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laplace draws discrete Laplace noise's continuous likeness of this variance.
func laplace(r *rand.Rand, variance float64) float64 {
	v := r.ExpFloat64() * math.Sqrt(variance/2)
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// coverage counts how often intervals hold the truth, and how often they could.
type coverage struct{ held, of float64 }

func (c *coverage) add(e Estimate, truth float64) {
	c.of++
	if float64(e.Low) <= truth && truth <= float64(e.High) {
		c.held++
	}
}

// check wants a coverage of Confidence within the tolerance, or at least that for intervals that err on
// the wide side. The streams are seeded, so that the outcome is fixed.
func (c *coverage) check(t *testing.T, name string, tolerance float64, atLeast bool) {
	t.Helper()
	share := c.held / c.of
	t.Logf("%s: %.4f of %v", name, share, c.of)
	if share < Confidence-tolerance || share > Confidence+tolerance && !atLeast {
		t.Errorf("%s: %.4f of the intervals hold the truth, want %v within %v", name, share, Confidence, tolerance)
	}
}

// simulateClasses draws data sets of n records from a histogram of probabilities, adds noise, and counts
// which intervals hold the measures of the histogram itself.
func simulateClasses(t *testing.T, p Plan, n, rounds int, tolerance float64) {
	random := rand.New(rand.NewPCG(3, uint64(n)))
	law := make([]float64, p.Numbers())
	for j := range law {
		at := p.place(j % p.perGroup())
		law[j] = 0.3 + random.Float64() + 2*float64(at.bin*at.truth) + float64((1-at.truth)*(p.bins()-at.bin))
	}
	scale := float64(p.MaxRecords) / 2 / total(law) // as so many records without any error
	ideal := make([]float64, len(law))
	for j := range law {
		ideal[j] = law[j] * scale
	}
	truth := p.classify(ideal)
	var accuracy, recall, precision, area, group, bin coverage
	for range rounds {
		got := p.classify(drawn(random, p, law, n))
		accuracy.add(got.Accuracy, float64(truth.Accuracy.Value))
		recall.add(got.Recall[1], float64(truth.Recall[1].Value))
		precision.add(got.Precision[0], float64(truth.Precision[0].Value))
		area.add(got.AUC.Estimate, float64(truth.AUC.Value))
		group.add(got.Groups[0].Accuracy, float64(truth.Groups[0].Accuracy.Value))
		bin.add(got.Calibration[2].Rate, float64(truth.Calibration[2].Rate.Value))
	}
	accuracy.check(t, "accuracy", tolerance, false)
	recall.check(t, "recall", tolerance, false)
	precision.check(t, "precision", tolerance, false)
	area.check(t, "area", tolerance, false)
	group.check(t, "accuracy of a group", tolerance, false)
	bin.check(t, "rate in a bin", tolerance, false)
}

// drawn is a noisy histogram of n records.
func drawn(r *rand.Rand, p Plan, law []float64, n int) []float64 {
	ends, sum := make([]float64, len(law)), 0.0
	for j, v := range law {
		sum += v
		ends[j] = sum
	}
	out := make([]float64, len(law))
	for range n {
		u, low, high := r.Float64()*sum, 0, len(ends)-1
		for low < high {
			if mid := (low + high) / 2; u < ends[mid] {
				high = mid
			} else {
				low = mid + 1
			}
		}
		out[low]++
	}
	for j := range out {
		out[j] += laplace(r, p.Variance())
	}
	return out
}

// simulateNumbers does the same for residuals: a is |residual|/bound with a known law, targets are uniform.
func simulateNumbers(t *testing.T, p Plan, n, rounds int, tolerance float64) {
	random := rand.New(rand.NewPCG(5, uint64(n)))
	// The residual is normal of deviation s, the target's mean level uniform on [-0.6, 0.6] of half the range.
	const s = 2.0
	half, middle := (p.Upper-p.Lower)/2, (p.Upper+p.Lower)/2
	one := func() (target, prediction float64) {
		level := middle + half*(1.2*random.Float64()-0.6)
		return level + s*random.NormFloat64(), level
	}
	// ResidualBound 8 is 4 deviations: cutting moves the mean square by less than 1e-4 of it.
	rmse, mae := s, s*math.Sqrt(2/math.Pi)
	r2 := 1 - s*s/(s*s+half*half*1.44/12)
	var squares, magnitudes, explained coverage
	for range rounds {
		numbers := make([]float64, p.Numbers())
		for range n {
			target, prediction := one()
			p.addMoments(numbers, target, prediction)
		}
		for j := range numbers {
			numbers[j] += laplace(random, p.Variance())
		}
		got := p.regress(numbers)
		squares.add(got.RMSE, rmse)
		magnitudes.add(got.MAE, mae)
		explained.add(got.R2, r2)
	}
	squares.check(t, "root mean squared error", tolerance, false)
	magnitudes.check(t, "mean absolute error", tolerance, false)
	explained.check(t, "R²", tolerance, true)
}

// TestIntervalsCover is the reduced run of 1500 data sets: a coverage of 0.95 has a standard error of 0.0056,
// so that the tolerance is 3.5 of them and half a percent for the approximation.
func TestIntervalsCover(t *testing.T) {
	plans := testPlans()
	simulateClasses(t, plans["groups"], 600, 1500, 0.025)
	simulateNumbers(t, plans["number"], 800, 1500, 0.025)
	quiet := plans["groups"]
	quiet.NoiseMultiplier = 0.1 // almost all is sampling
	simulateClasses(t, quiet, 600, 1500, 0.025)
}
