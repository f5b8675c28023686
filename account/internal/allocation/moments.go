package allocation

import "math"

// LogMoments returns upper bounds on log E S^α at the integer orders α from 0 to most.
//
// S^α is a sum over the ways to choose a step α times. So E S^α = α!/T^α times the coefficient of
// x^α in F(x)^T, where F = Σ e^((k²-k)/2z²)·x^k/k!, since E W^k = e^((k²-k)/2z²). All terms are
// positive. So a product of F errs by one unit for each of its terms, and a power by its exponent
// times that.
//
// Feldman & Shenfeld, "Privacy amplification by random allocation", 2025,
// https://arxiv.org/abs/2502.08202, have E S^α by integer partitions.
func LogMoments(steps int, noise float64, most int) []float64 {
	power := make([]float64, most+1)
	growth := func(k int) float64 { return float64(k*k-k) / (2 * noise * noise) }
	for k := range power {
		factorial, _ := math.Lgamma(float64(k) + 1)
		power[k] = growth(k) - factorial
	}
	var total []float64
	for n := steps; n > 0; n >>= 1 {
		if n&1 == 1 {
			if total == nil {
				total = power
			} else {
				total = product(total, power)
			}
		}
		if n > 1 {
			power = product(power, power)
		}
	}
	t := float64(steps)
	logs := make([]float64, most+1)
	for k := 2; k <= most; k++ {
		factorial, _ := math.Lgamma(float64(k) + 1)
		slack := t*unit*(4*float64(k)+8*(growth(k)+factorial)) + 1e-14*(factorial+float64(k)*math.Log(t))
		logs[k] = max(0, total[k]+factorial-float64(k)*math.Log(t)) + slack
	}
	return logs
}

// product returns the product of two series, given by the logarithms of their coefficients, up to
// the order of the first.
func product(a, b []float64) []float64 {
	c := make([]float64, len(a))
	for n := range c {
		top := math.Inf(-1)
		for i := 0; i <= n; i++ {
			top = max(top, a[i]+b[n-i])
		}
		sum := 0.0
		for i := 0; i <= n; i++ {
			sum += math.Exp(a[i] + b[n-i] - top)
		}
		c[n] = top + math.Log(sum)
	}
	return c
}
