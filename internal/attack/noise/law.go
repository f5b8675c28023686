package noise

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/special"
)

// law is what a number is claimed to be, in units of its scale.
type law struct {
	// cdf is the distribution function of the number over its scale. It is nil where the numbers of
	// a release depend on each other.
	cdf func(x float64) float64
	// energy of a number is Gamma-distributed with this shape and scale 1, under the claim.
	energy func(x float64) float64
	shape  float64
	power  float64 // the energy grows with this power of the scale
	// density is the largest density.
	density float64
	// noBits says that lowest bits are no fair coins.
	noBits bool
}

// normal is the standard normal distribution: half of the square is Gamma(½).
func normal() law {
	return law{cdf: special.NormalCDF, energy: func(x float64) float64 { return x * x / 2 }, shape: 0.5, power: 2, density: 1 / math.Sqrt(2*math.Pi)}
}

// laplace is the Laplace distribution of scale 1: its magnitude is Gamma(1).
func laplace() law {
	return law{cdf: func(x float64) float64 {
		if x < 0 {
			return 0.5 * math.Exp(x)
		}
		return 1 - 0.5*math.Exp(-x)
	}, energy: math.Abs, shape: 1, power: 1, density: 0.5}
}

// checkScale compares the sum of the energies of numbers with what the claim says. A Gamma(k) sum
// is at least (or at most) k·(1+t) with probability at most exp(-k·(t - ln(1+t))), by Chernoff's
// bound (S. Boucheron, G. Lugosi and P. Massart, "Concentration Inequalities", 2013, section 2.4).
// It also returns the ratio of the true scale to the claimed one that the sum suggests.
func checkScale(l law, energies []float64) Finding {
	k, sum := l.shape*float64(len(energies)), 0.0
	for _, e := range energies {
		sum += e
	}
	t := sum/k - 1
	// The grid moves each number by half a cell, and rounding the sum by less than 1e-9 of it.
	slack := 1e-7
	t = math.Copysign(max(0, math.Abs(t)-slack), t)
	f := Finding{Test: "scale", Numbers: len(energies), LogP: logBoth(-k * excess(t))}
	f.Seen = fmt.Sprintf("scale %.6g of the claimed one", math.Pow(1+t, 1/l.power))
	f.Detects = fmt.Sprintf("a scale that is %.2g %% off", 100*math.Sqrt(2*(scaleNats+4*math.Sqrt(scaleNats))/k)/l.power)
	return f
}

// scaleNats is about the evidence, in nats, that a test of one audit wants.
const scaleNats = 22

// excess returns t - ln(1+t), for t > -1.
func excess(t float64) float64 {
	if t <= -1 {
		return math.Inf(1)
	}
	if math.Abs(t) < 1e-4 {
		return t*t/2 - t*t*t/3
	}
	return t - math.Log1p(t)
}

// checkDistribution compares the share of numbers below each value with its probability. The
// largest difference d of n numbers has P(d > t) ≤ 2·exp(-2·n·t²), for every distribution (P.
// Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality", 1990, corollary 1).
// The numbers must be sorted; equal ones are one step.
func checkDistribution(sorted []float64, cdf func(float64) float64, slack float64) Finding {
	n, worst, at := float64(len(sorted)), 0.0, 0.0
	for i := 0; i < len(sorted); {
		next := i + 1
		for next < len(sorted) && sorted[next] == sorted[i] {
			next++
		}
		p := cdf(sorted[i])
		// At the value itself shares of both sides must agree: below it only for a distribution
		// without steps, which slack says.
		if d := math.Abs(float64(next)/n - p); d > worst {
			worst, at = d, sorted[i]
		}
		i = next
	}
	t := max(0, worst-slack)
	return Finding{Test: "distribution", Numbers: len(sorted), LogP: logBoth(-2 * n * t * t),
		Seen:    fmt.Sprintf("shares differ by at most %.2g, at %.3g scales", worst, at),
		Detects: fmt.Sprintf("a share that is off by %.2g", 2*math.Sqrt((scaleNats+math.Ln2)/(2*n)))}
}

// checkTails compares how many numbers are beyond 3, 4 and 5 scales with how many must be. A number
// is rounded to an integer. So it is beyond t only if it was beyond t+½ before.
func checkTails(numbers []int64, cdf func(float64) float64, scale float64) Finding {
	worst, tests := Finding{LogP: 1}, []float64{3, 4, 5}
	for _, scales := range tests {
		limit, beyond := int64(scales*scale), 0
		for _, v := range numbers {
			if max(v, -v) > limit {
				beyond++
			}
		}
		p := 2 * cdf(-(float64(limit)+0.5)/scale)
		if f := binomial(fmt.Sprintf("beyond %v scales", scales), len(numbers), p, beyond, len(tests)); f.LogP < worst.LogP {
			f.Seen = f.Test + " " + f.Seen
			worst = f
		}
	}
	worst.Test = "tails"
	return worst
}

// checkLowBits compares the frequencies of the low bits of integers with uniform ones. A frequency
// f with probability p has P ≤ exp(-n·KL(f, p)) on either side, by Chernoff's bound.
func checkLowBits(numbers []int64, width uint) Finding {
	counts := make([]int, 1<<width)
	for _, v := range numbers {
		counts[uint64(v)&(1<<width-1)]++
	}
	n, p, worst, which := float64(len(numbers)), math.Ldexp(1, -int(width)), 0.0, 0
	for value, c := range counts {
		if d := divergence(float64(c)/n, p); d > worst {
			worst, which = d, value
		}
	}
	return Finding{Test: fmt.Sprintf("low %d bits", width), Numbers: len(numbers), LogP: logBoth(logUnion(-n*worst, len(counts))),
		Seen:    fmt.Sprintf("value %d in %d of %d, %.0f expected", which, counts[which], len(numbers), n*p),
		Detects: fmt.Sprintf("a value that is %.2g %% off", 200*math.Sqrt(2*(scaleNats+math.Log(2*float64(len(counts))))/(n*p)))}
}

// divergence returns the Kullback-Leibler divergence of two coins, in nats.
func divergence(f, p float64) float64 {
	sum := 0.0
	if f > 0 {
		sum += f * math.Log(f/p)
	}
	if f < 1 {
		sum += (1 - f) * math.Log((1-f)/(1-p))
	}
	return max(0, sum)
}

// scaled returns numbers over their scale, sorted.
func scaled(numbers []int64, scale float64) []float64 {
	out := make([]float64, len(numbers))
	for i, v := range numbers {
		out[i] = float64(v) / scale
	}
	slices.Sort(out)
	return out
}
