package sample

import (
	"math"
	"testing"
)

// TestDiscreteGaussianLaw covers small parameters, where the law is far from the rounded
// continuous one, and the largest.
func TestDiscreteGaussianLaw(t *testing.T) {
	for i, c := range [][2]uint64{{1, 2}, {2, 2}, {5, 3}, {1 << 16, 65535}, {1 << 20, 1}, {1 << 36, 65535}, {MaxScaleNumerator, 1}} {
		sigma, step := scaleOf(c)
		draws := make([]int64, 100000)
		fixed(byte(50+i)).DiscreteGaussian(draws, c[0], c[1])
		if m := misfit(draws, gaussianCDF(sigma), 40*step, step); !(m < 1) {
			t.Errorf("σ = %d/%d: chi-square over its limit is %.2f, want below 1", c[0], c[1], m)
		}
	}
}

// TestDiscreteGaussianFaultsAreSeen draws with a σ 2 % off, with the proposals as they come, and
// with the rounded continuous Gaussian of the same σ: each must be convicted.
func TestDiscreteGaussianFaultsAreSeen(t *testing.T) {
	draws := make([]int64, 300000)
	convicted := func(name string, cdf func(int64) float64) {
		t.Helper()
		if m := misfit(draws, cdf, 40, 1); !(m > 1) {
			t.Errorf("%s passes: chi-square over its limit is %.2f", name, m)
		}
	}
	s := fixed(60)
	s.DiscreteGaussian(draws, 5*51, 3*50)
	convicted("σ 2 % too large", gaussianCDF(5.0/3))
	s.DiscreteGaussian(draws, 5*49, 3*50)
	convicted("σ 2 % too small", gaussianCDF(5.0/3))
	s.DiscreteGaussian(draws, 1, 2)
	convicted("a rounded normal number", func(x int64) float64 { return math.Erfc(-(float64(x)+0.5)*2/math.Sqrt2) / 2 })
	s.DiscreteLaplace(draws, 5, 3)
	convicted("a proposal that is always kept", gaussianCDF(5.0/3))
}

// TestDiscreteSamplersAgreeWithTheRationalOracle compares with the sampler in rational
// arithmetic, by a two-sample chi-square over 16 cells at 10000 draws each. Fresh randomness;
// 15 degrees of freedom exceed 80 with probability 6e-11.
func TestDiscreteSamplersAgreeWithTheRationalOracle(t *testing.T) {
	const n = 10000
	s, dst := NewStream(), make([]int64, n)
	for name, c := range map[string]struct {
		draw   func(dst []int64, numerator, denominator uint64)
		oracle func(scale int64) int64
	}{
		"Laplace": {s.DiscreteLaplace, bigLaplace}, "Gaussian": {s.DiscreteGaussian, bigGaussian},
	} {
		for _, scale := range []int64{1, 4} {
			var ours, theirs, wider [16]float64
			cell := func(x int64) int { return int(max(0, min(15, 8+x))) }
			c.draw(dst, uint64(scale), 1)
			for _, x := range dst {
				ours[cell(x)]++
				theirs[cell(c.oracle(scale))]++
			}
			if chi := chiSquare(ours, theirs); chi > 80 {
				t.Errorf("%s of scale %d: two-sample chi-square is %.1f, want below 80", name, scale, chi)
			}
			c.draw(dst, uint64(5*scale), 4)
			for _, x := range dst {
				wider[cell(x)]++
			}
			if chi := chiSquare(wider, theirs); chi < 80 {
				t.Errorf("%s of scale %d: a quarter more passes with %.1f", name, scale, chi)
			}
		}
	}
}

// TestProposalsAreKeptOftenEnough computes the probability of keeping a proposal from its
// formula, for σ from 1/20 to 100, and counts it for one σ within 6.2 standard errors, which
// fresh keys would miss with probability 6e-10.
func TestProposalsAreKeptOftenEnough(t *testing.T) {
	kept := func(sigma float64) float64 {
		gaussian, laplace := 0.0, 0.0
		for x := -60 * math.Ceil(sigma); x <= 60*math.Ceil(sigma); x++ {
			gaussian += math.Exp(-x * x / (2 * sigma * sigma))
			laplace += math.Exp(-math.Abs(x) / sigma)
		}
		return math.Exp(-0.5) * gaussian / laplace
	}
	for sigma := 0.05; sigma < 100; sigma *= 1.02 {
		if p := kept(sigma); p < 0.55 || p > 0.77 {
			t.Errorf("σ = %v: a proposal is kept with probability %v, want within [0.55, 0.77]", sigma, p)
		}
	}
	const draws = 100000
	s, hits := fixed(61), 0.0
	for range draws {
		y := s.laplace(5, 3)
		w := max(3*y, -3*y) - 5
		if s.halfSquareCoin(uint64(max(w, -w)), 5) {
			hits++
		}
	}
	p := kept(5.0 / 3)
	if z := (hits - draws*p) / math.Sqrt(draws*p*(1-p)); math.Abs(z) > 6.2 {
		t.Errorf("%v of %d proposals are kept, z is %.2f, want within 6.2", hits, draws, z)
	}
}
