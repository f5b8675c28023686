package predict

// largest is the largest float64.
const largest = 0x1.fffffffffffffp1023

// These are variables, since no constant is infinite or NaN.
var (
	maximum  = largest
	infinity = 2 * maximum
	nan      = infinity - infinity
)

// The first 37 bits of the logarithm of 2 are apart from the others, so that their products with exponents are exact.
const (
	ln2     = 0.6931471805599453094172321214581765680755001343602552541206800095
	ln2High = 0x1.62e42fefap-1
	ln2Low  = ln2 - ln2High
)

// powers are powers of 2 and their inverses.
var powers = [...]struct {
	n        int
	up, down float64
}{
	{512, 0x1p512, 0x1p-512}, {256, 0x1p256, 0x1p-256}, {128, 0x1p128, 0x1p-128}, {64, 0x1p64, 0x1p-64}, {32, 0x1p32, 0x1p-32},
	{16, 0x1p16, 0x1p-16}, {8, 0x1p8, 0x1p-8}, {4, 0x1p4, 0x1p-4}, {2, 0x1p2, 0x1p-2}, {1, 0x1p1, 0x1p-1},
}

// twoTo returns 2 to the power of n, for n from -1022 to 1023.
func twoTo(n int) float64 {
	p := 1.0
	for _, s := range powers {
		if n >= s.n {
			p, n = p*s.up, n-s.n
		} else if n <= -s.n {
			p, n = p*s.down, n+s.n
		}
	}
	return p
}

// scale returns x times 2 to the power of n, for n from -2044 to 2046. The result may be subnormal or infinite.
func scale(x float64, n int) float64 { return x * twoTo(n/2) * twoTo(n-n/2) }

// split returns numbers with x = f·2ⁿ and 1/2 ≤ f < 1, for a finite x above 0.
func split(x float64) (f float64, n int) {
	f = x
	for _, s := range powers {
		for f >= s.up {
			f, n = f*s.down, n+s.n
		}
		for f < s.down {
			f, n = f*s.up, n-s.n
		}
	}
	if f >= 1 {
		f, n = f/2, n+1
	}
	return f, n
}

// exp returns the exponential of x. It errs by less than 1 unit in the last place, also where it is
// subnormal. It writes x as k·ln 2 + r with |r| ≤ ln 2 / 2, and sums the Taylor series of r.
func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 710:
		return infinity
	case x < -746:
		return 0
	}
	k := int(x/ln2+2000.5) - 2000 // rounded to the nearest integer
	high, low := x-float64(k)*ln2High, float64(k)*ln2Low
	r := high - low
	low = (high - r) - low // what the rounding of r lost
	sum := 0.0
	for n := 14.0; n > 2; n-- { // r²/2! + r³/3! + …, apart from the factor r²/2
		sum = (1 + sum) * (r / n)
	}
	return scale(1+(r+(low+r*r/2*(1+sum))), k)
}

// log1p returns the logarithm of 1 + x, for x ≥ 0. It errs by less than 1 unit in the last place.
// It writes 1 + x as (1 + f)·2ᵏ with 1 + f near 1. With s = f/(2 + f), the logarithm of 1 + f is
// the series 2·(s + s³/3 + s⁵/5 + …), and 2·s is f - f²/2 + s·f²/2.
func log1p(x float64) float64 {
	if !(x < infinity) {
		return x
	}
	f, k, lost := x, 0, 0.0
	if x > 0.4 {
		u := 1 + x
		if lost = x - (u - 1); x > 1 {
			lost = 1 - (u - x)
		}
		lost /= u
		if f, k = split(u); f < 0.7 {
			f, k = 2*f, k-1
		}
		f--
	}
	s, half, sum := f/(2+f), f*f/2, 0.0
	for n := 21.0; n > 1; n -= 2 { // 2·s²/3 + 2·s⁴/5 + …
		sum = (sum + 2/n) * (s * s)
	}
	return float64(k)*ln2High + (f - (half - (s*(half+sum) + (float64(k)*ln2Low + lost))))
}

// sqrt returns the square root of x, by steps of Newton's method. It errs by at most 1 unit in the last place.
func sqrt(x float64) float64 {
	if !(x > 0 && x < infinity) {
		if x < 0 {
			return nan
		}
		return x
	}
	f, n := split(x)
	if n%2 != 0 {
		f, n = f/2, n+1
	}
	root := 0.3 + 0.7*f
	for step := 0; step < 4; step++ {
		root = (root + f/root) / 2
	}
	return scale(root, n/2)
}
