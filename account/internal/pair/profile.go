package pair

import (
	"math"

	"github.com/ditherml/dither/internal/special"
)

// Profile returns δ(ε) for one release of the pair, at ε ≥ 0 in nats. It also returns a bound on
// the absolute error of δ(ε).
//
// δ(ε) is the supremum over events S of P(S) - e^ε·Q(S). It equals P(L > ε) - e^ε·Q(L > ε), with L
// the privacy loss (Balle & Wang, "Improving the Gaussian Mechanism for Differential Privacy", ICML
// 2018, theorem 5, https://arxiv.org/abs/1805.06530). An error in the output at which L = ε does
// not matter, since the value is stationary there.
func Profile(p Pair, epsilon float64) (delta, bound float64, err error) {
	switch p := p.(type) {
	case Mixture:
		var c *Curve
		if c, err = NewCurve(p); err != nil {
			return 0, 0, err
		}
		delta, bound = c.Profile(epsilon)
		return delta, bound, nil
	case Atoms:
		delta, bound = p.profile(epsilon)
		return delta, bound, nil
	case Glued:
		return Profile(p.Above, epsilon)
	case Choice:
		for _, v := range p {
			d, e, wrong := Profile(v.Pair, epsilon)
			if wrong != nil {
				return 0, 0, wrong
			}
			delta += v.Weight * d
			bound += v.Weight*e + 0x1p-50*v.Weight*d
		}
		return delta, bound, nil
	case BoundedRange:
		if epsilon >= p.Epsilon {
			return 0, 0, nil
		}
		root := math.Expm1((epsilon - p.Epsilon) / 2)
		delta = -root * root / math.Expm1(-p.Epsilon)
		return delta, 0x1p-48 * delta, nil
	}
	return 0, 0, errMixture
}

// Profile returns the result of the function Profile for the mixture.
func (c *Curve) Profile(epsilon float64) (delta, bound float64) {
	if epsilon >= c.High { // up to the rounding of the largest loss
		return 0, math.Max(0, c.Top()-epsilon)
	}
	x, residual := c.Inverse(epsilon, (c.First+c.Last)/2)
	switch {
	case math.IsInf(x, 0) && epsilon > 0: // no loss is above 0 everywhere: the place is out of reach
		return 0, 1
	case math.IsInf(x, 0): // the loss is above epsilon everywhere
		return -math.Expm1(epsilon), 0x1p-51
	}
	logP, logQ := c.LogTails(x, !c.Rising)
	upper, lower := math.Exp(logP), math.Exp(epsilon+logQ)
	z := c.Distance(x)
	if upper == 0 && lower == 0 { // both are below the least number
		return 0, 0x1p-1022
	}
	bound = (upper + lower) * (MassError(z) + 0x1p-52*epsilon + 2*(residual+c.LossError(z)))
	if bound < 0x1p-1022 { // each exponential and the difference round to one of the least numbers or a neighbor of it
		bound += 6 * math.SmallestNonzeroFloat64
	}
	return math.Max(0, upper-lower), bound
}

// profile returns Profile for finitely many outcomes, whose probabilities have relative errors of
// at most 16 units of 2^-53.
//
// P - e^ε·Q has an error of 16 units of P from P itself. Since e^ε·Q is at most about P, it adds 16
// units, and 4 for the exponential and two operations. The exponential of a sum adds ε units. The
// sum of n differences has a relative error of n-1 units.
func (a Atoms) profile(epsilon float64) (delta, bound float64) {
	factor := math.Exp(epsilon)
	for _, v := range a {
		d := v.P - factor*v.Q
		switch {
		case v.Q == 0:
			d = v.P
		case math.IsInf(factor, 1):
			d = v.P - math.Exp(epsilon+special.Log(v.Q))
		}
		delta += math.Max(0, d)
		if d > -0x1p-46*v.P*(1+epsilon) { // 0 or less by rounding alone, perhaps
			bound += 0x1p-50 * v.P
		}
	}
	return delta, bound*(8+epsilon) + 0x1p-53*delta*float64(len(a))
}

// Reverse returns the pair (Q, P), which is the other direction. A BoundedRange is its own reverse.
func Reverse(p Pair) Pair {
	switch p := p.(type) {
	case Mixture:
		return p.Swap()
	case Atoms:
		return p.Swap()
	case Glued:
		return Glued{Above: Reverse(p.Below), Below: Reverse(p.Above)}
	case Choice:
		reversed := make(Choice, len(p))
		for i, v := range p {
			reversed[i] = Weighted{v.Weight, Reverse(v.Pair)}
		}
		return reversed
	}
	return p
}
