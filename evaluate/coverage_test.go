package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noiseOf draws the continuous likeness of the noise on a released number of a plan.
func noiseOf(r *rand.Rand, p Plan) float64 {
	if p.Noise == NoiseGaussian {
		return r.NormFloat64() * math.Sqrt(p.Variance())
	}
	return laplace(r, p.Variance())
}

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

// classIntervals are all kinds of intervals of a classification by name, but those that are about the records
// alone.
func classIntervals(c PrivateClassification) map[string]Estimate {
	out := map[string]Estimate{"accuracy": c.Accuracy, "accuracy of the most frequent level": c.MajorityAccuracy}
	for k := range c.Levels {
		out["recall of "+c.Levels[k]], out["precision of "+c.Levels[k]] = c.Recall[k], c.Precision[k]
	}
	for _, g := range c.Groups {
		out["accuracy of group "+g.Level] = g.Accuracy
		if g.AUC != nil {
			out["area of group "+g.Level], out["hits of group "+g.Level], out["alarms of group "+g.Level] = *g.AUC, *g.TruePositiveRate, *g.FalsePositiveRate
		}
	}
	if c.AUC != nil {
		out["area"] = c.AUC.Estimate
	}
	if len(c.Calibration) > 2 {
		out["rate in a bin"] = c.Calibration[2].Rate
	}
	return out
}

// recordIntervals are those about the number of records, in which there is noise alone: of all, of each group
// and of a bin.
func recordIntervals(c PrivateClassification) map[string]Estimate {
	out := map[string]Estimate{"records": c.Records}
	for _, g := range c.Groups {
		out["records of group "+g.Level] = g.Records
	}
	if len(c.Calibration) > 2 {
		out["records in a bin"] = c.Calibration[2].Records
	}
	return out
}

// lawOf is a law of the cells with more records where predictions are right.
func lawOf(r *rand.Rand, p Plan) []float64 {
	law := make([]float64, p.Numbers())
	for j := range law {
		at := p.place(j % p.perGroup())
		law[j] = 0.3 + r.Float64()
		switch {
		case len(p.Levels) > 2 && at.truth == at.guess:
			law[j] += float64(4 - 2*min(1, at.truth)) // the first level is the most frequent one in all releases
		case len(p.Levels) == 2:
			law[j] += 2*float64(at.bin*at.truth) + float64((1-at.truth)*(p.bins()-at.bin))
		}
	}
	return law
}

// simulateClasses draws data sets of n records from a histogram of probabilities, adds noise, and counts
// which intervals hold the measures of the histogram itself, and which the numbers of records. Intervals where a
// record is a person err on the wide side.
func simulateClasses(t *testing.T, p Plan, n, rounds int, tolerance float64) {
	random := rand.New(rand.NewPCG(3, uint64(n)))
	law := lawOf(random, p)
	scale := float64(p.MaxRecords) / 2 / total(law) // as so many records without any error
	ideal := make([]float64, len(law))
	for j := range law {
		ideal[j] = law[j] * scale
	}
	truth := classIntervals(p.classify(ideal))
	rates, counts := map[string]*coverage{}, map[string]*coverage{}
	tally := func(to map[string]*coverage, got, want map[string]Estimate) {
		for name, e := range got {
			if to[name] == nil {
				to[name] = &coverage{}
			}
			to[name].add(e, float64(want[name].Value))
		}
	}
	for range rounds {
		exact := records(random, law, n)
		noisy := make([]float64, len(exact))
		for j, v := range exact {
			noisy[j] = v + noiseOf(random, p)
		}
		got := p.classify(noisy)
		tally(rates, classIntervals(got), truth)
		tally(counts, recordIntervals(got), recordIntervals(p.classify(exact)))
	}
	for name, c := range rates {
		c.check(t, name, tolerance, p.Person != nil)
	}
	for name, c := range counts {
		c.check(t, name, tolerance, false)
	}
}

// records is a histogram of n records.
func records(r *rand.Rand, law []float64, n int) []float64 {
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
	var squares, magnitudes, explained, rows coverage
	for range rounds {
		numbers := make([]float64, p.Numbers())
		for range n {
			target, prediction := one()
			p.addMoments(numbers, target, prediction)
		}
		for j := range numbers {
			numbers[j] += noiseOf(random, p)
		}
		got := p.regress(numbers)
		squares.add(got.RMSE, rmse)
		magnitudes.add(got.MAE, mae)
		explained.add(got.R2, r2)
		rows.add(got.Records, float64(n))
	}
	rows.check(t, "records", tolerance, false)
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
	simulateClasses(t, plans["three levels"], 900, 1500, 0.025)
	simulateNumbers(t, plans["number, gaussian"], 800, 1500, 0.025)
}
