package kernel

import "math"

// Exp64 writes e^x for every entry of x to dst, in float64. The error was below 1.1 ulp for two
// million random arguments. From 709.7827128933841 on the result is +Inf, up to -745.1332191019412
// it is 0. Method and definition to the bit are as for Exp, and so are the conditions on dst. Every
// NaN result has the bits 0x7ff8000000000000.
func Exp64(dst, x []float64) { applyDouble(available, exponential, dst, x) }

// Sigmoid64 writes 1/(1+e^-x) for every entry of x to dst, in float64. The error was below 2.5 ulp
// for two million random arguments. Method and definition to the bit are as for Sigmoid, and so are
// the conditions on dst.
func Sigmoid64(dst, x []float64) { applyDouble(available, sigmoid, dst, x) }

// applyDouble is Exp64 or Sigmoid64 with the instructions of a set that the processor has.
func applyDouble(set instructions, f function, dst, x []float64) {
	dst = dst[:len(x)]
	if len(x) == 0 || applyDoubleVector(set, f, dst, x) {
		return
	}
	one := expOne64
	if f == sigmoid {
		one = sigmoidOne64
	}
	for j, v := range x {
		dst[j] = one(v)
	}
}

// expPolynomial64 has the coefficients of Q, ascending. Q is the polynomial of degree 9 that agrees
// with (e^r - 1 - r)/r² in the ten Chebyshev points of |r| ≤ ln(2)/2, rounded to float64. Its error
// is at most 1.2e-16, so that of r²·Q(r) is at most 1.5e-17 or 2^-55.9. A test recomputes it.
var expPolynomial64 = [10]float64{
	0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d68p-5, 0x1.11111111109b5p-7, 0x1.6c16c17889ef1p-10,
	0x1.a01a01a7c2efep-13, 0x1.a019b9149a41cp-16, 0x1.71de0db2f6b19p-19, 0x1.28917c89a43a7p-22, 0x1.af389ecfc4b9cp-26,
}

// These are the constants of the reduction, as for float32. ln2High64 has 42 significant bits, and
// its product with an integer of up to 11 bits is exact.
const (
	log2E64      = 0x1.71547652b82fep+0
	ln2High64    = 0x1.62e42fefa38p-1
	ln2Low64     = 0x1.ef35793c7673p-45
	roundShift64 = 0x1.8p+52

	roundShiftBits64 = 0x4338000000000000
	oneBits64        = 0x3ff0000000000000
	nanBits64        = 0x7ff8000000000000
	signBit64        = 0x8000000000000000
	halfBias         = 2048 // makes n positive before it is halved

	expLow64, expHigh64 = -746, 710 // beyond these the result is 0 or +Inf
)

// expOne64 is the definition of Exp64; see expParts and expOne.
func expOne64(x float64) float64 {
	if x != x {
		return math.Float64frombits(nanBits64)
	}
	x = min(max(x, expLow64), expHigh64)
	shifted := float64(x*log2E64) + roundShift64
	whole := shifted - roundShift64
	r := float64(x-float64(whole*ln2High64)) - float64(whole*ln2Low64)
	q := expPolynomial64[9]
	for i := 8; i >= 0; i-- {
		q = float64(q*r) + expPolynomial64[i]
	}
	p := r + float64(float64(r*r)*q)
	n := math.Float64bits(shifted) - roundShiftBits64
	half := (n+halfBias)>>1 - halfBias/2
	y := math.Float64frombits(math.Float64bits(1+p) + half<<52)
	return y * math.Float64frombits((n-half)<<52+oneBits64)
}

// sigmoidOne64 is the definition of Sigmoid64.
func sigmoidOne64(x float64) float64 {
	if x != x {
		return math.Float64frombits(nanBits64)
	}
	e := expOne64(math.Float64frombits(math.Float64bits(x) | signBit64))
	if math.Signbit(x) {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
