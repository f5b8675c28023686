package sample

// DiscreteGaussian fills dst with independent integers x of probability proportional to
// exp(-x²/(2·σ²)), σ = numerator/denominator, exactly: the discrete Gaussian distribution. Its
// standard deviation is at most σ, and nearly σ unless σ is below 1.
//
// It panics unless 1 ≤ numerator ≤ MaxScaleNumerator and denominator ≥ 1. Magnitudes are below
// 2^63; the Laplace proposal ends the program beyond 1024·σ, with probability below 2^-1477 a
// proposal. The mean number of proposals is below 1.8 at every σ.
//
// Its accounting is not that of the rounded continuous Gaussian: for integer vectors it has
// the Rényi divergences of the continuous mechanism, but not its trade-off curve.
func (s *Stream) DiscreteGaussian(dst []int64, numerator, denominator uint64) {
	checkScale(numerator, denominator)
	for i := range dst {
		dst[i] = s.discreteNormal(numerator, denominator)
	}
	s.forget()
}

// discreteNormal draws one integer of the discrete Gaussian distribution of parameter σ = a/b: a
// discrete Laplace y of scale t, kept with probability exp(-(|y|-σ²/t)²/(2σ²)) (algorithm 3 there).
// The product with exp(-|y|/t) is exp(-y²/(2σ²)) times exp(-σ²/(2t²)), which does not depend on y;
// so the distribution is right for every t > 0. There t is ⌊σ⌋+1. Here t is σ, which makes the
// exponent ((|y|·b-a)/a)²/2, with numbers of 63 bits: |y|·b < 1024·a.
//
// A proposal is kept with probability exp(-1/2)·Σexp(-x²/(2σ²))/Σexp(-|x|/σ), which is nowhere
// below 0.55. Its limits are 0.60 for small σ and 0.76 for large σ.
func (s *Stream) discreteNormal(a, b uint64) int64 {
	for {
		y := s.laplace(a, b)
		product := uint64(max(y, -y)) * b
		if s.halfSquareCoin(max(product, a)-min(product, a), a) {
			return y
		}
	}
}
