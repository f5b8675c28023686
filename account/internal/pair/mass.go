package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// MassError returns a bound on the relative error of Masses. Each end of the interval that matters
// is at most z standard units from every mean. An argument of the density has a relative error of 3
// units. So half the square of the argument, which is the exponent, has an error of at most 4z²
// units. At most twenty operations follow. If tails are subtracted, the difference is at least a
// fifteenth of the tails.
func MassError(z float64) float64 { return 0x1p-53 * (48 + 4*z*z) }

// Masses returns the probability of the interval from a to b under P and under Q. The argument a is
// at most b, and both may be infinite. MassError bounds the error.
func (c *Curve) Masses(a, b float64) (p, q float64) {
	if a == b {
		return 0, 0
	}
	for _, s := range c.shifts {
		var m float64
		if c.Law == Normal {
			m = normalMass((a-s.mean)/c.Scale, (b-s.mean)/c.Scale, (b-a)/c.Scale)
		} else {
			m = laplaceMass((a-s.mean)/c.Scale, (b-s.mean)/c.Scale, (b-a)/c.Scale)
		}
		p += s.p * m
		q += s.q * m
	}
	return p, q
}

// normalMass returns Φ(b)-Φ(a). The argument width is b-a, with a smaller error than the difference
// of the arguments a and b.
//
// Let m be the middle of a narrow interval of width w. Then ∫φ = φ(m)·w·Σ He₂ₖ(m)(w/2)²ᵏ/(2k+1)!,
// with He the Hermite polynomials (Taylor's series; Abramowitz & Stegun 26.2.31). Since |He₂ₖ(m)| ≤
// (|m|+√(4k))²ᵏ, five terms leave a relative remainder below 2e-16 for w(|m|+6) ≤ 1/2.
func normalMass(a, b, width float64) float64 {
	m := (a + b) / 2
	if !(width*(math.Abs(m)+6) <= 0.5) {
		return wideMass(a, b)
	}
	return special.NormalDensity(m) * width * hermiteSum(m, width*width/4)
}

// hermiteSum returns Σ He₂ₖ(m)·vᵏ/(2k+1)! for k from 0 to 4.
func hermiteSum(m, v float64) float64 {
	x := m * m
	he2 := x - 1
	he4 := x*(x-6) + 3
	he6 := x*(x*(x-15)+45) - 15
	he8 := x*(x*(x*(x-28)+210)-420) + 105
	return 1 + v*(he2*(1.0/6)+v*(he4*(1.0/120)+v*(he6*(1.0/5040)+v*he8*(1.0/362880))))
}

// wideMass returns the difference of two tails, on the side on which tails are small.
func wideMass(a, b float64) float64 {
	if a+b < 0 {
		a, b = -b, -a
	}
	if a <= 0 {
		return 0.5 * (math.Erf(b/math.Sqrt2) - math.Erf(a/math.Sqrt2))
	}
	return 0.5 * (math.Erfc(a/math.Sqrt2) - math.Erfc(b/math.Sqrt2))
}

// laplaceMass returns the mass of [a, b] under the density e^{-|x|}/2.
func laplaceMass(a, b, width float64) float64 {
	switch {
	case a >= 0:
		return -0.5 * math.Exp(-a) * math.Expm1(-width)
	case b <= 0:
		return -0.5 * math.Exp(b) * math.Expm1(-width)
	}
	return -0.5 * (math.Expm1(a) + math.Expm1(-b))
}

// Distance returns the largest |x-mean|/Scale over all copies: the distance of x from the farthest
// mean in standard units.
func (c *Curve) Distance(x float64) float64 {
	return math.Max(math.Abs(x-c.First), math.Abs(x-c.Last)) / c.Scale
}

// LogTails returns the logarithms of P(X ≥ x) and Q(X ≥ x). If left is true, it returns the
// logarithms of P(X ≤ x) and Q(X ≤ x). The logarithms do not underflow. Their absolute error is
// below MassError.
func (c *Curve) LogTails(x float64, left bool) (p, q float64) {
	p, q = math.Inf(-1), math.Inf(-1)
	for _, s := range c.shifts {
		y := (x - s.mean) / c.Scale
		if left {
			y = -y
		}
		t := logLaplaceTail(y)
		if c.Law == Normal {
			t = logNormalTail(y)
		}
		p, q = logSum(p, special.Log(s.p)+t), logSum(q, special.Log(s.q)+t)
	}
	return p, q
}

// logNormalTail returns log(1-Φ(y)).
func logNormalTail(y float64) float64 {
	switch {
	case y < 5:
		return math.Log(0.5 * math.Erfc(y/math.Sqrt2))
	case math.IsInf(y, 1):
		return math.Inf(-1)
	}
	return math.Log(special.MillsRatio(y)/math.Sqrt(2*math.Pi)) - y*y/2
}

// logLaplaceTail returns the logarithm of the upper tail of the density e^{-|x|}/2.
func logLaplaceTail(y float64) float64 {
	if y >= 0 {
		return -y - math.Ln2
	}
	return math.Log1p(-0.5 * math.Exp(y))
}

// logSum returns log(e^a+e^b).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
