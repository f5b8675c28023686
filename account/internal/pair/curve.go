package pair

import (
	"errors"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/special"
)

// Curve is a Mixture prepared for evaluation. It gives the privacy loss of an output x, the output
// of a loss, and the masses of intervals of outputs.
type Curve struct {
	Law    Law
	Scale  float64
	Rising bool // whether the loss rises in x
	// Low and High are the ends of the range of the loss. They are -Inf and +Inf if the loss is
	// unbounded.
	Low, High float64
	shifts    []shift
	form      form
	// First and Last are the smallest and the largest mean. First is 0, because outputs are
	// measured from the first mean. So the rounding of outputs does not depend on the place of that
	// mean.
	First, Last float64
}

// shift is a copy of the noise with its weights in P and in Q.
type shift struct{ mean, p, q float64 }

// form is the kind of a pair whose inverse loss has a closed form.
type form uint8

const (
	general form = iota
	shifted      // one copy against another
	mixed        // two copies against one of them
	unmixed      // one of two copies against both
	opposed      // copies at m and m+d against copies at m and m-d, normal noise
)

var errMixture = errors.New("pair: mixture is malformed, want a law, a positive scale and positive weights that sum to 1")

// NewCurve returns a mixture prepared for evaluation. It returns an error if the scale or the
// weights are invalid.
func NewCurve(m Mixture) (*Curve, error) {
	if m.Law != Normal && m.Law != Laplace || !(m.Scale > 0) || math.IsInf(m.Scale, 0) || !weighted(m.P) || !weighted(m.Q) {
		return nil, errMixture
	}
	c := &Curve{Law: m.Law, Scale: m.Scale, shifts: merge(m)}
	origin := c.shifts[0].mean
	for i := range c.shifts {
		c.shifts[i].mean -= origin
	}
	c.Last = c.shifts[len(c.shifts)-1].mean
	c.form = c.classify()
	c.span()
	return c, nil
}

// weighted reports whether weights are positive and sum to 1, and means are finite.
func weighted(components []Component) bool {
	sum := 0.0
	for _, v := range components {
		if !(v.Weight > 0) || math.IsNaN(v.Mean) || math.IsInf(v.Mean, 0) {
			return false
		}
		sum += v.Weight
	}
	return math.Abs(sum-1) <= 1e-12
}

// merge returns the copies sorted by mean.
func merge(m Mixture) []shift {
	var list []shift
	for _, v := range m.P {
		list = append(list, shift{v.Mean, v.Weight, 0})
	}
	for _, v := range m.Q {
		list = append(list, shift{v.Mean, 0, v.Weight})
	}
	slices.SortFunc(list, func(a, b shift) int {
		switch {
		case a.mean < b.mean:
			return -1
		case a.mean > b.mean:
			return 1
		}
		return 0
	})
	merged := list[:1]
	for _, v := range list[1:] {
		if last := &merged[len(merged)-1]; last.mean == v.mean {
			last.p += v.p
			last.q += v.q
		} else {
			merged = append(merged, v)
		}
	}
	return merged
}

// classify returns the closed form of the pair.
func (c *Curve) classify() form {
	s := c.shifts
	switch {
	case len(s) == 2 && (s[0].q == 0 && s[1].p == 0 || s[0].p == 0 && s[1].q == 0):
		return shifted
	case len(s) == 2 && (s[0].q == 0 || s[1].q == 0):
		return mixed
	case len(s) == 2 && (s[0].p == 0 || s[1].p == 0):
		return unmixed
	case c.Law == Normal && len(s) == 3 && s[1].p == s[1].q && s[0].mean+s[2].mean == 2*s[1].mean &&
		(s[0].p == 0 && s[2].q == 0 || s[0].q == 0 && s[2].p == 0):
		return opposed
	}
	return general
}

// span sets the direction of the loss and the ends of its range.
func (c *Curve) span() {
	reach := c.Scale
	if c.Law == Normal {
		reach = 8*c.Scale + c.Scale*c.Scale/math.Max(c.Last-c.First, 1e-300)
	}
	left, right := c.Loss(c.First-reach), c.Loss(c.Last+reach)
	if c.Law == Laplace {
		left, right = c.sideLoss(-1), c.sideLoss(1)
	}
	c.Rising = right >= left
	if c.Law == Normal {
		left, right = c.end(c.shifts[0]), c.end(c.shifts[len(c.shifts)-1])
	}
	c.Low, c.High = math.Min(left, right), math.Max(left, right)
}

// sideLoss returns the loss on the left (-1) or on the right (1) of all means, for Laplace noise.
// With weights p and q that sum to 1, and exponents x, the loss is log(1+Σ (p-q)·(e^x-1)/Σ q·e^x).
// In this form small losses keep their digits.
func (c *Curve) sideLoss(side float64) float64 {
	if (c.Last-c.First)/c.Scale > mostExponent {
		return c.Loss((c.First+c.Last)/2 + side*((c.Last-c.First)/2+c.Scale))
	}
	var excess, q float64
	for _, s := range c.shifts {
		e := side * (s.mean - c.First) / c.Scale
		excess += (s.p - s.q) * math.Expm1(e)
		q += s.q * math.Exp(e)
	}
	return math.Log1p(excess / q)
}

// mostExponent is the largest exponent that sideLoss adds up.
const mostExponent = 600

// Top returns an upper bound on the loss: High, plus a margin for rounding.
func (c *Curve) Top() float64 {
	reach := (c.Last - c.First) / c.Scale
	if c.Law == Laplace && reach <= mostExponent {
		return c.High + math.Abs(c.High)*(0x1p-48+0x1p-50*reach)
	}
	return c.High + math.Abs(c.High)*0x1p-48 + 0x1p-48 // the logarithm of a quotient
}

// end returns the limit of the loss at an end of the range where the outermost copy s dominates.
func (c *Curve) end(s shift) float64 {
	switch {
	case len(c.shifts) == 1:
		return 0
	case s.q == 0:
		return math.Inf(1)
	case s.p == 0:
		return math.Inf(-1)
	}
	return Atom{s.p, s.q}.Loss()
}

// Loss returns log(P(x)/Q(x)) at a finite x, in nats. Its absolute error is below
// LossError(z) where z is the largest |x-mean|/Scale.
func (c *Curve) Loss(x float64) float64 {
	l, _ := c.lossAndSlope(x)
	return l
}

// LossError returns a bound on two errors. The first is the error of Loss. The second is the
// distance between the loss of the result of Inverse and the requested loss, without the residual
// that Inverse returns.
//
// The bound covers the rounding of exponents, and of logarithms of numbers that are known to a few
// units. Exponents are at most z·(Last-First)/Scale if no output is more than z standard units from
// a mean.
func (c *Curve) LossError(z float64) float64 {
	return 0x1p-53 * (32 + 8*z*(c.Last-c.First)/c.Scale)
}

// lossAndSlope returns the loss and its derivative in x.
func (c *Curve) lossAndSlope(x float64) (loss, slope float64) {
	var p, q, pSlope, qSlope float64
	top := math.Inf(-1)
	for _, s := range c.shifts {
		top = math.Max(top, c.exponent(x, s.mean))
	}
	for _, s := range c.shifts {
		e := math.Exp(c.exponent(x, s.mean) - top)
		d := c.exponentSlope(x, s.mean)
		p += s.p * e
		q += s.q * e
		pSlope += s.p * e * d
		qSlope += s.q * e * d
	}
	if p > 0x1p-900 && q > 0x1p-900 {
		return math.Log(p / q), pSlope/p - qSlope/q
	}
	return c.distantLoss(x)
}

// distantLoss returns lossAndSlope for outputs where a density underflows. It computes both
// densities on a logarithmic scale.
func (c *Curve) distantLoss(x float64) (loss, slope float64) {
	side := func(weight func(shift) float64) (value, slope float64) {
		top := math.Inf(-1)
		for _, s := range c.shifts {
			if weight(s) > 0 {
				top = math.Max(top, c.exponent(x, s.mean))
			}
		}
		var sum, rise float64
		for _, s := range c.shifts {
			if weight(s) > 0 {
				e := weight(s) * math.Exp(c.exponent(x, s.mean)-top)
				sum += e
				rise += e * c.exponentSlope(x, s.mean)
			}
		}
		return top + special.Log(sum), rise / sum
	}
	p, pSlope := side(func(s shift) float64 { return s.p })
	q, qSlope := side(func(s shift) float64 { return s.q })
	return p - q, pSlope - qSlope
}

// exponent returns the logarithm of the density of the copy at mean, up to a term that all copies
// share.
func (c *Curve) exponent(x, mean float64) float64 {
	if c.Law == Normal {
		return (mean - c.First) * (x - (mean+c.First)/2) / (c.Scale * c.Scale)
	}
	return (math.Abs(x-c.First) - math.Abs(x-mean)) / c.Scale
}

// exponentSlope returns the derivative of exponent in x.
func (c *Curve) exponentSlope(x, mean float64) float64 {
	if c.Law == Normal {
		return (mean - c.First) / (c.Scale * c.Scale)
	}
	switch {
	case x < c.First || x > mean:
		return 0
	default:
		return 2 / c.Scale
	}
}
