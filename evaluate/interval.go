package evaluate

import (
	"slices"
)

// confidence is the confidence of every interval.
const confidence = 0.95

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

// spread says how a number errs: single is the variance of one Laplace variable that the noise is
// made of (0: the noise is normal), pair that of the noise on a sum over pairs of rows of one
// person (0: a record is one row). A record has at most most rows.
type spread struct {
	single, pair float64
	most         int
	// wider is by which share of itself the quantile is larger than that of Confidence.
	wider float64
}

// quantile is that of an error of this variance, whose noise is Σ cᵢ·Xᵢ with the given Σ cᵢ⁴·Var(Xᵢ).
func (s spread) quantile(variance, fourth float64) float64 {
	if !(variance > 0) {
		return normalQuantile
	}
	return quantile(min(laplaceExcess, laplaceExcess*s.single*fourth/variance/variance))
}

// Estimate is a number that was computed from a noisy release. Its confidence set allows for the
// noise and for the sampling of the records: the numbers from Low to High without those inside of
// Gap. Every draw has one, so that none is chosen by what the noise did. Where the noise hides the
// records, it is wide: Low and High are then the ends of what is possible, and Value may be
// undefined. Low is undefined (null in JSON) where R² has no lower bound. Both are where there is
// no interval by the plan: for the area and the bins of persons with several rows.
//
// The method: a ratio A/W of sums with independent noise is tested as A - θW = 0, whose variance is
// known at each θ (Wilson, "Probable inference, the law of succession, and statistical inference",
// JASA 1927; Fieller, "Some problems in interval estimation", JRSS B 1954). The set is {θ : (A-θW)²
// ≤ z²·(sampling(θ) + noise(θ))}, z being a corrected normal quantile. The corrections are for the
// longer tails of Laplace noise, the noise on the sampling part, and the skewness of squares and
// magnitudes. What counts whole rows has half a step more where noise leaves steps. Where noise
// hides W it may be all numbers, or all but some in the middle. Where a record is a person of
// several rows, the sampling part has the released sums over pairs of rows of one person. Where
// these are too noisy it is taken upward (mostDoubt), up to what rows of one person can make of it.
// Rate says where the set holds the number more often.
type Estimate struct {
	Value Measure `json:"value"`
	Low   Measure `json:"low"`
	High  Measure `json:"high"`
	// Gap, if not nil, has the two ends of a part between Low and High that is not in the set.
	Gap []Measure `json:"gap,omitempty"`
	// Rate says how often such an interval holds the number, over all draws of the records and of the noise: "95 %" of
	// cases, or "at least 95 %". It is "" where there is no interval.
	Rate string `json:"rate,omitempty"`
}

// unknown is the estimate of nothing.
func unknown() Estimate { return Estimate{Value: noMeasure(), Low: noMeasure(), High: noMeasure()} }

// around returns value ± reach, cut to [low, high].
func around(value, reach, low, high float64) Estimate {
	return interval(value, value-reach, value+reach, low, high)
}

// interval cuts an estimate to its range.
func interval(value, low, high, least, most float64) Estimate {
	cut := func(v float64) Measure { return Measure(max(least, min(most, v))) }
	return Estimate{Value: cut(value), Low: cut(low), High: cut(high), Rate: rateExact}
}

// mapped is the estimate of a monotone function of the number, which may be falling.
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
