package noise

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
)

// checkTruncated draws Poisson samples that keep a bounded number of records. The size of such a
// sample is the smaller one of a binomial number and the bound, and every set of that size is alike.
func checkTruncated(q float64, most, records, draws int) ([]Finding, error) {
	sampling, err := release.PoissonUpTo(q, most, records)
	if err != nil {
		return nil, err
	}
	samples, err := drawAll(sampling, records, draws)
	if err != nil {
		return nil, err
	}
	return checkTruncatedSamples(samples, q, most, records), nil
}

func checkTruncatedSamples(samples [][]int, q float64, most, records int) []Finding {
	each, larger, full := make([]int, records), 0, 0
	end, first, last := max(1, records/100), 0, 0
	for _, s := range samples {
		if len(s) > 0 && s[0] < end {
			first++
		}
		if len(s) > 0 && s[len(s)-1] >= records-end {
			last++
		}
		for _, r := range s {
			each[r]++
		}
		if len(s) > most {
			larger++
		}
		if len(s) >= most {
			full++
		}
	}
	// The factorial moments of the size follow from its tails: E[M] = Σ P(M ≥ k), E[M·(M-1)] = Σ 2·(k-1)·P(M ≥ k).
	one, two := 0.0, 0.0
	n, passes, hit := float64(records), 1.0, 0.0 // passes: that k records are none of the end's
	for k := 1; k <= most; k++ {
		tail := special.BinomialTail(records, q, k)
		one, two = one+tail, two+2*float64(k-1)*tail
		next := passes * max(0, n-float64(end+k-1)) / (n - float64(k-1))
		hit, passes = hit+tail*(passes-next), next
	}
	var ends worst
	ends.add(len(samples), hit, first, "samples with one of the first %d records", end)
	ends.add(len(samples), hit, last, "samples with one of the last %d records", end)
	return []Finding{
		never("sizes of samples", len(samples), larger, "more records than the bound"),
		binomial("samples of the largest size", len(samples), special.BinomialTail(records, q, most), full, 1),
		extremes("samples of each record", len(samples), one/n, each),
		ends.finding("records at the ends of the table", len(samples)),
		checkPairs(samples, two/(n*(n-1)), records),
	}
}

// never is the finding of what never happens under the claim.
func never(test string, n, wrong int, what string) Finding {
	f := Finding{Test: test, Numbers: n, Seen: fmt.Sprintf("%d of %d have %s", wrong, n, what), Detects: "one of them"}
	if wrong > 0 {
		f.LogP = math.Inf(-1)
	}
	return f
}

// checkDivisions divides records into parts several times.
func checkDivisions(parts, records, draws int) ([]Finding, error) {
	sampling, err := release.Partitioned(parts)
	if err != nil {
		return nil, err
	}
	divisions := make([][]int, draws)
	for i := range divisions {
		drawn, err := release.DrawParts(sampling, records)
		if err != nil {
			return nil, err
		}
		divisions[i] = make([]int, records)
		for r := range divisions[i] {
			divisions[i][r] = -1
		}
		for k, sample := range drawn {
			for _, r := range sample.Indices() {
				if divisions[i][r] >= 0 {
					k = parts // a record in two parts
				}
				divisions[i][r] = k
			}
		}
	}
	return checkParts(divisions, parts, records), nil
}

// checkParts compares divisions with independent fair dice. A division gives the part of every
// record. Every count is binomial under the claim.
func checkParts(divisions [][]int, parts, records int) []Finding {
	draws, p := len(divisions), 1/float64(parts)
	each, sizes, lost, same, again := make([]int, records*parts), make([]int, draws), 0, make([]int, parts), 0
	for i, part := range divisions {
		for r, k := range part {
			if k < 0 || k >= parts {
				lost++
				continue
			}
			each[r*parts+k]++
			if k == i%parts {
				sizes[i]++
			}
			if r%2 == 1 && part[r-1] >= 0 {
				same[(k-part[r-1]+parts)%parts]++
			}
			if i%2 == 1 && divisions[i-1][r] == k {
				again++
			}
		}
	}
	low, high := middle(records, p)
	typical := 0
	for _, n := range sizes {
		if low <= n && n <= high {
			typical++
		}
	}
	atTypical := special.BinomialTail(records, p, low) - special.BinomialTail(records, p, high+1)
	return []Finding{
		never("parts of each record", records*draws, lost, "no part or two"),
		extremes("parts that are one of each record", draws, p, each),
		binomial(fmt.Sprintf("parts of %d to %d records", low, high), draws, atTypical, typical, 1),
		extremes("neighbors whose parts are so far apart", draws*(records/2), p, same),
		binomial("records in the same part of two divisions", draws/2*records, p, again, 1),
	}
}

// checkRotation draws samples of parts in turn.
func checkRotation(parts, rounds, records int, q float64) ([]Finding, error) {
	sampling, err := release.Cyclic(parts, q)
	if err != nil {
		return nil, err
	}
	rotation, err := release.Rotate(sampling, records)
	if err != nil {
		return nil, err
	}
	samples := make([][]int, parts*rounds)
	for i := range samples {
		sample, err := rotation.Draw()
		if err != nil {
			return nil, err
		}
		samples[i] = sample.Indices()
		// A sample must be released before the next one is drawn.
		n := mechanism.Gaussian{NoiseMultiplier: 1}
		sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: n, Norm: release.L2(), Dim: 1, Bound: 1, MaxRecords: records})
		if err != nil {
			return nil, err
		}
		if _, err = let(n, sum.Seal()); err != nil {
			return nil, err
		}
	}
	return checkRounds(samples, parts, records, q), nil
}

// checkRounds compares samples of parts in turn with independent dice and coins. How often a record
// is in all samples is binomial, and its part is one of them alike.
func checkRounds(samples [][]int, parts, records int, q float64) []Finding {
	rounds := len(samples) / parts
	part, times, strays := make([]int, records), make([]int, records), 0
	for i, s := range samples {
		for _, r := range s {
			if times[r] > 0 && part[r] != i%parts {
				strays++
			}
			part[r] = i % parts
			times[r]++
		}
	}
	often, where := make([]int, rounds+1), make([]int, parts)
	for r, n := range times {
		often[min(n, rounds)]++
		if n > 0 {
			where[part[r]]++
		}
	}
	var w worst
	for k, count := range often {
		w.add(records, special.BinomialTail(rounds, q, k)-special.BinomialTail(rounds, q, k+1), count, "records that are in %d of %d samples", k, rounds)
	}
	return []Finding{
		never("parts of each record", records, strays, "samples of two parts"),
		w.finding("samples of each record", records),
		extremes("records of each part", records, special.BinomialTail(rounds, q, 1)/float64(parts), where),
	}
}
