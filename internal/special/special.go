package special

import "math"

// stirling returns log Γ(n+1) - (n+½)·log n + n - ½·log 2π for n > 0: the error of Stirling's
// formula, by its series for n ≥ 16 (NIST Digital Library of Mathematical Functions 5.11.1,
// https://dlmf.nist.gov/5.11).
func stirling(n float64) float64 {
	if n < 16 {
		whole, _ := math.Lgamma(n + 1)
		return whole - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	n2 := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-1.0/1188/n2)/n2)/n2)/n2) / n
}

// deviance returns x·log(x/m) + m - x for x ≥ 0 and m > 0, without cancellation when x is near m
// (Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000).
func deviance(x, m float64) float64 {
	if x == 0 {
		return m
	}
	if math.Abs(x-m) >= 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	sum, power := (x-m)*v, 2*x*v
	for k := 1.0; k < 200; k++ {
		power *= v * v
		term := power / (2*k + 1)
		sum += term
		if math.Abs(term) < 1e-18*math.Abs(sum) {
			break
		}
	}
	return sum
}

// binomialMass returns P(X = k) for X binomial(n, p), 0 < p < 1, correct to about 1e-13.
func binomialMass(n int, p float64, k int) float64 {
	x, all := float64(k), float64(n)
	switch k {
	case 0:
		return math.Exp(all * math.Log1p(-p))
	case n:
		return math.Exp(all * math.Log(p))
	}
	exponent := stirling(all) - stirling(x) - stirling(all-x) - deviance(x, all*p) - deviance(all-x, all*(1-p))
	return math.Exp(exponent) * math.Sqrt(all/(2*math.Pi*x*(all-x)))
}

// BinomialTail returns P(X ≥ k) for X binomial(n, p), n ≥ 0, 0 < p < 1. The relative error is at
// most 1e-10. It adds up the tail that does not hold the mean.
func BinomialTail(n int, p float64, k int) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	case float64(k) > float64(n)*p:
		return binomialSum(n, p, k, 1)
	}
	return max(0, 1-binomialSum(n, p, k-1, -1))
}

// binomialSum adds up P(X = k), P(X = k+step), … to the end, terms falling.
func binomialSum(n int, p float64, k, step int) float64 {
	term := binomialMass(n, p, k)
	sum := 0.0
	for k >= 0 && k <= n && term > 1e-17*sum {
		sum += term
		odds := float64(n-k) / float64(k+1) * p / (1 - p)
		if step < 0 {
			odds = float64(k) / float64(n-k+1) * (1 - p) / p
		}
		term *= odds
		k += step
	}
	return sum
}

// GammaQ returns the regularized upper incomplete gamma function Γ(a, x)/Γ(a) for a > 0, x ≥ 0. The
// relative error is at most 1e-11. For x ≥ a+1 it uses the continued fraction, otherwise the series
// of the lower function (NIST Digital Library of Mathematical Functions 8.9.2 and 8.7.1,
// https://dlmf.nist.gov/8).
func GammaQ(a, x float64) float64 {
	if x <= 0 {
		return 1
	}
	// x^a·e^-x/Γ(a+1).
	front := math.Exp(-deviance(a, x)-stirling(a)) / math.Sqrt(2*math.Pi*a)
	if x < a+1 {
		term, sum := 1.0, 1.0
		for k := 1.0; term > 1e-17*sum; k++ {
			term *= x / (a + k)
			sum += term
		}
		return max(0, 1-front*sum)
	}
	return front * a * gammaFraction(a, x)
}

// gammaFraction is 1/(x+1-a-1·(1-a)/(x+3-a-2·(2-a)/(x+5-a-…))) by the method of Lentz.
func gammaFraction(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for k := 1.0; k < 1e7; k++ {
		an := -k * (k - a)
		b += 2
		d = 1 / nonzero(an*d+b)
		c = nonzero(b + an/c)
		change := c * d
		h *= change
		if math.Abs(change-1) < 1e-16 {
			break
		}
	}
	return h
}

// nonzero replaces 0 by a tiny number.
func nonzero(v float64) float64 {
	if math.Abs(v) < 1e-300 {
		return 1e-300
	}
	return v
}

// BinomialHead returns P(X ≤ k) for X binomial(n, p), n ≥ 0, 0 < p < 1. The relative error is at
// most 1e-10. It adds up the side that does not hold the mean.
func BinomialHead(n int, p float64, k int) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	case float64(k) < float64(n)*p:
		return binomialSum(n, p, k, -1)
	}
	return max(0, 1-binomialSum(n, p, k+1, 1))
}

// BinomialMass returns P(X = k) for X binomial(n, p), 0 ≤ k ≤ n, 0 < p < 1. The relative error is
// at most 1e-10.
func BinomialMass(n int, p float64, k int) float64 { return binomialMass(n, p, k) }
