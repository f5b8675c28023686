package evaluate

import "math"

// The stated rates, Estimate.Rate: in how many cases of 100 an interval holds its number, over all
// draws of the records and of the noise. One rate is 95, up to 0.7 more or fewer. The other is at
// least 95, less at most 0.7; it is for releases that cannot give the variance or have too few
// records. The rate depends on the plan and on released numbers alone. It is the rate of all draws
// from a population, and not of the draws in which it is stated. For a population near the limit,
// noise decides which of the two is stated.
const (
	rateExact   = "95 %"
	rateAtLeast = "at least 95 %"
)

// Limits of an exact rate. They are based on the integrals of TestDoubtedIntervalsCover and on the
// simulations of this package. Within them no interval holds its number in more than 95.7 of 100
// cases.
const (
	// clearly is the multiple of its noise that a denominator must reach: below, noise makes many
	// sets wide. Where there is noise on the sampling part too, the denominator must reach
	// clearDoubted. The number of rows of a mean must reach clearRows.
	clearly, clearDoubted, clearRows = 3, 6, 20
	// littleDoubt is the share of noise in a variance that never matters. Where only the pairs make
	// sampling uncertain, doubtBySampling more is allowed for each unit of its part of the
	// variance, up to mostDoubt: the floor at the noise lifts a large part little.
	littleDoubt, doubtBySampling = 0.15, 0.5
	// ownDoubt is the share where sampling as a whole is known with noise. There the denominator
	// has manyRows times its noise, and sampling stands out from that noise.
	ownDoubt, manyRows = 0.2, 40
	// slightDoubt is the share for a sum of skewed numbers whose sampling variance is more than
	// littleSkewed of its square. That is so for fewer than 670 squares of normal residuals, or 190
	// magnitudes. Up to it, only the pairs make sampling uncertain, and half of doubtBySampling is
	// allowed.
	slightDoubt, littleSkewed = 0.1, 0.003
	// coarseStep is the largest step of a lattice, in standard deviations, with an exact rate.
	coarseStep = 0.08
	// fewRows is the number of rows that a share must have where sampling is most of the variance.
	// An area must have as many rows of each level.
	fewRows = 40
	// mostQuadratic is the largest part of products of two noises in the variance of an area.
	mostQuadratic = 0.02
)

// rate returns the rate that is stated for the set of a ratio, by the variances at its value.
func (s spread) rate(of ratio) string {
	times := of.w / math.Sqrt(of.noise[2]) // its noise, infinite where there is none
	if !(times > clearly) {
		return rateAtLeast
	}
	r := s.folded(of)
	theta := max(0, r.a/r.w)
	v := s.variances(r, 1, theta).apartFrom(0, r.shared.on(1, theta))
	if !(v.apart > 0) || s.lattice(r, 1, theta) > coarseStep*math.Sqrt(v.apart) || r.least.on(1, theta) > mostQuadratic*v.apart {
		return rateAtLeast
	}
	if rows := r.rowsBehind(); rows < fewRows && (v.apart > 2*v.noise || !r.counted) {
		return rateAtLeast
	}
	if v.doubt > v.allowedDoubt(r, times)*v.apart || v.doubt > 0 && !(times > clearDoubted) || v.doubt > v.paired && r.positive && !(times > clearRows) {
		return rateAtLeast
	}
	return rateExact
}

// rowsBehind returns the number of rows of a share, or of an area's rarer level; infinite for
// others.
func (r *ratio) rowsBehind() float64 {
	switch {
	case r.counted:
		return r.w
	case r.sides[0].records > 0:
		return min(r.sides[0].records, r.sides[1].records)
	}
	return math.Inf(1)
}

// allowedDoubt returns the share of noise in a variance up to which the rate is exact, for a
// denominator of this many times its noise.
func (v variances) allowedDoubt(r *ratio, times float64) float64 {
	sampling := v.apart - v.noise
	own := math.Sqrt(max(0, v.doubt*v.doubt-v.paired*v.paired)) // 0 where the sampling of rows by themselves is known
	switch {
	case own > 0 && r.positive && sampling > littleSkewed*r.a*r.a:
		return slightDoubt
	case own == 0 && v.paired > 0:
		return min(mostDoubt, littleDoubt+doubtBySampling*sampling/v.apart)
	case v.paired > 0 && own <= slightDoubt*v.apart:
		return min(mostDoubt, littleDoubt+doubtBySampling/2*sampling/v.apart)
	case times > manyRows && sampling > v.doubt:
		return ownDoubt
	}
	return littleDoubt
}

// lattice returns c times the share of its steps of 1 that a sum of ones over rows keeps under
// noise. Its distribution differs from a smooth one by at most half a step times the characteristic
// function of the noise at 2π (Esseen, "Fourier analysis of distribution functions", Acta
// Mathematica 1945, chapter 4). The tested number may be farther from 0 by that much.
func (s spread) lattice(r *ratio, c, d float64) float64 {
	if !r.counted || !(c > 0) {
		return 0
	}
	theta := d / c
	if s.single == 0 {
		return c * math.Exp(-2*math.Pi*math.Pi*r.noise.on(1, theta))
	}
	// A Laplace variable of weight w has 1/(1+(2π·w)²·single/2).
	logs := func(w, noise float64) float64 {
		return noise / s.single * math.Log1p(2*math.Pi*math.Pi*w*w*s.single)
	}
	return c * math.Exp(-logs(1-theta, r.part)-logs(theta, r.rest))
}
