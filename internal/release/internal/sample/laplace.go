package sample

// MaxScaleNumerator is the largest numerator of a scale: with it every intermediate number of
// the discrete samplers stays below 2^63.
const MaxScaleNumerator = 1 << 53

// wholeScales bounds the magnitude of a draw in units of the scale. A draw that reaches it,
// with probability exp(-1024) < 2^-1477, ends the program: it is neither cut nor wrapped.
const wholeScales = 1024

// DiscreteLaplace fills dst with independent integers x of probability proportional to
// exp(-|x|·denominator/numerator), exactly: the discrete Laplace distribution of scale
// numerator/denominator. As a vector dst has probability proportional to
// exp(-‖x‖₁·denominator/numerator). So this is also the K-norm noise of the l1 norm on the integer
// lattice (Hardt & Talwar, "On the Geometry of Differential Privacy", STOC 2010,
// https://arxiv.org/abs/0907.3754).
//
// It panics unless 1 ≤ numerator ≤ MaxScaleNumerator and denominator ≥ 1. Magnitudes are below
// 2^63; a draw that would be larger than 1024 scales ends the program, with probability below
// 2^-1477.
func (s *Stream) DiscreteLaplace(dst []int64, numerator, denominator uint64) {
	checkScale(numerator, denominator)
	for i := range dst {
		dst[i] = s.laplace(numerator, denominator)
	}
	s.forget()
}

// checkScale panics on a scale that the discrete samplers do not serve.
func checkScale(numerator, denominator uint64) {
	if numerator < 1 || numerator > MaxScaleNumerator || denominator < 1 {
		panic("sample: the scale is outside its range")
	}
}

// laplace draws one integer of the discrete Laplace distribution of scale n/d (algorithm 2 there):
// a geometric magnitude and a fair sign. The pair (0, negative) is drawn again. Without that, zero
// would have two ways to come up and every other integer one.
func (s *Stream) laplace(n, d uint64) int64 {
	for {
		magnitude := int64(s.geometric(n, d))
		negative := s.Word()>>63 == 1
		switch {
		case !negative:
			return magnitude
		case magnitude != 0:
			return -magnitude
		}
	}
}

// geometric draws an integer y ≥ 0 with probability (1-r)·r^y, r = exp(-d/n). The result
// times d is below 1024·n ≤ 2^63.
//
// Let u be uniform on [0, n), kept with probability exp(-u/n), and let v count the successes,
// of probability 1/e each, before the first failure. Then x = u + n·v, in which each integer
// x ≥ 0 comes about in one way, has probability proportional to exp(-u/n - v) = exp(-x/n). And
// y = ⌊x/d⌋ collects d successive integers, so that P(y+1)/P(y) = exp(-d/n).
func (s *Stream) geometric(n, d uint64) uint64 {
	u := s.Below(n)
	for !s.expCoin(u, n) {
		u = s.Below(n)
	}
	return (u + n*s.wholes()) / d
}

// wholes draws the integer part of an exponential number: v ≥ 0 with probability
// (1-1/e)·exp(-v), below wholeScales.
func (s *Stream) wholes() uint64 {
	v := uint64(0)
	for s.inverseECoin() {
		v++
		if v == wholeScales {
			panic("sample: a draw is beyond 1024 scales")
		}
	}
	return v
}
