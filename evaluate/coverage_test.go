package evaluate

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// noiseOf draws the continuous likeness of the noise on a released number of a plan.
func noiseOf(r *rand.Rand, p Plan) float64 {
	if p.Noise == noiseGaussian {
		return r.NormFloat64() * math.Sqrt(p.variance())
	}
	return laplace(r, p.variance())
}

// laplace draws discrete Laplace noise's continuous likeness of this variance.
func laplace(r *rand.Rand, variance float64) float64 {
	v := r.ExpFloat64() * math.Sqrt(variance/2)
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// coverage counts how often sets hold the truth, of how many, where there were none, and how often 95 % is stated.
type coverage struct{ held, of, none, exact float64 }

func (c *coverage) add(e Estimate, truth float64) {
	if !e.High.Defined() {
		c.none++
		return
	}
	c.of++
	if e.Rate == rateExact {
		c.exact++
	}
	low := math.Inf(-1)
	if e.Low.Defined() {
		low = float64(e.Low)
	}
	inGap := len(e.Gap) > 0 && float64(e.Gap[0]) < truth && truth < float64(e.Gap[1])
	if low <= truth && truth <= float64(e.High) && !inGap {
		c.held++
	}
}

// coverages are those of kinds of intervals by name.
type coverages map[string]coverage

func (c coverages) add(name string, e Estimate, truth float64) {
	v := c[name]
	v.add(e, truth)
	c[name] = v
}

// seldom is the share of draws up to which a rate that is stated is not held against a setting: near the limit of what can be
// told, noise decides which of the two it is.
const seldom = 0.1

// check wants a set in each data set and what is stated: where 95 % is, a coverage of Confidence within the tolerance, over all
// draws, and no less anywhere. Of persons there is never one of what no pairs are released for. The streams are
// seeded, so that the outcome is fixed.
func (c coverage) check(t *testing.T, p Plan, name string, tolerance float64) {
	t.Helper()
	if p.paired() && (strings.HasPrefix(name, "area") || name == "rate in a bin") {
		if c.of > 0 {
			t.Errorf("%s: there are %v intervals, want none", name, c.of)
		}
		return
	}
	share, exact := c.held/c.of, c.exact/c.of
	t.Logf("%s: %.4f of %v, 95 %% stated in %.4f", name, share, c.of, exact)
	if c.none > 0 || !(share >= confidence-tolerance) || exact > seldom && share > confidence+tolerance {
		t.Errorf("%s: %.4f of the sets hold the truth and there are none in %v data sets, want %v within %v in all, more only where 95 %% is not stated, as it is in %.4f", name, share, c.none, confidence, tolerance, exact)
	}
}

// simulation draws so many data sets in streams of streamLength, and returns what was covered; draw makes one data set. All
// processors work, and the outcome does not depend on how many there are.
func simulation(seed uint64, rounds int, draw func(r *rand.Rand, to coverages)) coverages {
	streams := make([]coverages, (rounds+streamLength-1)/streamLength)
	var wait sync.WaitGroup
	next := atomic.Int64{}
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := int(next.Add(1) - 1); i < len(streams); i = int(next.Add(1) - 1) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				streams[i] = coverages{}
				for range min(streamLength, rounds-i*streamLength) {
					draw(r, streams[i])
				}
			}
		})
	}
	wait.Wait()
	out := coverages{}
	for _, of := range streams {
		for name, c := range of {
			v := out[name]
			out[name] = coverage{v.held + c.held, v.of + c.of, v.none + c.none, v.exact + c.exact}
		}
	}
	return out
}

const streamLength = 250

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
			out["hits of group "+g.Level], out["alarms of group "+g.Level] = *g.TruePositiveRate, *g.FalsePositiveRate
		}
	}
	if len(c.Calibration) > 2 {
		out["rate in a bin"] = c.Calibration[2].Rate
	}
	return out
}

// addAreas adds the areas of the bins, in which ties count 1/2: those of released numbers. What is reported holds the
// area of the exact scores, see simulateScores.
func (p Plan) addAreas(to map[string]Estimate, numbers []float64) {
	if len(p.Levels) != 2 {
		return
	}
	of := func(c counts) Estimate {
		zero, one := c.levels()
		if total(zero) > 0 && total(one) > 0 {
			return c.areaOfBins(tieHalf)
		}
		return c.auc().Estimate
	}
	all, groups := p.countsOf(numbers)
	to["area"] = of(all)
	for g, c := range groups {
		to["area of group "+p.groupName(g)] = of(c)
	}
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

// recordNumbers are the numbers that recordIntervals are of.
func recordNumbers(p Plan, exact []float64) map[string]float64 {
	all, groups := p.countsOf(exact)
	inBin, _ := all.sum(func(at place) bool { return at.bin == 2 })
	out := map[string]float64{"records": total(all.cells), "records in a bin": inBin}
	for g, c := range groups {
		out["records of group "+p.groupName(g)] = total(c.cells)
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

// simulateClasses draws data sets of n records from a population, and adds noise. It counts the
// intervals that cover the measures of the population, and those that cover the numbers of records.
func simulateClasses(t *testing.T, p Plan, n, rounds int, tolerance float64) coverages {
	t.Helper()
	people := populationOf(rand.New(rand.NewPCG(3, uint64(n))), p)
	ideal := p.classify(people.ideal(p, 1))
	rates, shares := classIntervals(ideal), make([]float64, len(p.Levels))
	p.addAreas(rates, people.ideal(p, 1))
	for k := range shares {
		shares[k] = total(ideal.Confusion[k])
	}
	of := simulation(uint64(n), rounds, func(r *rand.Rand, to coverages) {
		exact := people.draw(r, p, n)
		noisy := make([]float64, len(exact))
		for j, v := range exact {
			noisy[j] = v + noiseOf(r, p)
		}
		got := p.classify(noisy)
		intervals := classIntervals(got)
		p.addAreas(intervals, noisy)
		for name, e := range intervals {
			truth := rates[name].Value
			if name == "accuracy of the most frequent level" {
				truth = Measure(shares[most(got.Confusion)])
			}
			to.add(name, e, float64(truth))
		}
		records := recordNumbers(p, exact)
		for name, e := range recordIntervals(got) {
			to.add(name, e, records[name])
		}
	})
	for name, c := range of {
		c.check(t, p, name, tolerance)
	}
	return of
}

// simulateNumbers does the same for residuals: a is |residual|/bound with a known law, targets are uniform. The rows
// of a person, 1 to 3, have one level, and residuals of correlation 0.6.
func simulateNumbers(t *testing.T, p Plan, n, rounds int, tolerance float64) coverages {
	t.Helper()
	return simulateTargets(t, p, 1.2, n, rounds, tolerance)
}

// residualDeviation is the standard deviation of the residuals of a simulation, which are normal. A ResidualBound of 8 is 4
// of it: cutting moves the mean square by less than 1e-4 of it.
const residualDeviation = 2.0

// simulateTargets has targets whose mean level is uniform on so much of half of the range, in its middle.
func simulateTargets(t *testing.T, p Plan, width float64, n, rounds int, tolerance float64) coverages {
	t.Helper()
	const s = residualDeviation
	half := (p.Upper - p.Lower) / 2
	truth := map[string]float64{"root mean squared error": s, "mean absolute error": s * math.Sqrt(2/math.Pi), "R²": 1 - s*s/(s*s+half*half*width*width/12)}
	of := simulation(uint64(n), rounds, func(random *rand.Rand, to coverages) {
		numbers, add := make([]float64, p.Numbers()), make([]float64, p.Numbers())
		rows := 0
		for range n {
			r := p.randomPerson(random, width)
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
		to.add("records", got.Records, float64(rows))
		for name, e := range map[string]Estimate{"root mean squared error": got.RMSE, "mean absolute error": got.MAE, "R²": got.R2} {
			to.add(name, e, truth[name])
		}
	})
	for name, c := range of {
		c.check(t, p, name, tolerance)
	}
	return of
}

// randomPerson is one record of simulateTargets.
func (p Plan) randomPerson(random *rand.Rand, width float64) (r Records) {
	half, middle := (p.Upper-p.Lower)/2, (p.Upper+p.Lower)/2
	level, shared, rows := middle+half*width*(random.Float64()-0.5), random.NormFloat64(), []int{}
	for i := range 1 + random.IntN(min(3, p.maxRows())) {
		residual := random.NormFloat64()
		if p.Person != nil {
			residual = math.Sqrt(0.6)*shared + math.Sqrt(0.4)*residual
		}
		r.Targets, r.Predictions, rows = append(r.Targets, level+residualDeviation*residual), append(r.Predictions, level), append(rows, i)
	}
	r.Persons = [][]int{rows}
	return r
}

// TestIntervalsCover is the reduced run of ordinaryRounds data sets. The streams are seeded, so that the outcome is fixed.
func TestIntervalsCover(t *testing.T) {
	plans := testPlans()
	simulateClasses(t, plans["groups"], 600, ordinaryRounds, ordinaryTolerance)
	simulateNumbers(t, plans["number"], 800, ordinaryRounds, ordinaryTolerance)
	simulateClasses(t, plans["three levels"], 900, ordinaryRounds, ordinaryTolerance)
}

// TestIntervalsCoverWhereNoiseHidesTheRecords has so few records, and so much noise, that the noisy number of some groups
// is below 0 in many data sets.
func TestIntervalsCoverWhereNoiseHidesTheRecords(t *testing.T) {
	plans := testPlans()
	simulateClasses(t, plans["groups"], 20, ordinaryRounds, ordinaryTolerance)
	three := plans["three levels"]
	three.NoiseMultiplier = 10
	simulateClasses(t, three, 20, ordinaryRounds, ordinaryTolerance)
	simulateNumbers(t, plans["number"], 20, ordinaryRounds, ordinaryTolerance)
	simulateTargets(t, plans["number"], 0.1, 200, ordinaryRounds, ordinaryTolerance) // noise makes most of the variance of the target
	simulateNumbers(t, plans["number, gaussian"], 20, ordinaryRounds, ordinaryTolerance)
	simulateClasses(t, plans["two levels, persons"], 20, ordinaryRounds, ordinaryTolerance)
}

// TestIntervalsOfFewNumbersCover has 40 rows and little noise, where squares of residuals are skewed.
func TestIntervalsOfFewNumbersCover(t *testing.T) {
	p := testPlans()["number"]
	p.NoiseMultiplier = 0.001
	simulateNumbers(t, p, 40, ordinaryRounds, ordinaryTolerance)
}

// TestIntervalsOfPersonsCover does the same for persons, whose rows agree: intervals for rows by themselves would hold
// less.
func TestIntervalsOfPersonsCover(t *testing.T) {
	if !thorough {
		t.Skip("thousands of data sets: run with -tags long")
	}
	plans := testPlans()
	two, number := plans["two levels, persons"], plans["number, persons"]
	two.NoiseMultiplier, number.NoiseMultiplier = 1, 0.05
	simulateClasses(t, two, 1000, 1500, 0.025)
	simulateNumbers(t, number, 2000, 600, 0.035)
}
