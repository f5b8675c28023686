package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Inverse returns an output x whose loss is l. It also returns a bound on the distance of the loss
// of x from l, in addition to LossError. The output is -Inf or +Inf if l is outside the range of
// the loss or at an end. A hint near x saves time for pairs without a closed form, and other pairs
// ignore it.
//
// The closed forms are solutions of log(P(x)/Q(x)) = l. For copies at m and m+d against the copy at
// m, with y = d(x-m-d/2)/Scale², the equation is 1-q+q·e^y = e^l. For copies at m and m+d against m
// and m-d, with y = d(x-m)/Scale², it is (c+e^y)/(c+e^{-y}) = e^l, where c =
// (1-q)/q·e^{d²/2Scale²}. Hence sinh(y-l/2) = c·sinh(l/2).
func (c *Curve) Inverse(l, hint float64) (x, residual float64) {
	if math.IsNaN(l) || l <= c.Low || l >= c.High {
		if (l <= c.Low) == c.Rising {
			return math.Inf(-1), 0
		}
		return math.Inf(1), 0
	}
	switch c.form {
	case shifted, mixed, unmixed:
		return c.twoCopies(l), 0
	case opposed:
		return c.threeCopies(l), 0
	}
	return c.solve(l, hint)
}

// twoCopies returns the inverse of the loss of pairs on two means.
func (c *Curve) twoCopies(l float64) float64 {
	a, b := c.shifts[0], c.shifts[1]
	var y float64 // log-ratio of the densities of the copy at b and the copy at a
	switch {
	case c.form == shifted && a.p == 0:
		y = l
	case c.form == shifted:
		y = -l
	case c.form == mixed && a.q > 0: // a.p + b.p·e^y = e^l
		y = logRatio(l, b.p)
	case c.form == mixed: // a.p·e^{-y} + b.p = e^l
		y = -logRatio(l, a.p)
	case a.p > 0: // a.q + b.q·e^y = e^{-l}
		y = logRatio(-l, b.q)
	default: // a.q·e^{-y} + b.q = e^{-l}
		y = -logRatio(-l, a.q)
	}
	middle := (a.mean + b.mean) / 2
	if c.Law == Laplace {
		return math.Min(math.Max(middle+y*c.Scale/2, a.mean), b.mean)
	}
	return middle + y*c.Scale*c.Scale/(b.mean-a.mean)
}

// logRatio returns log(1 + (e^l-1)/w), even if e^l overflows.
func logRatio(l, w float64) float64 {
	if l > 600 { // 1 is lost against e^l
		return l - special.Log(w)
	}
	return math.Log1p(math.Expm1(l) / w)
}

// threeCopies returns the inverse of the loss of the symmetric pair on three means.
func (c *Curve) threeCopies(l float64) float64 {
	a, m, b := c.shifts[0], c.shifts[1], c.shifts[2]
	sign, tip := 1.0, b.p
	if b.p == 0 {
		sign, tip = -1, a.p
	}
	d := b.mean - m.mean
	logC := Atom{m.p, tip}.Loss() + d*d/(2*c.Scale*c.Scale)
	y := l/2 + asinhExp(logC, l/2)
	return m.mean + sign*y*c.Scale*c.Scale/d
}

// asinhExp returns asinh(e^a·sinh(b)), where e^a may overflow.
func asinhExp(a, b float64) float64 {
	if a < 600 && math.Abs(b) < 50 {
		return math.Asinh(math.Exp(a) * math.Sinh(b))
	}
	if b == 0 {
		return 0
	}
	size := math.Abs(b)
	logSinh := size + math.Log(-math.Expm1(-2*size)/2)
	if a+logSinh < 30 {
		return math.Copysign(math.Asinh(math.Exp(a+logSinh)), b)
	}
	return math.Copysign(a+logSinh+math.Ln2, b)
}

// solve returns the inverse of a monotone loss. It takes Newton steps inside a bracket that
// shrinks.
func (c *Curve) solve(l, hint float64) (x, residual float64) {
	low, high := c.bracket(l)
	x = hint
	if !(x > low && x < high) {
		x = low + (high-low)/2
	}
	best, bestGap := x, math.Inf(1)
	for range 200 {
		v, slope := c.lossAndSlope(x)
		gap := v - l
		if math.Abs(gap) < bestGap {
			best, bestGap = x, math.Abs(gap)
		}
		if bestGap <= 0x1p-50*(1+math.Abs(l)) {
			break
		}
		if gap < 0 == c.Rising {
			low = x
		} else {
			high = x
		}
		next := x - gap/slope
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if next == x || next <= low || next >= high {
			break
		}
		x = next
	}
	return best, bestGap
}

// bracket returns two outputs, one on each side of loss l.
func (c *Curve) bracket(l float64) (low, high float64) {
	if c.Law == Laplace {
		return c.First, c.Last
	}
	reach := c.Scale
	for low, high = c.First-reach, c.Last+reach; reach < 1e290; reach *= 2 {
		left, right := c.Loss(low), c.Loss(high)
		if !c.Rising {
			left, right = right, left
		}
		if left < l && l < right {
			return low, high
		}
		low, high = low-reach, high+reach
	}
	return low, high
}
