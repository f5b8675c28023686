package evaluate

import (
	"slices"
)

// confidence is the confidence of every interval.
const confidence = 0.95

// normalQuantile is the standard normal quantile of (1+confidence)/2: Φ(1.959963984540054) = 0.975.
const normalQuantile = 1.959963984540054

// laplaceExcess is the excess kurtosis of Laplace noise.
const laplaceExcess = 3

// quantile returns the quantile of (1+confidence)/2 of a symmetric error of variance 1 with this
// fourth cumulant. It has the first terms of the expansion of Cornish & Fisher ("Moments and
// cumulants in the specification of distributions", Revue de l'Institut International de
// Statistique 1938). For Laplace noise alone, of cumulant 3, it is 2.166; the true quantile is
// ln(20)/√2 = 2.118.
func quantile(cumulant float64) float64 {
	const q = normalQuantile
	return q + (q*q*q-3*q)*cumulant/24
}

// spread is the error model of a number. single is the variance of one Laplace variable that the
// noise is made of (0: the noise is normal). pair is the variance of the noise on a sum over pairs
// of rows of one person (0: a record is one row). A record has at most most rows.
type spread struct {
	single, pair float64
	most         int
	// wider is the share by which the quantile is larger than that of confidence.
	wider float64
}

// quantile returns the quantile of an error of this variance, whose noise is Σ cᵢ·Xᵢ with the given
// Σ cᵢ⁴·Var(Xᵢ).
func (s spread) quantile(variance, fourth float64) float64 {
	if !(variance > 0) {
		return normalQuantile
	}
	return quantile(min(laplaceExcess, laplaceExcess*s.single*fourth/variance/variance))
}

// Estimate is a number computed from a noisy release, with a confidence set. The set allows for the
// noise and for the sampling of the records. It contains the numbers from Low to High, except those
// inside Gap. Every release has a set, so the noise does not decide which sets are reported. If the
// noise is large, Low and High may be the ends of the possible range, and Value may be undefined.
// Undefined numbers are NaN (null in JSON). Low is undefined if R² has no lower bound. Low and High
// are both undefined if the plan allows no interval. If a record is a person with several rows,
// areas and calibration bins have no interval.
//
// The method is this:
//
//   - Let A/W be a ratio of sums with independent noise. A number θ is tested by the hypothesis A -
//     θW = 0. The variance of A - θW is known for each θ (Wilson, "Probable inference, the law of
//     succession, and statistical inference", JASA 1927; Fieller, "Some problems in interval
//     estimation", JRSS B 1954).
//   - The set is {θ : (A-θW)² ≤ z²·(sampling(θ) + noise(θ))}, with z a corrected normal quantile.
//     Here sampling(θ) and noise(θ) are the variances from sampling and from noise. The corrections
//     are for the longer tails of Laplace noise, for the noise in sampling(θ), and for the skewness
//     of squares and magnitudes.
//   - The set of a share of rows is wider by half a count if the noise is too small to smooth the
//     steps between counts.
//   - If the noise is as large as W, the set may be all numbers, or all except an interval.
//   - If a record is a person with several rows, sampling(θ) uses the released sums over pairs of
//     rows of one person. If these sums are too noisy, sampling(θ) is raised, up to its largest
//     possible value for rows of one person.
//
// The field Rate states whether the coverage may exceed the confidence.
type Estimate struct {
	// Value is the estimated number. It is NaN (null in JSON) if the number is undefined.
	Value Measure `json:"value"`
	// Low is the lower end of the confidence set. It is NaN (null in JSON) if the set has no lower
	// end.
	Low Measure `json:"low"`
	// High is the upper end of the confidence set. It is NaN (null in JSON) if there is no set.
	High Measure `json:"high"`
	// Gap, if not nil, has the two ends of an interval between Low and High. The numbers inside Gap
	// are not in the confidence set.
	Gap []Measure `json:"gap,omitempty"`
	// Rate states how often a confidence set computed in this way contains the true number, over
	// all draws of the records and of the noise. It is text such as "95 %" or "at least 95 %". It
	// is "" if there is no set.
	Rate string `json:"rate,omitempty"`
}

// unknown returns the estimate of an undefined number.
func unknown() Estimate { return Estimate{Value: noMeasure(), Low: noMeasure(), High: noMeasure()} }

// around returns value ± reach, cut to [low, high].
func around(value, reach, low, high float64) Estimate {
	return interval(value, value-reach, value+reach, low, high)
}

// interval returns an estimate cut to its range.
func interval(value, low, high, least, most float64) Estimate {
	cut := func(v float64) Measure { return Measure(max(least, min(most, v))) }
	return Estimate{Value: cut(value), Low: cut(low), High: cut(high), Rate: rateExact}
}

// mapped returns the estimate of a monotone function of the number; the function may fall.
func (e Estimate) mapped(f func(float64) float64) Estimate {
	of := func(m Measure) Measure { return Measure(f(float64(m))) }
	out := Estimate{Value: of(e.Value), Low: of(e.Low), High: of(e.High), Rate: e.Rate}
	for _, v := range e.Gap {
		out.Gap = append(out.Gap, of(v))
	}
	if out.Low > out.High {
		out.Low, out.High = out.High, out.Low
		slices.Reverse(out.Gap)
	}
	return out
}
