package sample

import (
	"crypto/rand"
	"math"
	"math/big"
	"math/bits"
	"testing"
)

// referenceBits: the reference sampler's standard deviation is 2^referenceBits.
const referenceBits = 58

// referenceGaussian draws what RoundedGaussian draws, by another algorithm that shares
// nothing with it but the stream: the discrete Gaussian of standard deviation
// 2^referenceBits, rounded. Canonne, Kamath & Steinke, "The Discrete Gaussian for
// Differential Privacy" (NeurIPS 2020), algorithms 1-3, https://arxiv.org/abs/2004.00010,
// with scale 2^referenceBits for the Laplace proposal, so that every probability is a
// dyadic rational or a power of 1/e.
func (s *Stream) referenceGaussian(gridBits uint) int64 {
	shift := referenceBits - gridBits
	return (s.discreteGaussian() + int64(1)<<(shift-1)) >> shift
}

// discreteGaussian draws the discrete Gaussian of standard deviation σ = 2^referenceBits:
// a discrete Laplace Y of scale σ, kept with probability
// exp(-(|Y|-σ)²/(2σ²)).
func (s *Stream) discreteGaussian() int64 {
	for {
		y, negative := s.discreteLaplace()
		w := y - 1<<referenceBits
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

// discreteLaplace draws the magnitude and sign of a discrete Laplace of scale
// 2^referenceBits, conditioned on a magnitude below tailUnits times the scale.
func (s *Stream) discreteLaplace() (magnitude int64, negative bool) {
	for {
		first := s.Word()
		u := first >> (64 - referenceBits)
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
		magnitude = int64(u) + v<<referenceBits
		negative = first&1 == 1
		if negative && magnitude == 0 {
			continue
		}
		return magnitude, negative
	}
}

// bernoulliExp is true with probability exp(-u/2^referenceBits), u < 2^referenceBits.
func (s *Stream) bernoulliExp(u uint64) bool {
	k := uint64(1)
	for s.Word()>>(64-referenceBits) < u && s.oneIn(k) {
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

// bernoulliExpHalfSquare is true with probability exp(-(w/2^referenceBits)²/2),
// w < tailUnits·2^referenceBits. The exponent has 2·referenceBits+1 fractional bits.
func (s *Stream) bernoulliExpHalfSquare(w uint64) bool {
	const fraction = 2*referenceBits + 1
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

// TestBernoulliPrimitives compares the three Bernoulli primitives with their
// probabilities, each at 10^6 draws.
func TestBernoulliPrimitives(t *testing.T) {
	const n = 1000000
	s := fixed(7)
	half := uint64(1) << (referenceBits - 1)
	cases := []struct {
		name string
		p    float64
		draw func() bool
	}{
		{"exp(-1)", math.Exp(-1), s.bernoulliExpMinusOne},
		{"exp(-1/2)", math.Exp(-0.5), func() bool { return s.bernoulliExp(half) }},
		{"exp(0)", 1, func() bool { return s.bernoulliExp(0) }},
		{"exp(-(3/2)^2/2)", math.Exp(-1.125), func() bool { return s.bernoulliExpHalfSquare(3 * half) }},
		{"exp(-(1/2)^2/2)", math.Exp(-0.125), func() bool { return s.bernoulliExpHalfSquare(half) }},
		{"exp(-2)", math.Exp(-2), func() bool { return s.bernoulliExpHalfSquare(4 * half) }},
	}
	for _, c := range cases {
		hits := 0.0
		for range n {
			if c.draw() {
				hits++
			}
		}
		sd := math.Sqrt(n*c.p*(1-c.p)) + 1e-9
		if z := (hits - n*c.p) / sd; math.Abs(z) > 6 {
			t.Errorf("%s: %v of %d, z is %.2f, want within 6", c.name, hits, n, z)
		}
	}
}

// bigGaussian is the textbook sampler of Canonne, Kamath & Steinke (algorithms
// 1–3) in rational arithmetic, for any integer standard deviation: the oracle.
func bigGaussian(sigma int64) int64 {
	t := sigma + 1
	for {
		y := bigLaplace(t)
		magnitude := new(big.Rat).SetInt64(abs(y))
		magnitude.Sub(magnitude, big.NewRat(sigma*sigma, t))
		magnitude.Mul(magnitude, magnitude)
		magnitude.Mul(magnitude, big.NewRat(1, 2*sigma*sigma))
		if bigBernoulliExp(magnitude) {
			return y
		}
	}
}

func bigLaplace(t int64) int64 {
	for {
		u, _ := rand.Int(rand.Reader, big.NewInt(t))
		if !bigBernoulliExp(new(big.Rat).SetFrac(u, big.NewInt(t))) {
			continue
		}
		x := u.Int64()
		for bigBernoulliExp(big.NewRat(1, 1)) {
			x += t
		}
		sign, _ := rand.Int(rand.Reader, big.NewInt(2))
		if sign.Sign() == 0 {
			return x
		}
		if x != 0 {
			return -x
		}
	}
}

func bigBernoulliExp(gamma *big.Rat) bool {
	one := big.NewRat(1, 1)
	for gamma.Cmp(one) > 0 {
		if !bigBernoulliExp(one) {
			return false
		}
		gamma = new(big.Rat).Sub(gamma, one)
	}
	k := int64(1)
	for bigBernoulli(new(big.Rat).Mul(gamma, big.NewRat(1, k))) {
		k++
	}
	return k%2 == 1
}

func bigBernoulli(p *big.Rat) bool {
	u, _ := rand.Int(rand.Reader, p.Denom())
	return u.Cmp(p.Num()) < 0
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// TestOraclesAgree compares three samplers at σ = 2^10: the one that is used, the reference in
// 64-bit words and the rational oracle, pairwise by a two-sample chi-square over 16 cells. Fresh
// randomness; 15 degrees of freedom exceed 80 with probability 6e-11.
func TestOraclesAgree(t *testing.T) {
	const n = 8000
	cell := func(v int64) int { return max(0, min(15, int(8+math.Floor(float64(v)/300)))) }
	var used, reference, rational [16]float64
	out, s := make([]int64, n), NewStream()
	s.RoundedGaussian(out, MinGridBits)
	for _, v := range out {
		used[cell(v)]++
		reference[cell(s.referenceGaussian(MinGridBits))]++
		rational[cell(bigGaussian(1<<MinGridBits))]++
	}
	for name, pair := range map[string][2][16]float64{
		"used and reference": {used, reference}, "used and rational": {used, rational}, "reference and rational": {reference, rational},
	} {
		if chi := chiSquare(pair[0], pair[1]); chi > 80 {
			t.Errorf("%s: two-sample chi-square is %.1f, want below 80", name, chi)
		}
	}
	var shifted [16]float64
	for _, v := range out {
		shifted[cell(v+300)]++
	}
	if chi := chiSquare(shifted, rational); chi < 80 {
		t.Errorf("a sampler shifted by 0.3 standard deviations passes with %.1f", chi)
	}
}

func chiSquare(a, b [16]float64) float64 {
	chi := 0.0
	for i := range a {
		if sum := a[i] + b[i]; sum > 0 {
			d := a[i] - b[i]
			chi += d * d / sum
		}
	}
	return chi
}
