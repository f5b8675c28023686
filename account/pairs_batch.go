package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// withReplacement: a record is drawn K times, K binomial. Given that it is drawn at all, the two
// neighbors differ by a public choice of K shifts of 2·K bounds at most (Balle, Barthe & Gaboardi,
// "Privacy Amplification by Subsampling", NeurIPS 2018, theorem 10,
// https://arxiv.org/abs/1807.01647). As without replacement, losses above 0 are from the sampled
// pair, and losses below 0 from its swap.
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

// rareDraws is a probability of being drawn so often below which the record counts as disclosed.
const rareDraws = 1e-20

// truncatedPoisson: let the other records be drawn first, m of them, by the same distribution for
// both neighbors; m may be public. If m < MaxBatch, the record joins with probability q and moves
// the sum by one bound. Else the batch is a uniform subset of MaxBatch, or, with probability
// q·MaxBatch/(m+1), one of them gives way to the record: that moves the sum by two bounds at most.
// (The setting of Ganesh and others, 2025, https://arxiv.org/abs/2508.15089.) Here that probability
// is q. So the second pair dominates the first, which is a function of it and of noise, and the
// price rises with P(m ≥ MaxBatch): the bound holds for any number of records up to Records. With
// the exact one it would not, since in a larger crowd the record joins less often.
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

// jlBins is how many values the length of a gradient is rounded up to.
const jlBins = 96

// jlReach is about where √(r/x) is exceeded with probability 1e-12.
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

// jlClipping: the projections are public, and given them the record moves the sum by at most s =
// min(κ, √(r/x)) bounds, x of the chi-square distribution with r degrees. s is rounded up to one of
// jlBins values. So the pair dominates (Bu and others 2021, theorem 4, with the cap).
func jlClipping(e mechanism.JLClipping) directions {
	r := float64(e.Projections)
	// Below the first value lies s with probability 1e-18 at most; it counts as that value.
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
