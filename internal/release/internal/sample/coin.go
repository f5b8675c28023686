package sample

// The samplers of this file, of laplace.go and of discretegaussian.go follow Canonne, Kamath &
// Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020,
// https://arxiv.org/abs/2004.00010. The word "there" refers to this source. They, and those of
// knorm.go, which build on them, are exact: given uniform bits, every probability is the stated
// one, with no rounding anywhere. Their running time depends on what is drawn.

// BernoulliExp is true with probability exp(-numerator/denominator), exactly. Every
// numerator is allowed, 0 included, and every denominator but 0, on which it panics. It reads
// less than 8 words on average and never overflows.
func (s *Stream) BernoulliExp(numerator, denominator uint64) bool {
	if denominator == 0 {
		panic("sample: the denominator of an exponent is 0, want at least 1")
	}
	result := s.expCoin(numerator, denominator)
	s.forget()
	return result
}

// coin is true with probability n/d, d > 0, and surely if n ≥ d. What is certain reads no word.
func (s *Stream) coin(n, d uint64) bool { return n >= d || n > 0 && s.Below(d) < n }

// expCoin is true with probability exp(-n/d), d > 0 (algorithm 1 there).
//
// Write n/d = w + g with an integer w and 0 ≤ g < 1. Then exp(-n/d) is the probability that w
// coins of probability 1/e and one of exp(-g) are all true. For the last one, toss coins of
// probability g/1, g/2, g/3, … until one is false, and let K be the number of tosses:
// K > k has probability g^k/k!, so that K is odd with probability
// Σ over even k of (g^k/k! - g^(k+1)/(k+1)!) = exp(-g). A coin of g/K is true when a coin of g
// and one of 1/K are, so no product is formed. Nor can K overflow: it passes 30 with
// probability below 1/30!, and 2^64 not within any running time.
func (s *Stream) expCoin(n, d uint64) bool {
	for whole := n / d; whole > 0; whole-- {
		if !s.inverseECoin() {
			return false
		}
	}
	n %= d
	k := uint64(1)
	for s.coin(n, d) && s.coin(1, k) {
		k++
	}
	return k&1 == 1
}

// inverseECoin is true with probability exp(-1): the rule of expCoin at g = 1.
func (s *Stream) inverseECoin() bool {
	k := uint64(1)
	for s.coin(1, k) {
		k++
	}
	return k&1 == 1
}

// halfSquareCoin is true with probability exp(-(w/a)²/2), a > 0. It wants w/a < 1024 and
// a ≤ MaxScaleNumerator, so that no product below reaches 2^63.
//
// With w = q·a + r, 0 ≤ r < a, the exponent is q²/2 + q·r/a + (r/a)²/2, and the probability
// the product of three. The last exponent, g, is below 1; a coin of g/K is two coins of r/a
// and one of 1/(2K).
func (s *Stream) halfSquareCoin(w, a uint64) bool {
	q, r := w/a, w%a
	if !s.expCoin(q*q, 2) || !s.expCoin(q*r, a) {
		return false
	}
	k := uint64(1)
	for s.squareCoin(r, a) && s.coin(1, 2*k) {
		k++
	}
	return k&1 == 1
}

// squareCoin is true with probability (n/d)²: two coins of n/d.
func (s *Stream) squareCoin(n, d uint64) bool {
	if !s.coin(n, d) {
		return false
	}
	return s.coin(n, d)
}
