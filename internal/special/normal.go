// Package special is mathematics in float64 for the other packages: tails of the normal
// distribution, roots. It knows nothing of privacy.
package special

import (
	"math"
	"slices"
)

// sqrt2 and sqrt2Pi are √2 and √(2π).
const (
	sqrt2   = math.Sqrt2
	sqrt2Pi = 2.50662827463100050242
)

// NormalCDF returns P(Z ≤ x) for a standard normal Z. For x ≥ -37 it is accurate to a few units in
// the last place; below that it underflows to 0.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/sqrt2) }

// NormalDensity returns the density of the standard normal distribution at x.
func NormalDensity(x float64) float64 { return math.Exp(-x*x/2) / sqrt2Pi }

// MillsRatio returns (1-Φ(x))/φ(x), the ratio of the upper tail of the standard normal distribution
// to its density. It is +Inf for x below about -37, and about 1/x for large x. The relative error
// is below 1e-13 for x ≥ -5.
//
// For x ≥ 8 it is the continued fraction 1/(x+1/(x+2/(x+3/(x+…)))) (Laplace; NIST Digital Library
// of Mathematical Functions 7.9.1, https://dlmf.nist.gov/7.9).
func MillsRatio(x float64) float64 {
	if x < 8 {
		return 0.5 * math.Erfc(x/sqrt2) * math.Exp(x*x/2) * sqrt2Pi
	}
	if math.IsInf(x, 1) {
		return 0
	}
	tail := x
	for k := 60; k >= 1; k-- {
		tail = x + float64(k)/tail
	}
	return 1 / tail
}

// millsSlope returns -d/dx of the Mills ratio, 1 - x·m(x), which is positive and falls in x. For
// large x it uses 1 - x·m = m·(1/m - x). That bracket is the continued fraction's own remainder and
// does not cancel.
func millsSlope(x float64) float64 {
	if x < 8 {
		return 1 - x*MillsRatio(x)
	}
	rest := x
	for k := 60; k >= 2; k-- {
		rest = x + float64(k)/rest
	}
	rest = 1 / rest
	return rest / (x + rest)
}

// millsSlopes writes the slopes at these points, each with the same bits as from millsSlope. Beyond
// 8 the fractions take their steps side by side, because each step of one waits for a division.
func millsSlopes(dst, x *[2*len(legendreNodes) - 1]float64) {
	if slices.Min(x[:]) < 8 {
		for i, v := range x {
			dst[i] = millsSlope(v)
		}
		return
	}
	*dst = *x
	for k := 60; k >= 2; k-- {
		for i, v := range x {
			dst[i] = v + float64(k)/dst[i]
		}
	}
	for i, v := range x {
		rest := 1 / dst[i]
		dst[i] = rest / (v + rest)
	}
}

// MillsDifference returns m(x-h) - m(x+h) for h ≥ 0, where m is the Mills ratio. For small h it
// avoids the cancellation of the plain difference: it integrates the slope by a 15-point
// Gauss-Legendre rule.
func MillsDifference(x, h float64) float64 {
	if h > 0.25 {
		return MillsRatio(x-h) - MillsRatio(x+h)
	}
	var at, slopes [2*len(legendreNodes) - 1]float64
	at[0] = x
	for i := 1; i < len(legendreNodes); i++ {
		d := h * legendreNodes[i]
		at[2*i-1], at[2*i] = x-d, x+d
	}
	millsSlopes(&slopes, &at)
	sum := legendreWeights[0] * slopes[0]
	for i := 1; i < len(legendreNodes); i++ {
		sum += legendreWeights[i] * (slopes[2*i-1] + slopes[2*i])
	}
	return h * sum
}

// legendreNodes and legendreWeights are the non-negative half of the 15-point Gauss-Legendre rule
// on [-1, 1] (Abramowitz & Stegun, table 25.4). A test recomputes them from the Legendre
// polynomial.
var legendreNodes = [8]float64{
	0, 0.201194093997434522301, 0.394151347077563369897, 0.570972172608538847537,
	0.724417731360170047416, 0.848206583410427216201, 0.937273392400705904308, 0.987992518020485428490,
}

var legendreWeights = [8]float64{
	0.202578241925561272881, 0.198431485327111576456, 0.186161000015562211027, 0.166269205816993933553,
	0.139570677926154314447, 0.107159220467171935012, 0.070366047488108124709, 0.030753241996117268355,
}
