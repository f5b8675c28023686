package sample

import "math/bits"

// The sampler draws a discrete Gaussian whose standard deviation is 2^fineBits
// and rounds it to the grid. The scheme is Canonne, Kamath & Steinke, "The
// Discrete Gaussian for Differential Privacy" (NeurIPS 2020), algorithms 1–3,
// https://arxiv.org/abs/2004.00010, with scale t = 2^fineBits for the Laplace
// proposal, so that every probability is a dyadic rational or a power of 1/e.
const (
	fineBits = 58
	// tailUnits bounds the magnitude in standard deviations: proposals at or
	// beyond it are rejected.
	tailUnits = 16
	// MinGridBits and MaxGridBits bound the standard deviation 2^b of the grid.
	MinGridBits, MaxGridBits = 10, 50
	// SlackBits: within 15.9 standard deviations the natural logarithm of the
	// ratio of the executed probability of a grid value to that of the rounded
	// continuous Gaussian is at most 2^-SlackBits in magnitude.
	//
	// A grid cell holds 2^(fineBits-b) points of spacing h = 2^-fineBits standard
	// deviations, its lower end included. On [p, p+h] the density changes by a
	// factor within exp(±h·(|p|+h)), so sum and integral over a cell agree within
	// exp(±16.01·h), 16.01·2^-58 < 2^-53.9; the normalizers agree within
	// 2·exp(-2π²·2^116) (Poisson summation) and the truncated mass.
	SlackBits = 53
	// TailBits: under either law the probability of a magnitude beyond 15.9
	// standard deviations is at most 2^-TailBits (2·(1-Φ(15.9)) < 2^-184; cells
	// are at most 2^-MinGridBits wide).
	TailBits = 180
)

// RoundedGaussian fills dst with independent draws of round(Z), Z normal with mean 0
// and standard deviation 2^gridBits, MinGridBits ≤ gridBits ≤ MaxGridBits, up to
// the slack that SlackBits and TailBits state. Rounding is an arithmetic shift
// (half upward), which commutes with adding an integer.
func (s *Stream) RoundedGaussian(dst []int64, gridBits uint) {
	if gridBits < MinGridBits || gridBits > MaxGridBits {
		panic("sample: the grid's standard deviation is outside its range")
	}
	shift := fineBits - gridBits
	half := int64(1) << (shift - 1)
	for i := range dst {
		dst[i] = (s.fineGaussian() + half) >> shift
	}
}

// fineGaussian draws the discrete Gaussian of standard deviation σ = 2^fineBits:
// a discrete Laplace Y of scale σ, kept with probability
// exp(-(|Y|-σ)²/(2σ²)).
func (s *Stream) fineGaussian() int64 {
	for {
		y, negative := s.fineLaplace()
		w := y - 1<<fineBits
		if w < 0 {
			w = -w
		}
		if !s.bernoulliExpHalfSquare(uint64(w)) {
			continue
		}
		if negative {
			return -y
		}
		return y
	}
}

// fineLaplace draws the magnitude and sign of a discrete Laplace of scale
// 2^fineBits, conditioned on a magnitude below tailUnits times the scale.
func (s *Stream) fineLaplace() (magnitude int64, negative bool) {
	for {
		first := s.Word()
		u := first >> (64 - fineBits)
		if !s.bernoulliExp(u) {
			continue
		}
		v := int64(0)
		for v < tailUnits && s.bernoulliExpMinusOne() {
			v++
		}
		if v == tailUnits {
			continue
		}
		magnitude = int64(u) + v<<fineBits
		negative = first&1 == 1
		if negative && magnitude == 0 {
			continue
		}
		return magnitude, negative
	}
}

// bernoulliExp is true with probability exp(-u/2^fineBits), u < 2^fineBits.
func (s *Stream) bernoulliExp(u uint64) bool {
	k := uint64(1)
	for s.Word()>>(64-fineBits) < u && s.oneIn(k) {
		k++
	}
	return k&1 == 1
}

// bernoulliExpMinusOne is true with probability exp(-1).
func (s *Stream) bernoulliExpMinusOne() bool {
	k := uint64(1)
	for s.oneIn(k) {
		k++
	}
	return k&1 == 1
}

// oneIn is true with probability 1/k.
func (s *Stream) oneIn(k uint64) bool { return k == 1 || s.Below(k) == 0 }

// bernoulliExpHalfSquare is true with probability exp(-(w/2^fineBits)²/2),
// w < tailUnits·2^fineBits. The exponent has 2·fineBits+1 fractional bits.
func (s *Stream) bernoulliExpHalfSquare(w uint64) bool {
	const fraction = 2*fineBits + 1
	high, low := bits.Mul64(w, w)
	for whole := high >> (fraction - 64); whole > 0; whole-- {
		if !s.bernoulliExpMinusOne() {
			return false
		}
	}
	high &= 1<<(fraction-64) - 1
	k := uint64(1)
	for s.below128(high, low, fraction-64) && s.oneIn(k) {
		k++
	}
	return k&1 == 1
}

// below128 is true with probability (high·2^64+low)/2^(64+highBits): it compares
// that number with as many uniform bits, reading the lower word only on a tie.
func (s *Stream) below128(high, low uint64, highBits uint) bool {
	u := s.Word() >> (64 - highBits)
	if u != high {
		return u < high
	}
	return s.Word() < low
}
