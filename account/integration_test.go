package account

import (
	"math"
	"math/big"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// Arithmetic of 400 bits, of which 200 are wanted, on big floats.

const longBits = 400

func long(v float64) *big.Float { return new(big.Float).SetPrec(longBits).SetFloat64(v) }

func plus(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(longBits).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(longBits).Sub(a, b) }
func mul(a, b *big.Float) *big.Float   { return new(big.Float).SetPrec(longBits).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(longBits).Quo(a, b) }

// longExp halves the argument until it is small, sums the series, and squares back.
func longExp(x *big.Float) *big.Float {
	v, _ := x.Float64()
	halvings := max(0, math.Ilogb(math.Abs(v)+1)+8)
	y := new(big.Float).SetPrec(longBits).SetMantExp(x, -halvings)
	sum, term := long(1), long(1)
	for k := 1.0; k < 80; k++ {
		term = over(mul(term, y), long(k))
		sum = plus(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// longLog inverts longExp by Newton's method.
func longLog(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := long(math.Log(f))
	for range 5 {
		e := longExp(y)
		y = plus(y, mul(long(2), over(minus(x, e), plus(x, e))))
	}
	return y
}

var longRoot2Pi = func() *big.Float {
	// π by Machin's formula 16·atan(1/5) - 4·atan(1/239).
	atan := func(n float64) *big.Float {
		power, sum := over(long(1), long(n)), long(0)
		for k := 0.0; k < 300; k++ {
			term := over(power, long(2*k+1))
			if int(k)%2 == 1 {
				term.Neg(term)
			}
			sum = plus(sum, term)
			power = over(power, long(n*n))
		}
		return sum
	}
	pi := minus(mul(long(16), atan(5)), mul(long(4), atan(239)))
	return new(big.Float).SetPrec(longBits).Sqrt(mul(long(2), pi))
}()

// longNormal is the standard normal distribution function, ½ + φ(x)·Σ x^(2k+1)/(1·3·…·(2k+1)).
func longNormal(x *big.Float) *big.Float {
	f, _ := x.Float64()
	switch {
	case f > 40:
		return long(1)
	case f < -40:
		return long(0)
	}
	square := mul(x, x)
	term, sum := new(big.Float).SetPrec(longBits).Set(x), new(big.Float).SetPrec(longBits).Set(x)
	for k := 1.0; k < 4000; k++ {
		term = over(mul(term, square), long(2*k+1))
		sum = plus(sum, term)
		if t, _ := term.Float64(); t == 0 || math.Abs(t) < 1e-115 {
			break
		}
	}
	density := over(longExp(over(square, long(-2))), longRoot2Pi)
	return plus(long(0.5), mul(density, sum))
}

// sampledOnce is δ of one release of (1-q)·N(0, z²) + q·N(1, z²) against N(0, z²) at e^ε = a: 1 - a for
// a ≤ 1-q, otherwise q·Φ((1-x)/z) - (a-1+q)·Φ(-x/z) with x = z²·log(1+(a-1)/q) + ½.
func sampledOnce(q, z float64, a *big.Float) *big.Float {
	odds := plus(long(1), over(minus(a, long(1)), long(q)))
	if odds.Sign() <= 0 {
		return minus(long(1), a)
	}
	x := plus(mul(long(z*z), longLog(odds)), long(0.5))
	first := mul(long(q), longNormal(over(minus(long(1), x), long(z))))
	return minus(first, mul(plus(minus(a, long(1)), long(q)), longNormal(over(minus(long(0), x), long(z)))))
}

// sampledTwice is δ of two releases: the mean of δ₁ at b = a·e^-L over the loss L of the first. Since the
// mean of b is a, it is 1 - a plus the mean of δ₁(b) - 1 + b, which is 0 where b ≤ 1-q, that is for x
// beyond some c, and all of whose derivatives are 0 there. With x = c - e^t the trapezoidal rule in t
// converges fast.
func sampledTwice(q, z float64, epsilon float64) float64 {
	a, sum := longExp(long(epsilon)), long(0)
	edge := over(minus(over(a, long(1-q)), long(1-q)), long(q)) // w at c, where b = a/(1-q+q·w) = 1-q
	c := plus(mul(long(z*z), longLog(edge)), long(0.5))
	const step = 1.0 / 20
	for t := -10.0; t < math.Log(14*z+14); t += step {
		width := longExp(long(t))
		x := minus(c, width)
		if f, _ := x.Float64(); f < -13*z {
			break
		}
		w := longExp(over(minus(mul(long(2), x), long(1)), long(2*z*z)))
		ratio := plus(long(1-q), mul(long(q), w))
		b := over(a, ratio)
		rest := minus(plus(sampledOnce(q, z, b), b), long(1))
		density := mul(longExp(over(mul(x, x), long(-2*z*z))), ratio)
		sum = plus(sum, mul(width, mul(density, rest)))
	}
	mean := over(mul(sum, long(step)), mul(long(z), longRoot2Pi))
	v, _ := plus(minus(long(1), a), mean).Float64()
	return v
}

// TestOneAndTwoReleases compares δ(ε) with numerical integration in long arithmetic: 1e-10 for the
// estimate, the proven upper bound at most 1e-6 above, the lower one as close as the width asks.
func TestOneAndTwoReleases(t *testing.T) {
	skipShort(t)
	for i, c := range []struct{ q, z, epsilon float64 }{{0.125, 1, 0.25}, {0.125, 1, 1}, {0.25, 0.75, 0.5}, {0.0625, 2, 0.0625}} {
		if !thorough && i != 0 {
			continue
		}
		one, _ := sampledOnce(c.q, c.z, longExp(long(c.epsilon))).Float64()
		for count, want := range map[int]float64{1: one, 2: sampledTwice(c.q, c.z, c.epsilon)} {
			v, err := lossDistributions{}.Delta(repeated(count, sampled(c.q, c.z)), c.epsilon, privacy.AddOrRemoveOne)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(v.Estimate-want) > 1e-10 {
				t.Errorf("%+v, %d releases: estimate %.14g, want %.14g, off by %.2g", c, count, v.Estimate, want, v.Estimate-want)
			}
			if v.Upper < want-1e-13 || v.Upper > want+1e-6 || v.Lower > want+1e-13 || v.Lower < want*(1-1e-4)-1e-6 {
				t.Errorf("%+v, %d releases: bounds %.12g to %.12g, want %.12g between them", c, count, v.Lower, v.Upper, want)
			}
		}
	}
}
