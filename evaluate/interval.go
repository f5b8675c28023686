package evaluate

import "math"

// Confidence is the confidence of every interval.
const Confidence = 0.95

// normalQuantile is that of (1+Confidence)/2: Φ(1.959963984540054) = 0.975.
const normalQuantile = 1.959963984540054

// laplaceExcess is the excess kurtosis of Laplace noise.
const laplaceExcess = 3

// quantile is the quantile of (1+Confidence)/2 of an error of variance 1, symmetric, whose fourth cumulant
// is this: the first terms of the expansion of Cornish & Fisher ("Moments and cumulants in the
// specification of distributions", Revue de l'Institut International de Statistique 1938). For Laplace
// noise alone, of cumulant 3, it is 2.166 where the truth is ln(20)/√2 = 2.118.
func quantile(cumulant float64) float64 {
	const q = normalQuantile
	return q + (q*q*q-3*q)*cumulant/24
}

// spread says how a number errs: rows is by how much the sampling part of a variance is multiplied, single
// the variance of one Laplace variable of which the noise is made (0: the noise is normal).
type spread struct{ rows, single float64 }

// quantile is that of an error of this variance, whose noise is Σ cᵢ·Xᵢ with the given Σ cᵢ⁴·Var(Xᵢ).
func (s spread) quantile(variance, fourth float64) float64 {
	if !(variance > 0) {
		return normalQuantile
	}
	return quantile(min(laplaceExcess, laplaceExcess*s.single*fourth/variance/variance))
}

// Estimate is a number that was computed from a noisy release, with a confidence interval that allows
// for the noise and for the sampling of the records.
//
// The method: a rate A/W of counts with independent noise is tested as A - θW = 0, whose variance is
// known at each θ (Wilson, "Probable inference, the law of succession, and statistical inference",
// JASA 1927; Fieller, "Some problems in interval estimation", JRSS B 1954). With s² for what one
// row's sampling adds and the noise's variance on A and W, the interval is
// {θ : (A-θW)² ≤ z²·(W·s²(θ) + noise(θ))}, z being the normal quantile with the first correction for the
// longer tails of Laplace noise. The coverage is within about half a percent where the numbers are not
// small beside their error. A release that is too noisy gives the whole range. Where a record is a person, rows of one
// person may agree, so the sampling part is multiplied by the largest number of rows, which errs upward.
type Estimate struct {
	Value Measure `json:"value"`
	Low   Measure `json:"low"`
	High  Measure `json:"high"`
}

// unknown is the estimate of nothing.
func unknown() Estimate { return Estimate{Undefined(), Undefined(), Undefined()} }

// around returns value ± reach, cut to [low, high].
func around(value, reach, low, high float64) Estimate {
	return interval(value, value-reach, value+reach, low, high)
}

// rate is part/(part+rest) of noisy counts. The noise on them has the variances partNoise and restNoise.
func (s spread) rate(part, rest, partNoise, restNoise float64) Estimate {
	whole := part + rest
	if !(whole > 0) {
		return Estimate{Undefined(), 0, 1}
	}
	a, b := part/whole, rest/whole
	variance := s.rows*whole*max(0, a*b) + partNoise*b*b + restNoise*a*a
	z := s.quantile(variance, partNoise*b*b*b*b+restNoise*a*a*a*a)
	z2 := z * z
	low, high, bounded := below(
		whole*whole+z2*(s.rows*whole-partNoise-restNoise),
		-2*part*whole-z2*(s.rows*whole-2*partNoise),
		part*part-z2*partNoise)
	if !bounded {
		low, high = 0, 1
	}
	return interval(a, low, high, 0, 1)
}

// mean is sum/count of noisy numbers where noise of this variance is on count and on sum - count/2,
// and one row's value has this variance; it is cut to [0, 1].
func (s spread) mean(sum, count, noise, variance float64) Estimate {
	if !(count > 0) {
		return Estimate{Undefined(), 0, 1}
	}
	m := sum / count
	tilt := (0.5 - m) * (0.5 - m)
	z := s.quantile(s.rows*count*variance+noise*(1+tilt), noise*(1+tilt*tilt))
	z2 := z * z
	low, high, bounded := below(
		count*count-z2*noise,
		-2*sum*count+z2*noise,
		sum*sum-z2*(s.rows*count*variance+1.25*noise))
	if !bounded {
		low, high = 0, 1
	}
	return interval(m, low, high, 0, 1)
}

// below returns where a·x² + b·x + c ≤ 0; false when that is no bounded interval. Without any such
// point it is the vertex alone, which only rounding or an estimate outside of its range brings about.
func below(a, b, c float64) (low, high float64, bounded bool) {
	if !(a > 0) {
		return 0, 0, false
	}
	middle := -b / (2 * a)
	reach := math.Sqrt(max(0, middle*middle-c/a))
	return middle - reach, middle + reach, true
}

// interval cuts an estimate to its range.
func interval(value, low, high, least, most float64) Estimate {
	cut := func(v float64) Measure { return Measure(max(least, min(most, v))) }
	return Estimate{cut(value), cut(low), cut(high)}
}
