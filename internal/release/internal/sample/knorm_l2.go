package sample

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

const (
	// MaxL2Dimension is the largest dimension that RoundedL2 serves.
	MaxL2Dimension = 4096
	// MaxL2ScaleBits is the base-2 logarithm of the largest scale that RoundedL2 serves.
	MaxL2ScaleBits = 48
	// L2SlackBits bounds a total variation distance in d dimensions by d·2^-L2SlackBits. It is the
	// distance between a vector of RoundedL2 and the rounded continuous vector.
	//
	// Proof. Write F for fractionBits = 512, and let continuous draws stand next to the executed
	// ones.
	//
	//  1. An exponential number E is executed as ⌊2^F·E⌋/2^F. It has exactly the distribution of
	//     that expression, except that the program ends beyond 1024, with probability exp(-1024).
	//  2. A point of the square is executed as the middle of its cell of side 2^(1-F). The two
	//     decide differently about the disk only in cells that meet the circle. These lie in a ring
	//     of width √2·2^(2-F). So a try meets one with probability at most π·√2·2^(1-F), and until
	//     a point is kept some try does with probability at most 2^(5-F).
	//  3. Leave out two events. Some E is outside [2^-228, 2^8], or some point has a squared
	//     distance S < 2^-228 from the center (S is uniform on (0, 1)). There are d+1 numbers and
	//     at most d/2+1 points, and a vector has d ≥ 1. So the events of 1 to 3 together have
	//     probability below d·2^-225.
	//  4. Else each E moves by a factor between 1-2^-284 and 1, and each unit vector V/√S by less
	//     than 2·√2·2^-F/√S < 2^-396. So W (see RoundedL2), which is at most (d+2)·2^8 < 2^21 and
	//     at least 2^-227, moves by at most 2^-284·W + 2^-386. And √W moves by at most 2^-284·√W +
	//     2^-386/√W < 2^-271. And √(2E) < 2^4.5 moves by less than 2^-279. Hence √(W·2E)·V/√S, a
	//     product of three factors, moves by less than 2^(4.5-271) + 2^(10.5-279) + 2^(15-396) <
	//     2^-266 = η.
	//  5. From the executed draws on, the computation is exact. So the two roundings of a
	//     coordinate z of scale c = t differ only if the continuous z lies within e = c·η of a
	//     half-integer. Its density is a mixture of normal ones about 0, hence unimodal and
	//     symmetric, and at most E[1/√W]/(c·√(2π)) ≤ 1/(2c), the value for d = 1. Next to each
	//     half-integer but ±½ the density is at most its mean over the unit interval that ends
	//     there toward 0. So z lies within e of some half-integer with probability at most
	//     2e·(2/(2c) + 1) = 2η·(1 + c) ≤ 2^-265·(1 + 2^48) < 2^-216.
	//
	// The sum of 3 and of 5 over d coordinates, and of the end of the program for magnitudes
	// beyond 2^62 (below 2^-7000: the length is a Gamma number, and Chernoff's bound for it
	// at 2^14 is 2^d·exp(-2^13)), is below d·2^-215.
	L2SlackBits = 210
)

// RoundedL2 fills dst with round(z), K-norm noise of the Euclidean norm. Here z is a continuous
// vector of density proportional to exp(-‖z‖₂/t), with t = numerator/denominator. The dimension d
// is len(dst). The distribution is met up to d·2^-L2SlackBits in total variation: it is not called
// exact. Rounding is to the nearest integer. It commutes with adding an integer vector f, so
// f + round(z) is a function of f + z.
//
// It panics unless d ≤ MaxL2Dimension, 1 ≤ numerator ≤ MaxScaleNumerator, denominator ≥ 1, and
// t ≤ 2^MaxL2ScaleBits.
//
// The vector z is drawn as t·√W·g, with g standard normal and W an independent chi-square
// number of d+1 degrees of freedom. For √W·g = y has density proportional to
//
//	∫ w^((d-1)/2)·exp(-w/2) · w^(-d/2)·exp(-‖y‖²/(2w)) dw = 2·∫ exp(-(x² + ‖y‖²/x²)/2) dx
//
// over the positive reals, with w = x². The exponent is -(x - ‖y‖/x)²/2 - ‖y‖, and
// ∫ f((x - r/x)²) dx = ∫ f(x²) dx (Cauchy and Schlömilch; Amdeberhan and others, "The
// Cauchy-Schlömilch transformation", 2010, https://arxiv.org/abs/1004.2445). What is left is a
// constant times exp(-‖y‖). In particular ‖y‖ is Gamma(d) and y/‖y‖ uniform on the sphere.
//
// A pair of normal numbers is √(2E)·(V1, V2)/√S with an exponential E and a point (V1, V2)
// uniform on the unit disk, S = V1²+V2² (Marsaglia and Bray, "A Convenient Method for Generating
// Normal Variables", SIAM Review 1964; there E is -ln S, which is independent of the direction
// too). Sums of 2E give chi-square numbers. So every z² is a rational number of what is drawn,
// and no logarithm and no floating-point number is needed.
func (s *Stream) RoundedL2(dst []int64, numerator, denominator uint64) {
	checkEuclidean(len(dst), numerator, denominator)
	if len(dst) == 0 {
		return
	}
	var v radial
	v.begin(s, len(dst)+1, numerator, denominator)
	v.fill(s, dst)
	s.forget()
}

// checkEuclidean panics on what RoundedL2 does not serve.
func checkEuclidean(dimension int, numerator, denominator uint64) {
	checkScale(numerator, denominator)
	if dimension > MaxL2Dimension {
		panic("sample: the dimension is outside its range")
	}
	if high, low := bits.Mul64(denominator, 1<<MaxL2ScaleBits); high == 0 && numerator > low {
		panic("sample: the scale is outside its range")
	}
}

// radial holds the draws after one vector, as integers: t²·W = 2·up/(down·2^F) with F =
// fractionBits, and of the current pair of normal numbers the exponential energy/2^F and the point
// of the disk.
type radial struct {
	up, down, energy big.Int
	point            diskPoint
	pairUp, pairDown big.Int
	number, rest     big.Int // space for intermediate results
}

// begin draws W, a chi-square number of the given degrees of freedom: 2E for each two, and for
// an odd one the square of a normal number, 2E·x²/(x²+y²).
func (v *radial) begin(s *Stream, degrees int, numerator, denominator uint64) {
	v.down.SetUint64(1)
	for range degrees / 2 {
		s.exponential(&v.energy)
		v.up.Add(&v.up, &v.energy)
	}
	if degrees%2 == 1 {
		s.exponential(&v.energy)
		s.disk(&v.point)
		v.number.Mul(&v.point.x, &v.point.x)
		v.rest.Mul(&v.number, &v.energy)
		v.number.Mul(&v.up, &v.point.square)
		v.up.Add(&v.number, &v.rest)
		v.down.Set(&v.point.square)
	}
	v.timesSquare(&v.up, numerator)
	v.timesSquare(&v.down, denominator)
}

// timesSquare multiplies x, which is not one of the spaces, by n².
func (v *radial) timesSquare(x *big.Int, n uint64) {
	v.number.SetUint64(n)
	v.rest.Mul(x, &v.number)
	x.Mul(&v.rest, &v.number)
}

// fill sets dst to the rounded vector; two coordinates take one pair of normal numbers.
func (v *radial) fill(s *Stream, dst []int64) {
	for i := range dst {
		if i%2 == 0 {
			v.pair(s)
			dst[i] = v.round(&v.point.x)
		} else {
			dst[i] = v.round(&v.point.y)
		}
	}
}

// pair draws the next two normal numbers.
func (v *radial) pair(s *Stream) {
	s.exponential(&v.energy)
	s.disk(&v.point)
	v.pairUp.Mul(&v.up, &v.energy)
	v.pairDown.Mul(&v.down, &v.point.square)
}

// round returns the nearest integer to z = t·√W·√(2E)·part/√S with no error. Here part is a
// coordinate of the point and S its squared distance from the center: |z|+½ rounded down is
// ⌊(⌊2|z|⌋+1)/2⌋, and ⌊2|z|⌋ is the integer root of ⌊4z²⌋, where 4z² =
// 16·part²·up·energy/(down·S·2^(2F)). A half is rounded away from zero.
func (v *radial) round(part *big.Int) int64 {
	v.number.Mul(part, part)
	v.rest.Mul(&v.number, &v.pairUp)
	v.number.Rsh(&v.rest, 2*fractionBits-4)
	v.rest.Quo(&v.number, &v.pairDown)
	if v.rest.BitLen() > 126 {
		panic("sample: a draw is beyond 2^62")
	}
	magnitude := int64((root(&v.rest) + 1) / 2)
	if part.Sign() < 0 {
		return -magnitude
	}
	return magnitude
}

// root returns ⌊√n⌋ for 0 ≤ n < 2^126, by Newton's iteration from above. It keeps x ≥ ⌊√n⌋. If q =
// ⌊n/x⌋ ≥ x then x² ≤ n and x is the root. Else ⌊(x+q)/2⌋ is smaller than x and, since (x + n/x)/2
// ≥ √n, still at least ⌊√n⌋. The quotients fit 64 bits, as x > √n/2 > n/2^64.
func root(n *big.Int) uint64 {
	if n.Sign() == 0 {
		return 0
	}
	var text [16]byte
	n.FillBytes(text[:])
	high, low := binary.BigEndian.Uint64(text[:8]), binary.BigEndian.Uint64(text[8:])
	x := uint64(1) << ((n.BitLen() + 1) / 2)
	for {
		q, _ := bits.Div64(high, low, x)
		if q >= x {
			return x
		}
		x = (x + q) / 2
	}
}
