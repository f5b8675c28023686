package sample

import (
	"math"
	"slices"
)

// cellFloor is the least expected number of draws in a cell of a chi-square.
const cellFloor = 30

// edges cuts the integers into cells by the law with the distribution function cdf: cell i holds
// the integers above edge i-1 up to edge i, the last one all above the last edge. Edges are
// multiples of step in [-reach, reach]; each cell is given cellFloor of n draws at least.
func edges(cdf func(x int64) float64, n int, reach, step int64) []int64 {
	var out []int64
	last := 0.0
	for x := -reach; x <= reach; x += step {
		if p := cdf(x); float64(n)*(p-last) >= cellFloor && float64(n)*(1-p) >= cellFloor {
			out = append(out, x)
			last = p
		}
	}
	return out
}

// misfit returns the chi-square of the draws against the law, over the limit that a chi-square
// number of as many degrees of freedom passes with probability below 1e-9: above 1 convicts.
// Such a number k, of f degrees, is at least f + 2·√(f·x) + 2·x with probability at most
// exp(-x) (Laurent & Massart, "Adaptive estimation of a quadratic functional by model
// selection", Annals of Statistics 2000, lemma 1, https://doi.org/10.1214/aos/1015957395).
func misfit(draws []int64, cdf func(x int64) float64, reach, step int64) float64 {
	cuts := edges(cdf, len(draws), reach, step)
	counts := make([]float64, len(cuts)+1)
	for _, x := range draws {
		i, _ := slices.BinarySearch(cuts, x)
		counts[i]++
	}
	chi, last := 0.0, 0.0
	for i, got := range counts {
		p := 1.0
		if i < len(cuts) {
			p = cdf(cuts[i])
		}
		want := float64(len(draws)) * (p - last)
		chi += (got - want) * (got - want) / want
		last = p
	}
	if len(cuts) == 0 { // no cell, no judgment
		return math.Inf(1)
	}
	const x = 20.8 // exp(-20.8) = 9.3e-10
	freedom := float64(len(cuts))
	return chi / (freedom + 2*math.Sqrt(freedom*x) + 2*x)
}

// laplaceCDF is the distribution function of the discrete Laplace law of scale t: with
// r = exp(-1/t), P(X = x) = r^|x|·(1-r)/(1+r), so P(X < -k) = P(X > k) = r^(k+1)/(1+r).
func laplaceCDF(t float64) func(x int64) float64 {
	r := math.Exp(-1 / t)
	return func(x int64) float64 {
		if x < 0 {
			return math.Exp(float64(x)/t) / (1 + r)
		}
		return 1 - math.Exp(-float64(x+1)/t)/(1+r)
	}
}

// tableCDF is the distribution function of a law on [-reach, reach] by unnormalized weights.
func tableCDF(reach int64, weight func(x int64) float64) func(x int64) float64 {
	sums := make([]float64, 2*reach+1)
	total := 0.0
	for i := range sums {
		total += weight(int64(i) - reach)
		sums[i] = total
	}
	return func(x int64) float64 { return sums[min(2*reach, max(0, x+reach))] / total }
}

// gaussianCDF is the distribution function of the discrete Gaussian law: by its weights if σ is
// small; else that of the rounded continuous one, which differs by less than 1/σ² in each cell
// (the midpoint rule).
func gaussianCDF(sigma float64) func(x int64) float64 {
	if sigma < 1000 {
		return tableCDF(int64(40*sigma)+2, func(x int64) float64 { return math.Exp(-float64(x) * float64(x) / (2 * sigma * sigma)) })
	}
	return func(x int64) float64 { return math.Erfc(-(float64(x)+0.5)/sigma/math.Sqrt2) / 2 }
}
