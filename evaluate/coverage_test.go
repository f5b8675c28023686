package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// coverage counts how often sets hold the truth, of how many, and where there were none.
type coverage struct{ held, of, none float64 }

func (c *coverage) add(e Estimate, truth float64) {
	if !e.High.Defined() {
		c.none++
		return
	}
	c.of++
	low := math.Inf(-1)
	if e.Low.Defined() {
		low = float64(e.Low)
	}
	inGap := len(e.Gap) > 0 && float64(e.Gap[0]) < truth && truth < float64(e.Gap[1])
	if low <= truth && truth <= float64(e.High) && !inGap {
		c.held++
	}
}

// exactly and atLeast say how the sets of a name must cover: at the stated rate, or at no less.
func exactly(string) bool { return false }
func atLeast(string) bool { return true }

// atLeastWhereHidden is atLeast for what is not a share, and so not exact where noise hides what it is divided by.
func atLeastWhereHidden(name string) bool {
	return strings.HasPrefix(name, "area") || name == "R²" || strings.HasSuffix(name, " error")
}

// check wants a set in each data set and a coverage of Confidence within the tolerance, over all of them; no less where
// it is upward. Of persons there is never one of what no pairs are released for. The streams are seeded, so that the
// outcome is fixed.
func (c *coverage) check(t *testing.T, p Plan, name string, tolerance float64, upward bool) {
	t.Helper()
	if p.paired() && (strings.HasPrefix(name, "area") || name == "rate in a bin") {
		if c.of > 0 {
			t.Errorf("%s: there are %v intervals, want none", name, c.of)
		}
		return
	}
	share := c.held / c.of
	t.Logf("%s: %.4f of %v", name, share, c.of)
	if c.none > 0 || !(share >= Confidence-tolerance) || !upward && share > Confidence+tolerance {
		t.Errorf("%s: %.4f of the sets hold the truth and there are none in %v data sets, want %v within %v in all, more only where upward is %v", name, share, c.none, Confidence, tolerance, upward)
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

// population is a law of persons: of each type its share, and the cumulated law of the cells of its rows. A person of
// type k has 1 to least[k]+2 rows but at most the plan's.
type population struct {
	laws  [][]float64
	least []int
}

// populationOf is a population of rows, or of persons of three types: most predictions of the first are right, and of the third wrong.
func populationOf(r *rand.Rand, p Plan) population {
	law := lawOf(r, p)
	if p.Person == nil {
		return population{[][]float64{cumulated(law)}, []int{1}}
	}
	var out population
	for kind := range 3 {
		tilted := make([]float64, len(law))
		for j, v := range law {
			at := p.place(j % p.perGroup())
			right := 0
			if at.truth == at.guess {
				right = 1
			}
			tilted[j] = v * []float64{0.15, 1, 4}[2-kind+(2*kind-2)*(1-right)]
		}
		out.laws, out.least = append(out.laws, cumulated(tilted)), append(out.least, []int{3, 1, 2}[kind])
	}
	return out
}

// lawOf is a law of the cells with more records where predictions are right.
func lawOf(r *rand.Rand, p Plan) []float64 {
	law := make([]float64, p.rowNumbers())
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

// cumulated is a law's distribution function.
func cumulated(law []float64) []float64 {
	out, sum := make([]float64, len(law)), 0.0
	for j, v := range law {
		sum += v
		out[j] = sum
	}
	for j := range out {
		out[j] /= sum
	}
	return out
}

// rows is how many rows a person of a type has: each number up to the greatest alike.
func (o population) most(p Plan, kind int) int { return min(p.maxRows(), o.least[kind]+2) }

// ideal is so many rows in the cells without any error, and without their pairs.
func (o population) ideal(p Plan, n float64) []float64 {
	out := make([]float64, p.Numbers())
	for kind, law := range o.laws {
		last := 0.0
		for j, v := range law {
			out[j] += (v - last) * float64(1+o.most(p, kind)) / 2
			last = v
		}
	}
	scale := n / total(out)
	for j := range out {
		out[j] *= scale
	}
	return out
}

// draw is what so many records add.
func (o population) draw(r *rand.Rand, p Plan, n int) []float64 {
	out, one := make([]float64, p.Numbers()), make([]float64, p.Numbers())
	for range n {
		kind := r.IntN(len(o.laws))
		law, rows := o.laws[kind], 1+r.IntN(o.most(p, kind))
		if p.Person == nil {
			rows = 1
		}
		clear(one)
		for range rows {
			at, _ := slices.BinarySearch(law, r.Float64())
			one[min(at, len(law)-1)]++
		}
		if p.paired() {
			p.addPairs(one, Records{}, nil)
		}
		for j, v := range one {
			out[j] += v
		}
	}
	return out
}

// most is the level with the most records in a confusion matrix.
func most(confusion [][]float64) int {
	best := 0
	for k, row := range confusion {
		if total(row) > total(confusion[best]) {
			best = k
		}
	}
	return best
}

// simulateClasses draws data sets of n records from a population, adds noise, and counts which intervals hold the
// measures of the population itself, and which the numbers of records.
func simulateClasses(t *testing.T, p Plan, n, rounds int, tolerance float64, wide func(name string) bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, uint64(n)))
	people := populationOf(random, p)
	ideal := p.classify(people.ideal(p, 1))
	truth, shares := classIntervals(ideal), make([]float64, len(p.Levels))
	for k := range shares {
		shares[k] = total(ideal.Confusion[k])
	}
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
		exact := people.draw(random, p, n)
		noisy := make([]float64, len(exact))
		for j, v := range exact {
			noisy[j] = v + noiseOf(random, p)
		}
		got := p.classify(noisy)
		truth["accuracy of the most frequent level"] = Estimate{Value: Measure(shares[most(got.Confusion)])}
		tally(rates, classIntervals(got), truth)
		tally(counts, recordIntervals(got), recordIntervals(p.classify(exact)))
	}
	for name, c := range rates {
		c.check(t, p, name, tolerance, wide(name))
	}
	for name, c := range counts {
		c.check(t, p, name, tolerance, false)
	}
}

// simulateNumbers does the same for residuals: a is |residual|/bound with a known law, targets are uniform. The rows
// of a person, 1 to 3, have one level, and residuals of correlation 0.6.
func simulateNumbers(t *testing.T, p Plan, n, rounds int, tolerance float64, wide func(name string) bool) {
	t.Helper()
	simulateTargets(t, p, 1.2, n, rounds, tolerance, wide)
}

// simulateTargets has targets whose mean level is uniform on so much of half of the range, in its middle.
func simulateTargets(t *testing.T, p Plan, width float64, n, rounds int, tolerance float64, wide func(name string) bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, uint64(n)))
	// The residual is normal of deviation s, the target's mean level uniform.
	const s = 2.0
	half, middle := (p.Upper-p.Lower)/2, (p.Upper+p.Lower)/2
	one := func() (r Records) {
		level, shared, rows := middle+half*width*(random.Float64()-0.5), random.NormFloat64(), []int{}
		for i := range 1 + random.IntN(min(3, p.maxRows())) {
			residual := random.NormFloat64()
			if p.Person != nil {
				residual = math.Sqrt(0.6)*shared + math.Sqrt(0.4)*residual
			}
			r.Targets, r.Predictions, rows = append(r.Targets, level+s*residual), append(r.Predictions, level), append(rows, i)
		}
		r.Persons = [][]int{rows}
		return r
	}
	// ResidualBound 8 is 4 deviations: cutting moves the mean square by less than 1e-4 of it.
	truth := map[string]float64{"root mean squared error": s, "mean absolute error": s * math.Sqrt(2/math.Pi), "R²": 1 - s*s/(s*s+half*half*width*width/12)}
	of := map[string]*coverage{}
	for range rounds {
		numbers, add := make([]float64, p.Numbers()), make([]float64, p.Numbers())
		rows := 0
		for range n {
			r := one()
			rows += len(r.Targets)
			clear(add)
			p.add(add, r, 0)
			for j, v := range add {
				numbers[j] += v
			}
		}
		for j := range numbers {
			numbers[j] += noiseOf(random, p)
		}
		got := p.regress(numbers)
		truth["records"] = float64(rows)
		for name, e := range map[string]Estimate{"records": got.Records, "root mean squared error": got.RMSE, "mean absolute error": got.MAE, "R²": got.R2} {
			if of[name] == nil {
				of[name] = &coverage{}
			}
			of[name].add(e, truth[name])
		}
	}
	for name, c := range of {
		c.check(t, p, name, tolerance, wide(name))
	}
}

// TestIntervalsCover is the reduced run of 1500 data sets: a coverage of 0.95 has a standard error of 0.0056,
// so that the tolerance is 3.5 of them and half a percent for the approximation.
func TestIntervalsCover(t *testing.T) {
	plans := testPlans()
	simulateClasses(t, plans["groups"], 600, 1500, 0.025, exactly)
	simulateNumbers(t, plans["number"], 800, 1500, 0.025, exactly)
	quiet := plans["groups"]
	quiet.NoiseMultiplier = 0.1 // almost all is sampling
	simulateClasses(t, quiet, 600, 1500, 0.025, exactly)
	simulateClasses(t, plans["three levels"], 900, 1500, 0.025, exactly)
	simulateNumbers(t, plans["number, gaussian"], 800, 1500, 0.025, atLeastWhereHidden)
}

// TestIntervalsCoverWhereNoiseHidesTheRecords has so few records, and so much noise, that the noisy number of some groups
// is below 0 in many data sets.
func TestIntervalsCoverWhereNoiseHidesTheRecords(t *testing.T) {
	plans := testPlans()
	simulateClasses(t, plans["groups"], 20, 1500, 0.025, atLeastWhereHidden)
	three := plans["three levels"]
	three.NoiseMultiplier = 10
	simulateClasses(t, three, 20, 1500, 0.025, exactly)
	simulateNumbers(t, plans["number"], 20, 1500, 0.025, atLeast)
	simulateTargets(t, plans["number"], 0.1, 200, 1500, 0.025, atLeast) // noise makes most of the variance of the target
	simulateNumbers(t, plans["number, gaussian"], 20, 1500, 0.025, atLeast)
	simulateClasses(t, plans["two levels, persons"], 20, 1500, 0.025, atLeast)
}

// TestIntervalsOfFewNumbersCover has 40 rows and little noise, where squares of residuals are skewed.
func TestIntervalsOfFewNumbersCover(t *testing.T) {
	p := testPlans()["number"]
	p.NoiseMultiplier = 0.001
	simulateNumbers(t, p, 40, 1500, 0.025, exactly)
}

// TestIntervalsOfPersonsCover does the same for persons, whose rows agree: intervals for rows by themselves would hold
// less.
func TestIntervalsOfPersonsCover(t *testing.T) {
	plans := testPlans()
	two, three, number := plans["two levels, persons"], plans["three levels, persons"], plans["number, persons"]
	two.NoiseMultiplier, number.NoiseMultiplier = 1, 0.05
	three.NoiseMultiplier = 2
	simulateClasses(t, two, 1000, 1500, 0.025, exactly)
	simulateClasses(t, three, 1000, 1500, 0.025, exactly)
	simulateNumbers(t, number, 2000, 600, 0.035, exactly)
	two.NoiseMultiplier = 0.01
	simulateClasses(t, two, 300, 1500, 0.025, exactly)
}
