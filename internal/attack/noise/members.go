package noise

import (
	"fmt"
	"math"
	"sort"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/special"
)

// checkPoisson draws Poisson samples and compares who is in them with independent coins.
func checkPoisson(q float64, records, draws int) ([]Finding, error) {
	sampling, err := release.Poisson(q)
	if err != nil {
		return nil, err
	}
	samples, err := drawAll(sampling, records, draws)
	if err != nil {
		return nil, err
	}
	return checkSamples(samples, q, records), nil
}

// checkSamples compares samples with independent coins of probability q: all records
// together, each record, one record in two draws, two records in one draw, and how large samples
// are. Every count is binomial under the claim.
func checkSamples(samples [][]int, q float64, records int) []Finding {
	draws := len(samples)
	total, each := 0, make([]int, records)
	for _, s := range samples {
		total += len(s)
		for _, r := range s {
			each[r]++
		}
	}
	findings := []Finding{
		binomial("records in all samples", records*draws, q, total, 1),
		extremes("samples of each record", draws, q, each),
		checkSizes(samples, records, q),
		binomial("neighbors that are in one sample", draws*(records/2), q*q, both(samples), 1),
		checkPairs(samples, q*q, records),
		checkTurns(samples, q, records),
	}
	for _, lag := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55} {
		if lag < draws/4 {
			findings = append(findings, overlaps(samples, lag, records, q))
		}
	}
	return findings
}

// drawAll draws samples.
func drawAll(s release.Sampling, records, draws int) ([][]int, error) {
	samples := make([][]int, draws)
	for i := range samples {
		sample, err := release.Draw(s, records)
		if err != nil {
			return nil, err
		}
		samples[i] = sample.Indices()
	}
	return samples, nil
}

// checkSizes counts samples whose sizes are near their mean, or far from it: sizes are binomial under
// the claim. It finds sizes that vary too little or too much.
func checkSizes(samples [][]int, records int, q float64) Finding {
	var w worst
	mean, deviation := float64(records)*q, math.Sqrt(float64(records)*q*(1-q))
	for _, reach := range []float64{0.1, 0.5, 1, 2, 3} {
		low, high, within := max(0, int(mean-reach*deviation)), int(mean+reach*deviation), 0
		for _, s := range samples {
			if low <= len(s) && len(s) <= high {
				within++
			}
		}
		p := special.BinomialTail(records, q, low) - special.BinomialTail(records, q, high+1)
		w.add(len(samples), p, within, "samples of %d to %d records", low, high)
	}
	return w.finding("sizes of samples", len(samples))
}

// middle returns a range of sizes that holds about 8 % of the samples.
func middle(records int, q float64) (low, high int) {
	mean, deviation := float64(records)*q, math.Sqrt(float64(records)*q*(1-q))
	return int(mean - 0.1*deviation), int(mean + 0.1*deviation)
}

// binomial compares a count of n coins of probability p with what it must be, in one of this many
// tests.
func binomial(test string, n int, p float64, count, tests int) Finding {
	logP := min(logTail(n, p, count), logTail(n, 1-p, n-count))
	return Finding{Test: test, Numbers: n, LogP: logUnion(logBoth(logP), tests),
		Seen:    fmt.Sprintf("%d of %d, %.0f expected", count, n, float64(n)*p),
		Detects: detects(n, p, tests)}
}

// detects says which other probability of n coins is found in nearly every run.
func detects(n int, p float64, tests int) string {
	mean := float64(n) * p
	needed := foundMean(n, p, tests)
	switch off := needed/mean - 1; {
	case needed > float64(n):
		return "no other probability in nearly every run"
	case off < 1:
		return fmt.Sprintf("a probability that is %.2g %% off", 100*off)
	}
	return fmt.Sprintf("a probability that is %.3g times as high", needed/mean)
}

// foundMean returns a mean of a count that is found in nearly every run, where n coins of probability
// p at most ½ are claimed. The count must reach least. With a mean of least + 4·√least + 8 it does
// but with a probability below 1e-4. A mean that is as far below the claimed one is found too.
func foundMean(n int, p float64, tests int) float64 {
	evidence, from := scaleNats+math.Log(2*float64(tests)), int(float64(n)*p)+1
	more := sort.Search(n+1-from, func(more int) bool { return logTail(n, p, from+more) < -evidence })
	least := float64(from + more)
	return least + 4*math.Sqrt(least) + 8
}

// extremes compares the counts of many series of n coins each, all of probability p, with what they
// must be: the most unlikely one is told.
func extremes(test string, n int, p float64, counts []int) Finding {
	worst := Finding{LogP: 1}
	low, high := counts[0], counts[0]
	for _, c := range counts {
		low, high = min(low, c), max(high, c)
	}
	for _, c := range []int{low, high} {
		if f := binomial(test, n, p, c, len(counts)); f.LogP < worst.LogP {
			worst = f
		}
	}
	worst.Numbers, worst.Seen = n*len(counts), fmt.Sprintf("%d to %d of %d, %.0f expected", low, high, n, float64(n)*p)
	return worst
}

// both counts the pairs of records 0 and 1, 2 and 3, … that are in one sample.
func both(samples [][]int) int {
	count := 0
	for _, s := range samples {
		for i, r := range s[:max(0, len(s)-1)] {
			if r%2 == 0 && s[i+1] == r+1 {
				count++
			}
		}
	}
	return count
}

// overlaps counts the records that two samples, this far apart, share. Pairs of samples are taken
// so that no sample is in two pairs of one class, in two classes.
func overlaps(samples [][]int, lag, records int, q float64) Finding {
	var shared, pairs [2]int
	for t := range len(samples) - lag {
		class := t / lag % 2
		shared[class] += common(samples[t], samples[t+lag])
		pairs[class]++
	}
	test := fmt.Sprintf("records in samples %d apart", lag)
	worst := binomial(test, pairs[0]*records, q*q, shared[0], 2)
	if other := binomial(test, pairs[1]*records, q*q, shared[1], 2); other.LogP < worst.LogP {
		return other
	}
	return worst
}

// common counts the records of two samples, each in ascending order.
func common(a, b []int) int {
	count := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			count, a, b = count+1, a[1:], b[1:]
		}
	}
	return count
}

// checkFixedSize draws samples of one size without replacement. Each holds that many different
// records, every record is in a sample with one probability, and two samples share records as
// independent ones do: such counts have lighter tails than a binomial one (W. Hoeffding,
// "Probability inequalities for sums of bounded random variables", 1963, theorem 4).
func checkFixedSize(records, batch, draws int) ([]Finding, error) {
	sampling, err := release.FixedSize(records, batch)
	if err != nil {
		return nil, err
	}
	samples, err := drawAll(sampling, records, draws)
	if err != nil {
		return nil, err
	}
	return checkBatches(samples, records, batch), nil
}

// checkBatches is checkFixedSize for samples that were drawn.
func checkBatches(samples [][]int, records, batch int) []Finding {
	draws, wrong, each, shared := len(samples), 0, make([]int, records), 0
	for i, s := range samples {
		if len(s) != batch {
			wrong++
		}
		for k, r := range s {
			if each[r]++; k > 0 && s[k-1] >= r {
				wrong++
			}
		}
		if i%2 == 1 {
			shared += common(samples[i-1], s)
		}
	}
	sizes := Finding{Test: "sizes of samples", Numbers: draws, Seen: fmt.Sprintf("%d of %d have another size or a record twice", wrong, draws), Detects: "one wrong sample"}
	if wrong > 0 {
		sizes.LogP = math.Inf(-1)
	}
	p, pairs := float64(batch)/float64(records), draws/2*batch
	overlap := Finding{Test: "records in samples 1 apart", Numbers: pairs, Seen: fmt.Sprintf("%d of %d, %.0f expected", shared, pairs, p*float64(pairs)),
		LogP:    logBoth(-float64(pairs) * divergence(float64(shared)/float64(pairs), p)),
		Detects: fmt.Sprintf("a share that is %.2g %% off", 100*(math.Sqrt(2*(scaleNats+math.Ln2))+4)/math.Sqrt(float64(pairs)*p))}
	n, b := float64(records), float64(batch)
	return []Finding{sizes, extremes("samples of each record", draws, p, each), overlap, checkPairs(samples, b*(b-1)/(n*(n-1)), records), checkTurnsOfBatches(samples, p, records)}
}
