package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// withReplacement returns the pairs of draws with replacement. A record is drawn K times, K
// binomial. Given that it is drawn at all, the two neighbors differ by a public choice of K, a
// shift of at most 2·K bounds (Balle, Barthe & Gaboardi, "Privacy Amplification by Subsampling",
// NeurIPS 2018, theorem 10, https://arxiv.org/abs/1807.01647). As without replacement, losses above
// 0 come from the sampled pair, and losses below 0 from its swap.
func withReplacement(e mechanism.WithReplacement, z float64) directions {
	n, m := float64(e.Records), float64(e.Batch)
	if e.Records == 1 {
		return symmetric(pair.Shift(pair.Normal, z/(2*m)))
	}
	missed := m * math.Log1p(-1/n)
	eta := -math.Expm1(missed)
	var weights []float64
	total, rest := 0.0, 0.0
	logOdds, weight := -math.Log(n-1), missed
	for k := 1.0; k <= m; k++ {
		weight += math.Log((m-k+1)/k) + logOdds
		w := math.Exp(weight) / eta
		if w < rareDraws && k > 2*m/n {
			rest = 2 * w // terms fall by more than a half from here on
			break
		}
		weights = append(weights, w)
		total += w
	}
	var above, below pair.Choice
	if rest > 0 {
		disclosed := pair.Weighted{Weight: rest, Pair: pair.Atoms{{P: 1}, {Q: 1}}}
		above, below = append(above, disclosed), append(below, disclosed)
	}
	for i, w := range weights {
		w *= (1 - rest) / total
		up := pair.Sampled(pair.Normal, z/(2*float64(i+1)), eta)
		above = append(above, pair.Weighted{Weight: w, Pair: up})
		below = append(below, pair.Weighted{Weight: w, Pair: up.Swap()})
	}
	return symmetric(pair.Glued{Above: above, Below: below})
}

// rareDraws is the probability of a number of draws below which the record counts as disclosed.
const rareDraws = 1e-20

// truncatedPoisson returns the pairs of truncated Poisson samples.
//
//  1. Let the other records be drawn first, m of them, by the same distribution for both neighbors; m
//     may be public. (The setting of Ganesh and others, 2025, https://arxiv.org/abs/2508.15089.)
//  2. If m < MaxBatch, the record joins with probability q and moves the sum by one bound.
//  3. Otherwise the batch is a uniform subset of MaxBatch. With probability q·MaxBatch/(m+1) one of
//     them gives way to the record, which moves the sum by at most two bounds.
//  4. Here the probability of step 3 is taken to be q. So the second pair dominates the first, which is
//     a function of it and of noise. The price rises with P(m ≥ MaxBatch), so the bound holds for any
//     number of records up to Records.
//  5. With the exact probability it would not hold: in a larger crowd the record joins less often.
func truncatedPoisson(e mechanism.TruncatedPoisson, z float64, n privacy.Neighboring) directions {
	plain, crowded := poisson(pair.Normal, z, e.Probability, n), poisson(pair.Normal, z/2, e.Probability, n)
	tau := special.BinomialTail(e.Records-1, e.Probability, e.MaxBatch) * (1 + 1e-9)
	switch {
	case tau == 0:
		return plain
	case tau >= 1-1e-9:
		return crowded
	}
	choose := func(crowded, plain pair.Pair) pair.Pair {
		return pair.Choice{{Weight: tau, Pair: crowded}, {Weight: 1 - tau, Pair: plain}}
	}
	return directions{choose(crowded.remove, plain.remove), choose(crowded.add, plain.add), plain.symmetric}
}

// jlBins is the number of values that the length of a gradient is rounded up to.
const jlBins = 96

// jlReach returns the s that √(r/x) exceeds with probability about 1e-12.
func jlReach(r float64) float64 {
	near, far := 1.0, 1e7
	for range 60 {
		if mid := math.Sqrt(near * far); 1-special.GammaQ(r/2, r/(mid*mid)/2) > 1e-12 {
			near = mid
		} else {
			far = mid
		}
	}
	return far
}

// jlClipping returns the pairs of estimated clipping. The projections are public. Given them the
// record moves the sum by at most s = min(κ, √(r/x)) bounds, where x has the chi-square
// distribution with r degrees. s is rounded up to one of jlBins values, so the pair dominates (Bu
// and others 2021, theorem 4, with the cap).
func jlClipping(e mechanism.JLClipping) directions {
	r := float64(e.Projections)
	// s lies below the first value with probability at most 1e-18, and counts as that value there.
	low := math.Sqrt(r / (r + 2*math.Sqrt(42*r) + 84))
	high := max(low*1.001, min(e.Cap, jlReach(r)))
	ratio := math.Pow(high/low, 1.0/jlBins)
	var remove, add pair.Choice
	below := 0.0
	for i := 0; i <= jlBins+1; i++ {
		s := min(e.Cap, low*math.Pow(ratio, float64(i)))
		reached := 1.0
		if i <= jlBins && s < e.Cap {
			// P(√(r/x) ≤ s) = P(x ≥ r/s²).
			reached = special.GammaQ(r/2, r/(s*s)/2) * (1 - 1e-12)
		} else {
			s = e.Cap
		}
		w := reached - below
		below = reached
		if w <= 0 {
			continue
		}
		d := symmetric(pair.Shift(pair.Normal, e.NoiseMultiplier/s))
		if e.Probability < 1 {
			d = bothWays(pair.Sampled(pair.Normal, e.NoiseMultiplier/s, e.Probability))
		}
		remove = append(remove, pair.Weighted{Weight: w, Pair: d.remove})
		add = append(add, pair.Weighted{Weight: w, Pair: d.add})
	}
	return directions{remove, add, e.Probability == 1}
}
