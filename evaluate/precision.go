package evaluate

import "math"

// clearPrecision is the multiple of its noise that the number of records above a boundary must
// reach. Above the first boundary that reaches it, all bins count as one.
const clearPrecision = 6

// clearLevel is the multiple of its noise that the number of records of a level must exceed. Below,
// the interval of the average precision is 0 to 1.
const clearLevel = 4

// strip is the part of the scores between two boundaries, with its counts of both levels.
type strip struct{ zero, one float64 }

// averagePrecision returns the mean of the precision over the records of the second level, each at
// the threshold of its score. The precision is the share of the second level among the records with
// a score at least as high.
//
//  1. The release does not show the order inside a strip of scores. The interval joins two
//     intervals: one supposes that every record of the second level is first in its strip, the other
//     that it is last.
//  2. With few records above a boundary, noise hides the precision. So the bins with the highest
//     scores form one strip, whose number of records is clearly above its noise.
//  3. The error of each count has the variance of a Poisson variable and of the noise. The variance
//     of the average is Σ g²·variance, where g is its derivative by the count. Half of Σ h·variance,
//     with the second derivative h, is the mean error, which is subtracted.
func (c counts) averagePrecision() Estimate {
	whole := Estimate{Value: noMeasure(), Low: 0, High: 1, Rate: rateAtLeast}
	zero, one := c.levels()
	if c.pairs != nil {
		whole.Low, whole.High, whole.Rate = noMeasure(), noMeasure(), ""
	}
	if !(total(one) > 0) || !(total(zero) > 0) {
		return whole
	}
	first := c.clearBins()
	value := func(tie float64) float64 { return averagePrecision(strips(zero, one, first), tie) }
	middle := max(0, min(1, value(tieHalf)))
	whole.Value = Measure(middle)
	hidden := clearLevel * math.Sqrt(float64(len(zero))*c.noise)
	if c.pairs != nil || first == len(zero) || total(one) <= hidden || total(zero) <= hidden {
		return whole
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, tie := range []float64{tieLost, tieHalf, tieWon} {
		center, deviation := c.errorOfPrecision(first, tie)
		if !(deviation >= 0) || math.IsInf(deviation, 1) {
			return whole
		}
		reach := c.reachOfPrecision(deviation)
		low, high = min(low, center-reach), max(high, center+reach)
	}
	whole.Low, whole.High = Measure(max(0, min(middle, low))), Measure(min(1, max(middle, high)))
	return whole
}

// reachOfPrecision returns the quantile of an error with this standard deviation. The quantile is
// Student's for the number of records of the rarer level.
func (c counts) reachOfPrecision(deviation float64) float64 {
	zero, one := c.levels()
	const q = normalQuantile
	fewer := q * (q*q + 1) / 4 / max(1, min(total(zero), total(one))-1)
	z := q
	if c.single > 0 {
		z = quantile(laplaceExcess / 2.0)
	}
	return (z + fewer) * deviation
}

// clearBins returns the number of bins with the highest scores whose records are clearly above
// their noise, with the bins below them too. It is the number of all bins if there are none.
func (c counts) clearBins() int {
	zero, one := c.levels()
	n, sum, first := len(zero), 0.0, 0
	for k := range n {
		b := n - 1 - k
		sum += zero[b] + one[b]
		clear := sum > clearPrecision*math.Sqrt(2*float64(k+1)*c.noise) && sum > 0
		switch {
		case clear && first == 0:
			first = k + 1
		case !clear:
			first = 0
		}
	}
	if first == 0 {
		return n
	}
	return first
}

// strips returns the strips from the highest scores to the lowest. The first one has this many bins,
// and each other one has one bin.
func strips(zero, one []float64, first int) []strip {
	n := len(zero)
	out := make([]strip, 1, n-first+1)
	for k := range n {
		b := n - 1 - k
		if k < first {
			out[0].zero += zero[b]
			out[0].one += one[b]
			continue
		}
		out = append(out, strip{zero[b], one[b]})
	}
	return out
}

// averagePrecision returns Σ ∫ (S+x)/(N+x+z) dx / Σ one over strips. Here S is the number of records
// of the second level above the strip, and N that of both levels. x goes from 0 to the strip's
// records of the second level. z is the number of records of the first level above x: none for tieWon, all of the
// strip for tieLost, and a share that grows with x for tieHalf.
func averagePrecision(all []strip, tie float64) float64 {
	sum, second, both := 0.0, 0.0, 0.0
	for _, s := range all {
		a, records := s.one, s.one+s.zero
		switch {
		case tie == tieHalf && records != 0:
			share := a / records
			sum += a * (share + (second-both*share)/records*growthOf(both, records))
		case tie == tieWon:
			sum += a - (both-second)*growthOf(both, a)
		case tie == tieLost:
			sum += a - (both+s.zero-second)*growthOf(both+s.zero, a)
		}
		second, both = second+a, both+records
	}
	return sum / second
}

// growthOf returns ln((from+by)/from), or 0 if that is no number. It is 0 at a start of 0, where it
// is multiplied by 0.
func growthOf(from, by float64) float64 {
	if !(from > 0) || !(from+by > 0) {
		return 0
	}
	return math.Log1p(by / from)
}

// errorOfPrecision returns the average precision less its mean error, and its standard deviation.
// Derivatives are taken by differences.
func (c counts) errorOfPrecision(first int, tie float64) (center, deviation float64) {
	zero, one := c.levels()
	all := strips(zero, one, first)
	step := 1e-3 * max(1, total(zero)+total(one)) / float64(len(all))
	value := averagePrecision(all, tie)
	variance, bias := 0.0, 0.0
	for i := range all {
		noise := c.noise
		if i == 0 {
			noise *= float64(first)
		}
		for _, count := range []*float64{&all[i].zero, &all[i].one} {
			was := *count
			*count = was + step
			up := averagePrecision(all, tie)
			*count = was - step
			down := averagePrecision(all, tie)
			*count = was
			slope, bend, own := (up-down)/(2*step), (up+down-2*value)/(step*step), noise+max(0, was)
			variance += slope * slope * own
			bias += bend * own / 2
		}
	}
	return value - bias, math.Sqrt(variance)
}
