package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/option"
)

// won is what a record of the second level in bin i wins against one of the first in bin j.
func won(i, j int) float64 {
	switch {
	case i > j:
		return 1
	case i == j:
		return 0.5
	}
	return 0
}

// plainArea is the area and its resolution by plain sums over pairs of cells, and plainExcess by how much the square of
// what is tested at θ is above what it may be. Tested is Σ (won_ij - θ)·one_i·zero_j. A count errs by its sampling (the
// count, as a Poisson variable) and by noise, and the products of two noises have a variance of (won_ij - θ)²·noise²
// each. Squares of the weights of a count have noise too, whose mean is taken off. What the noise adds has the fourth
// cumulant of its Laplace variables, 3·single² each, times their fourth powers. The quantile is Student's for
// the degrees of freedom of the two parts, to first order.
func plainArea(c counts) (area, resolution float64) {
	n := len(c.cells) / 2
	zero, one := c.cells[:n], c.cells[n:]
	pairs, tied := total(zero)*total(one), 0.0
	for i := range n {
		for j := range n {
			area += won(i, j) * one[i] * zero[j] / pairs
		}
		tied += max(0, zero[i]) * max(0, one[i])
	}
	return area, min(0.5, tied/(2*pairs))
}

func plainExcess(c counts, theta float64) float64 {
	n := len(c.cells) / 2
	zero, one := c.cells[:n], c.cells[n:]
	tested, samplingOne, samplingZero, noise, least, fourth := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for k := range n {
		ofOne, ofZero, noiseOne, noiseZero := 0.0, 0.0, 0.0, 0.0
		for l := range n {
			ofOne += (won(k, l) - theta) * zero[l]
			ofZero += (won(l, k) - theta) * one[l]
			noiseOne += math.Pow(won(k, l)-theta, 2) * c.noise
			noiseZero += math.Pow(won(l, k)-theta, 2) * c.noise
		}
		tested += ofOne * one[k]
		samplingOne += (ofOne*ofOne - noiseOne) * one[k]
		samplingZero += (ofZero*ofZero - noiseZero) * zero[k]
		noise += (ofOne*ofOne + ofZero*ofZero - noiseOne) * c.noise
		least += noiseOne * c.noise
		fourth += math.Pow(ofOne, 4) + math.Pow(ofZero, 4)
	}
	variance := max(0, samplingOne+samplingZero) + max(noise, least)
	freedom := variance * variance / (samplingOne*samplingOne/max(1, total(one)-1) + samplingZero*samplingZero/max(1, total(zero)-1))
	cumulant := min(3, 3*c.single*c.noise*fourth/variance/variance)
	const q = 1.959963984540054
	return tested*tested/variance - math.Pow(q+(q*q*q-3*q)*cumulant/24+(q*q*q+q)/(4*freedom), 2)
}

// TestAreaErrsByPlainSums compares the interval of the area with plainExcess. It covers rows and
// persons, large and small noise, groups, and counts below 0. An end inside the range is where the
// excess is 0. On a grid the excess is positive only outside the interval.
func TestAreaErrsByPlainSums(t *testing.T) {
	r, seen := rand.New(rand.NewPCG(6, 2)), map[string]int{}
	for _, name := range []string{"two levels", "groups", "two levels, persons", "groups, persons"} {
		for _, multiplier := range []float64{0.1, 2, 6, 30} {
			for _, law := range []string{noiseLaplace, noiseGaussian} {
				p := testPlans()[name]
				p.NoiseMultiplier, p.Noise = multiplier, law
				for range 14 {
					numbers := make([]float64, p.Numbers())
					for j := range numbers {
						if numbers[j] = 300 * r.Float64() * r.Float64(); r.IntN(6) == 0 {
							numbers[j] = -6 * r.Float64()
							seen["count below 0"]++
						}
					}
					all, groups := p.countsOf(numbers)
					for _, c := range append(groups, all) {
						checkArea(t, c, seen)
					}
				}
			}
		}
	}
	for _, kind := range []string{"count below 0", "none", "inside", "whole", "an end"} {
		if seen[kind] < 50 {
			t.Errorf("%s: %d times, want at least 50 of %v", kind, seen[kind], seen)
		}
	}
}

func checkArea(t *testing.T, c counts, seen map[string]int) {
	t.Helper()
	got := c.auc()
	if !(total(c.cells[:c.plan.bins()]) > 0) || !(total(c.cells[c.plan.bins():]) > 0) {
		if got.Value.Defined() || c.pairs == nil && (got.Low != 0 || got.High != 1) {
			t.Fatalf("without a level: got %+v", got)
		}
		return
	}
	area, resolution := plainArea(c)
	if math.Abs(float64(got.Value)-max(0, min(1, area))) > 1e-9 || math.Abs(float64(got.Resolution)-resolution) > 1e-12 {
		t.Fatalf("got %+v, want %v and %v", got, area, resolution)
	}
	if c.pairs != nil {
		if seen["none"]++; got.Low.Defined() || got.High.Defined() {
			t.Fatalf("got %+v, want no interval of persons", got)
		}
		return
	}
	checkTies(t, c, got)
	got.Estimate = c.areaOfBins(tieHalf)
	if got.Low == got.High || len(got.Gap) > 0 {
		return
	}
	inside := 0
	for _, end := range []float64{float64(got.Low), float64(got.High)} {
		if end > 0 && end < 1 {
			if inside++; math.Abs(plainExcess(c, end)) > 1e-6 {
				t.Fatalf("the excess at an end of %+v is %v, want 0", got, plainExcess(c, end))
			}
		}
	}
	seen[[]string{"whole", "an end", "inside"}[inside]]++
	for theta := 0.005; theta < 1; theta += 0.01 {
		if within := theta > float64(got.Low) && theta < float64(got.High); within != (plainExcess(c, theta) <= 0) {
			t.Fatalf("the excess at %v is %v, with the interval %+v", theta, plainExcess(c, theta), got)
		}
	}
}

// checkTies wants the interval to reach from the low end of the area without ties to the high end of that with all.
func checkTies(t *testing.T, c counts, got Area) {
	t.Helper()
	half, lost, won := c.areaOfBins(tieHalf), c.areaOfBins(tieLost), c.areaOfBins(tieWon)
	if got.Low > min(half.Low, lost.Low) || got.High < max(half.High, won.High) || len(got.Gap) > 0 {
		t.Fatalf("got %+v, want an interval from %v to %v without a gap", got, lost.Low, won.High)
	}
	if narrow := half.High - half.Low; got.Rate == rateExact && got.High-got.Low > narrow*1.011 {
		t.Fatalf("the rate of %+v is exact beside %+v, want at least 95 %%", got, half)
	}
}

// scored is a population with scores between 0 and 1 that are not in bins. The log-odds of a score
// are normal with deviation 0.8 about a middle. They are higher by a shift for the second level,
// which has a share of the records.
type scored struct{ middle, shift, share float64 }

// area is that of the exact scores: the probability that a normal variable of mean shift and deviation 0.8·√2 is positive.
func (s scored) area() float64 { return math.Erfc(-s.shift/1.6) / 2 }

// simulateScores counts how often the intervals of the area hold the area of the exact scores, and how wide they are.
func simulateScores(t *testing.T, p Plan, s scored, n, rounds int) (of coverage, width float64) {
	t.Helper()
	all := simulation(uint64(n), rounds, func(r *rand.Rand, to coverages) {
		records := Records{}
		for range n {
			label, odds := 0.0, s.middle+0.8*r.NormFloat64()
			if r.Float64() < s.share {
				label, odds = 1, odds+s.shift
			}
			records.Targets, records.Predictions = append(records.Targets, label), append(records.Predictions, 1/(1+math.Exp(-odds)))
		}
		noisy := make([]float64, p.Numbers())
		for i := range records.Targets {
			p.addRow(noisy, records, i)
		}
		for j := range noisy {
			noisy[j] += noiseOf(r, p)
		}
		area := p.classify(noisy).AUC
		to.add("area", area.Estimate, s.area())
		wide := to["width"]
		wide.of += float64(area.High - area.Low)
		to["width"] = wide
	})
	return all["area"], all["width"].of / float64(rounds)
}

// checkScores wants a coverage of at least 95 %, within the error of the number of rounds. If 95 %
// is stated in more than a few draws, it wants no larger coverage either.
func checkScores(t *testing.T, p Plan, s scored, n, rounds int, tolerance float64) (width float64) {
	t.Helper()
	of, width := simulateScores(t, p, s, n, rounds)
	share, exact := of.held/of.of, of.exact/of.of
	t.Logf("%d bins, %+v, %d rows: %.4f of the intervals hold %.4f, they are %.3f wide, 95 %% stated in %.4f", p.bins(), s, n, share, s.area(), width, exact)
	if of.none > 0 || share < confidence-tolerance || exact > seldom && share > confidence+tolerance {
		t.Errorf("%+v, %d rows, %d bins: %.4f of the intervals hold the area %.4f of the exact scores, want %v within %v, more only where 95 %% is not stated, as it is in %.4f", s, n, p.bins(), share, s.area(), confidence, tolerance, exact)
	}
	return width
}

// scoredPlan is a plan with bins of a request.
func scoredPlan(t *testing.T, r Request, multiplier float64) Plan {
	t.Helper()
	p := testPlans()["two levels"]
	var err error
	if p.Edges, err = r.edges(2, defaultThreshold); err != nil {
		t.Fatal(err)
	}
	p.Threshold, p.NoiseMultiplier, p.MaxRecords = defaultThreshold, multiplier, 1_000_000
	return p
}

// rareScores are those of a rare level: in bins of equal width nearly all would be ties.
var rareScores = scored{middle: -4, shift: 1.8, share: 0.05}

// TestAreaHoldsTheExactScores simulates scores without bins, for a rare level and for a frequent
// one. The bins are the defaults, few, or of equal width, which hide most of the area. The interval
// covers the exact area nevertheless. With the default bins it is short.
func TestAreaHoldsTheExactScores(t *testing.T) {
	plain := scoredPlan(t, Request{}, 1)
	if width := checkScores(t, plain, rareScores, 1500, 100, 0.1); width > 0.3 {
		t.Errorf("intervals in the default bins are %v wide, want less than 0.3", width)
	}
	checkScores(t, plain, scored{0, 1, 0.5}, 1500, 100, 0.1)
	checkScores(t, scoredPlan(t, Request{Bins: 4}, 1), rareScores, 1500, 100, 0.1)
	equal := plain
	equal.Edges = []float64{0, 0.25, 0.5, 0.75, 1}
	checkScores(t, equal, rareScores, 1500, 100, 0.1)
}

// TestDefaultBinsAreOfLogOdds wants bins of equal width in log-odds, which are the same for every table.
func TestDefaultBinsAreOfLogOdds(t *testing.T) {
	edges, err := Request{}.edges(2, defaultThreshold)
	if err != nil || len(edges) != option.DefaultScoreBins+1 || edges[option.DefaultScoreBins/2] != 0.5 {
		t.Fatalf("got %d ends of bins, %v, want %d with 0.5 in the middle", len(edges), err, option.DefaultScoreBins+1)
	}
	step := logOdds(edges[2]) - logOdds(edges[1])
	for i := 2; i < option.DefaultScoreBins; i++ {
		if got := logOdds(edges[i]) - logOdds(edges[i-1]); math.Abs(got-step) > 1e-9 {
			t.Errorf("bin %d is %v wide in log-odds, want %v", i, got, step)
		}
	}
	if math.Abs(edges[1]-defaultLowScore) > 1e-12 || math.Abs(edges[option.DefaultScoreBins-1]-defaultHighScore) > 1e-12 {
		t.Errorf("the bins lie between %v and %v, want %v and %v", edges[1], edges[option.DefaultScoreBins-1], defaultLowScore, defaultHighScore)
	}
}
