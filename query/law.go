package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Answer is one released number with information about its noise. All fields are computed from a
// paid release, so they cost nothing more.
type Answer struct {
	// Value is the estimate.
	Value float64
	// Deviation is the standard deviation of the noise in Value. If Value is not a linear function
	// of the release, Deviation is a first-order approximation. Deviation is NaN if Value was
	// selected by a mechanism, as a quantile is.
	Deviation float64
	// Lower and Upper are the ends of a confidence interval for the noiseless value of the same
	// records. The confidence is over the noise only. The interval does not allow for the sampling
	// of the records from a population. Lower and Upper are NaN if Value was selected by a
	// mechanism. File.RankError states the accuracy of such a Value.
	Lower, Upper float64
	// Count is the noisy number of records by which a mean or another ratio is divided. It is 0 if
	// the answer is not a ratio.
	Count float64
	// AtLeast reports whether the confidence is only a lower bound on the coverage of the interval.
	// It is true if the noise is discrete, if the noise exceeds the number of records, or if the
	// interval is the whole possible range. If it is false, the coverage differs from the
	// confidence by at most 0.7 percentage points. AtLeast depends only on the plan and on released
	// numbers. Coverage is the probability over all draws of the noise, not only over draws with
	// the same AtLeast.
	AtLeast bool
}

// law is the distribution of the noise of one released number.
type law struct {
	kind  lawKind
	scale float64 // standard deviation of the normal distributions, scale of the Laplace distributions
	unit  float64 // of the discrete distributions
}

type lawKind uint8

const (
	noLaw lawKind = iota
	normalLaw
	laplaceLaw
	discreteNormalLaw
	discreteLaplaceLaw
)

// lawOf returns the distribution of the noise on numbers, given one record's bound. The grids of
// Gaussian and K-norm noise have at least 2^7 points in one bound. They are treated as the
// continuous distributions.
func lawOf(n mechanism.Noise, bound float64) (law, error) {
	switch n := n.(type) {
	case mechanism.NonPrivate:
		return law{}, nil
	case mechanism.Gaussian:
		return law{kind: normalLaw, scale: n.NoiseMultiplier * bound}, nil
	case mechanism.KNorm:
		return law{kind: laplaceLaw, scale: n.NoiseMultiplier * bound}, nil
	case mechanism.DiscreteGaussian:
		unit := bound / float64(n.Sensitivity)
		return law{discreteNormalLaw, n.StandardDeviation * unit, unit}, nil
	case mechanism.DiscreteLaplace:
		unit := bound / float64(n.Sensitivity)
		return law{discreteLaplaceLaw, n.Scale * unit, unit}, nil
	}
	return law{}, fmt.Errorf("query: noise is %v, want gaussian, k-norm, discrete-gaussian or discrete-laplace", n)
}

// exactly is the largest excess of an interval's true rate over the stated rate. Up to it the
// interval counts as holding as often as stated.
const exactly = 0.0035

// discrete reports whether the release lies on a grid that is treated as discrete.
func (l law) discrete() bool { return l.kind >= discreteNormalLaw }

// deviation returns the standard deviation.
func (l law) deviation() float64 {
	switch l.kind {
	case laplaceLaw:
		return math.Sqrt2 * l.scale
	case discreteLaplaceLaw:
		r := math.Exp(-l.unit / l.scale)
		return l.unit * math.Sqrt(2*r) / (1 - r)
	}
	return l.scale
}

// tail returns the probability that the sum of independent draws times weights has a magnitude of
// more than t. Discrete distributions allow a single draw of weight 1 only.
func (l law) tail(t float64, weights ...float64) float64 {
	switch l.kind {
	case normalLaw:
		return math.Erfc(t / (l.scale * length(weights) * math.Sqrt2))
	case laplaceLaw:
		return laplaceTail(t/l.scale, weights)
	case discreteLaplaceLaw:
		r := math.Exp(-l.unit / l.scale)
		return 2 * math.Pow(r, math.Floor(t/l.unit)+1) / (1 + r)
	case discreteNormalLaw:
		return discreteNormalTail(math.Floor(t/l.unit), l.scale/l.unit)
	}
	return truthOf(t < 0)
}

// halfWidth returns the least t, up to 1e-12 of it, whose tail is at most 1-level. For discrete
// distributions it is the least multiple of the unit.
func (l law) halfWidth(level float64, weights ...float64) float64 {
	if l.kind == noLaw {
		return 0
	}
	low, high := 0.0, l.scale*length(weights)
	for l.tail(high, weights...) > 1-level {
		low, high = high, 2*high
	}
	enough := func(t float64) bool { return l.tail(t, weights...) <= 1-level }
	if !l.discrete() {
		return bisect(low, high, 1e-12*high, enough)
	}
	// Tails are evaluated in the middle of a unit, where no rounding decides.
	k := bisect(-1, math.Ceil(high/l.unit)+1, 1, func(k float64) bool { return enough((math.Floor(k) + 0.5) * l.unit) })
	return l.unit * math.Floor(k)
}

// bisect halves the interval between a number that is too small and one that is enough. When it is
// at most width, bisect returns the number that is enough.
func bisect(low, high, width float64, enough func(float64) bool) float64 {
	for high-low > width {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// linear returns the answer of a released number that is used unchanged.
func (l law) linear(value, level float64) Answer {
	h := l.halfWidth(level, 1)
	return Answer{Value: value, Deviation: l.deviation(), Lower: value - h, Upper: value + h, AtLeast: l.discrete() && 1-l.tail(h+l.unit/2, 1) > level+exactly}
}

func length(weights []float64) float64 {
	sum := 0.0
	for _, w := range weights {
		sum = math.Hypot(sum, w)
	}
	return sum
}

// laplaceTail returns the tail of a sum of independent Laplace variables of these scales. By
// partial fractions of its characteristic function Π 1/(1+(a_i·s)²), it is Σ_i exp(-t/a_i)·Π_{j≠i}
// a_i²/(a_i²-a_j²) for distinct a_i. Equal scales are moved apart, upward, by 1e-4 of them. That
// moves quantiles by less than 1e-4 of them.
func laplaceTail(t float64, scales []float64) float64 {
	var room [8]float64
	a := room[:0]
	for _, s := range scales {
		if s = math.Abs(s); s > 0 {
			for again := true; again; {
				again = false
				for _, other := range a {
					if math.Abs(s-other) < 1e-4*s {
						s, again = other*(1+1.1e-4), true
					}
				}
			}
			a = append(a, s)
		}
	}
	sum := 0.0
	for i, s := range a {
		weight := 1.0
		for j, other := range a {
			if j != i {
				weight *= s * s / (s*s - other*other)
			}
		}
		sum += weight * math.Exp(-t/s)
	}
	return min(1, max(0, sum))
}

// wideDeviation is the standard deviation from which the discrete normal distribution and the
// rounded one differ by less than 1e-6 of their tails.
const wideDeviation = 1000

// discreteNormalTail returns P(|X| > k) under P(x) ∝ exp(-x²/(2σ²)) on the integers.
func discreteNormalTail(k, sigma float64) float64 {
	if sigma > wideDeviation {
		return math.Erfc((k + 0.5) / (sigma * math.Sqrt2))
	}
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * sigma * sigma)) }
	beyond, within := 0.0, weight(0)
	for x := 1.0; x <= max(k, 15*sigma)+2; x++ {
		if x > k {
			beyond += 2 * weight(x)
		} else {
			within += 2 * weight(x)
		}
	}
	if k < 0 {
		return 1
	}
	return beyond / (beyond + within)
}
