package account

import "math"

// The Rényi divergence of order α of the mixture (1-q)·N(0, z²) + q·N(1, z²) from N(0, z²) is
// log(A)/(α-1). Here A = E[(1 + q·(w-1))^α] over x ~ N(0, z²), and w = exp((2x-1)/(2z²)). Because
// E[w-1] = 0, A - 1 = E[(1+u)^α - 1 - α·u] with u = q·(w-1). The integrand is not negative, so
// nothing cancels for any q.

// sampledInteger returns the divergence at an integer order α ≥ 2 by the binomial sum A - 1 =
// Σ_{k≥2} C(α,k)·(1-q)^(α-k)·q^k·(exp((k²-k)/(2z²)) - 1). All terms are positive.
func sampledInteger(q, z float64, order int) float64 {
	alpha := float64(order)
	top, sum := math.Inf(-1), 0.0
	whole, _ := math.Lgamma(alpha + 1)
	for k := 2; k <= order; k++ {
		f := float64(k)
		left, _ := math.Lgamma(f + 1)
		right, _ := math.Lgamma(alpha - f + 1)
		exponent := (f*f - f) / (2 * z * z)
		term := whole - left - right + (alpha-f)*math.Log1p(-q) + f*math.Log(q) + logExpm1(exponent)
		if term > top {
			sum, top = sum*math.Exp(top-term), term
		}
		sum += math.Exp(term - top)
	}
	return logOnePlus(top+math.Log(sum)) / (alpha - 1)
}

// logExpm1 returns log(exp(x) - 1) for x > 0, without overflow.
func logExpm1(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log(math.Expm1(x))
}

// logOnePlus returns log(1 + exp(x)).
func logOnePlus(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log1p(math.Exp(x))
}

// sampledFractional returns the divergence at any order α > 1, by the trapezoidal rule. The rule
// converges geometrically for such integrands (Trefethen & Weideman, "The Exponentially Convergent
// Trapezoidal Rule", SIAM Review 2014). The integrand is analytic in a strip about the real axis.
// The strip is as wide as the nearest zero of 1+u, at x = ½ + z²·(log((1-q)/q) ± iπ). So the step
// is a small part of z² and of z. The sum is relative to the largest value of the integrand.
func sampledFractional(q, z, alpha float64) float64 {
	step := min(z/24, z*z/4)
	low, high := -12*z, alpha+14*z+1
	if points := (high - low) / step; points > 1<<17 {
		return math.Inf(1) // a noise so small that no order gives a useful bound
	}
	top, sum := math.Inf(-1), 0.0
	for x := low; x <= high; x += step {
		term := logExcess(q, z, alpha, x) - x*x/(2*z*z)
		if math.IsInf(term, -1) {
			continue
		}
		if term > top {
			sum, top = sum*math.Exp(top-term), term
		}
		sum += math.Exp(term - top)
	}
	logExcess := top + math.Log(sum*step/(z*math.Sqrt(2*math.Pi)))
	return logOnePlus(logExcess) / (alpha - 1)
}

// logExcess returns log((1+u)^α - 1 - α·u) at x; -Inf where its argument is 0.
func logExcess(q, z, alpha, x float64) float64 {
	exponent := (2*x - 1) / (2 * z * z)
	if exponent > 300 || alpha*exponent > 600 {
		// The power dominates: (1+u)^α·(1 - …), where the rest is below 2^-1000 of it.
		return alpha * (math.Log(q) + exponent + math.Log1p((1-q)/q*math.Exp(-exponent)))
	}
	u := q * math.Expm1(exponent)
	if math.Abs(u) < 1e-3 {
		return math.Log(powerExcess(alpha, u))
	}
	return math.Log(math.Expm1(alpha*math.Log1p(u)) - alpha*u)
}

// powerExcess returns (1+u)^α - 1 - α·u for small u by the binomial series.
func powerExcess(alpha, u float64) float64 {
	term := alpha * (alpha - 1) / 2 * u * u
	sum := term
	for k := 3.0; k < 60; k++ {
		term *= (alpha - k + 1) / k * u
		sum += term
		if math.Abs(term) < 1e-18*math.Abs(sum) {
			break
		}
	}
	return max(0, sum)
}
