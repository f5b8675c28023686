package kernel

import "math"

// The functions of this file are defined to the bit. Each is one sequence of float32 additions,
// multiplications and divisions, and of operations on the bits. Every operation is rounded by
// itself (no fused multiply-add). The kernels for vector instructions perform the same sequence in
// every lane. The result for an element therefore depends on this element only. It does not depend
// on neighbors, place in the slice, length, processor or build. A model's margins may thus be
// turned into gradients record by record or all at once.
//
// Every NaN result has the bits 0x7fc00000. Subnormal numbers are arguments and results like
// others. The error bounds are in units in the last place (ulp) of the exact result. They come from
// all 2^32 arguments; the tests repeat this (tag long, -argument-stride 1).

// Exp writes e^x for every entry of x to dst. The error is below 1.1 ulp. Exp(-Inf) is 0 and
// Exp(+Inf) is +Inf; above 88.72284 the result is +Inf, below -103.97208 it is 0.
//
// dst must be at least as long as x, and may be x; otherwise the two must not overlap. The same
// holds for the other functions here.
//
// The method is from P. Tang, "Table-driven implementation of the exponential function in IEEE
// floating-point arithmetic", ACM Transactions on Mathematical Software 15 (1989), without a table.
// It uses x = n·ln 2 + r with |r| ≤ ln(2)/2 and ln 2 in two parts. Then e^x = 2^n·(1 + (r +
// r²·Q(r))). See expPolynomial for Q.
func Exp(dst, x []float32) { apply(available, exponential, dst, x) }

// Log writes the natural logarithm of every entry of x to dst. The error is below 0.9 ulp. Log(±0)
// is -Inf, Log(+Inf) is +Inf, and the logarithm of a negative number is NaN.
//
// The method uses x = 2^k·(1+f) with 1+f between √½ and √2. Then log x = k·ln 2 + (f - f²/2 +
// f³·P(f)), with ln 2 in two parts. See logPolynomial for P.
func Log(dst, x []float32) { apply(available, logarithm, dst, x) }

// Sigmoid writes 1/(1+e^-x) for every entry of x to dst. The error is below 2.5 ulp. Sigmoid(-Inf)
// is 0 and Sigmoid(+Inf) is 1. With e = e^-|x| from Exp, the result is 1/(1+e) for x ≥ 0 and
// e/(1+e) for x < 0. Small results therefore keep their digits.
func Sigmoid(dst, x []float32) { apply(available, sigmoid, dst, x) }

// Tanh writes the hyperbolic tangent of every entry of x to dst. The error is below 2.6 ulp.
// Tanh(±0) is ±0 and Tanh(±Inf) is ±1. The result is -m/(m+2) with the sign of x. Here m =
// e^(-2|x|) - 1 = 2^n·p + (2^n - 1) and p = r + r²·Q(r) as in Exp. Small results therefore keep
// their digits.
func Tanh(dst, x []float32) { apply(available, tanh, dst, x) }

// function is the number of a function of one variable.
type function uint8

const (
	exponential function = iota
	logarithm
	sigmoid
	tanh
)

// apply is one of the functions with a set of instructions that the processor has.
func apply(set instructions, f function, dst, x []float32) {
	dst = dst[:len(x)]
	if len(x) == 0 || applyVector(set, f, dst, x) {
		return
	}
	one := [...]func(float32) float32{expOne, logOne, sigmoidOne, tanhOne}[f]
	for j, v := range x {
		dst[j] = one(v)
	}
}

// expPolynomial has the coefficients of Q, ascending. Q is the polynomial of degree 4 that agrees
// with (e^r - 1 - r)/r² in the five Chebyshev points of |r| ≤ ln(2)/2, rounded to float32. Its
// error is at most 6.5e-8, so that of r²·Q(r) is at most 7.9e-9 or 2^-26.9. A test recomputes it.
var expPolynomial = [5]float32{0x1p-1, 0x1.5554dep-3, 0x1.55551ap-5, 0x1.120b62p-7, 0x1.6d10fcp-10}

// logPolynomial has the coefficients of P, ascending. P is the polynomial of degree 8 that agrees
// with (log(1+f) - f + f²/2)/f³ in the nine Chebyshev points of √½-1 ≤ f ≤ √2-1, rounded to
// float32. Its error is at most 3.0e-8, so that of f³·P(f) is at most 2.1e-9. A test recomputes it.
var logPolynomial = [9]float32{
	0x1.555554p-2, -0x1.fffffcp-3, 0x1.999d5ap-3, -0x1.555b4ap-3, 0x1.23d21ap-3,
	-0x1.fcf4c6p-4, 0x1.dea282p-4, -0x1.d635bcp-4, 0x1.1d8ea4p-4,
}

// These are the constants of the reduction. ln2High has 15 significant bits, so its product with an
// integer of up to 9 bits is exact. ln2Low is ln 2 - ln2High, rounded. Adding roundShift rounds a
// number below 2^22 to an integer, which its lower bits then hold.
const (
	log2E      = 0x1.715476p+0
	ln2High    = 0x1.62e4p-1
	ln2Low     = 0x1.7f7d1cp-20
	roundShift = 0x1.8p+23

	roundShiftBits = 0x4b400000
	oneBits        = 0x3f800000
	nanBits        = 0x7fc00000
	sqrtHalfBits   = 0x3f3504f3 // √½
	signBit        = 0x80000000

	expLow, expHigh = -104, 89 // beyond these the result is 0 or +Inf
	tanhLow         = -40      // e^-40 vanishes against 1
	smallestNormal  = 0x1p-126
)

// expParts returns the integer n and p = e^r - 1, where x = n·ln 2 + r. x is between expLow and
// expHigh, or NaN, when the result means nothing.
func expParts(x float32) (n int32, p float32) {
	shifted := float32(x*log2E) + roundShift
	whole := shifted - roundShift
	r := float32(x-float32(whole*ln2High)) - float32(whole*ln2Low)
	q := expPolynomial[4]
	for i := 3; i >= 0; i-- {
		q = float32(q*r) + expPolynomial[i]
	}
	n = int32(math.Float32bits(shifted) - roundShiftBits)
	return n, r + float32(float32(r*r)*q)
}

// expOne is the definition of Exp. It multiplies with 2^n in two steps, the first exact.
func expOne(x float32) float32 {
	if x != x {
		return math.Float32frombits(nanBits)
	}
	n, p := expParts(min(max(x, expLow), expHigh))
	half := n >> 1
	y := math.Float32frombits(math.Float32bits(1+p) + uint32(half<<23))
	return y * math.Float32frombits(uint32((n-half)<<23+oneBits))
}

// sigmoidOne is the definition of Sigmoid.
func sigmoidOne(x float32) float32 {
	if x != x {
		return math.Float32frombits(nanBits)
	}
	e := expOne(math.Float32frombits(math.Float32bits(x) | signBit))
	if math.Signbit(float64(x)) {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// tanhOne is the definition of Tanh. m is at most 0 and never -0, so that clearing the sign
// of m negates it.
func tanhOne(x float32) float32 {
	if x != x {
		return math.Float32frombits(nanBits)
	}
	sign := math.Float32bits(x) & signBit
	y := math.Float32frombits(math.Float32bits(x) | signBit)
	n, p := expParts(max(y+y, tanhLow))
	scale := math.Float32frombits(uint32(n<<23 + oneBits))
	m := float32(scale*p) + (scale - 1)
	y = math.Float32frombits(math.Float32bits(m)&^signBit) / (m + 2)
	return math.Float32frombits(math.Float32bits(y) | sign)
}

// logOne is the definition of Log. A subnormal x is first multiplied with 2^23.
func logOne(x float32) float32 {
	switch {
	case !(x >= 0):
		return math.Float32frombits(nanBits)
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	shift := float32(0)
	if x < smallestNormal {
		x, shift = x*0x1p23, -23
	}
	bits := int32(math.Float32bits(x))
	k := (bits - sqrtHalfBits) >> 23
	f := math.Float32frombits(uint32(bits-k<<23)) - 1
	whole := float32(k) + shift
	p := logPolynomial[8]
	for i := 7; i >= 0; i-- {
		p = float32(p*f) + logPolynomial[i]
	}
	square := float32(f * f)
	low := float32(whole*ln2Low) + float32(float32(square*f)*p)
	return float32(whole*ln2High) + (f + (low - float32(0.5*square)))
}
