//go:build long

package sample

import "testing"

// TestCurveAtManyPoints is the test of the curve against big floats at four times as many points.
func TestCurveAtManyPoints(t *testing.T) { checkCurve(t, 20000) }

// TestManyNumbersShareNoWord is TestNumbersShareNoWord for the buffer as it is, under a fresh key. Of 300000 numbers with
// 1024 lags 300000·1024·512²·2^-49 < 0.15 pairs are counted by chance, and more than 5 with probability below 2e-8.
func TestManyNumbersShareNoWord(t *testing.T) { checkRepetitions(t, NewStream(), 300000, 5) }

// TestManyGaussiansAreThePlainOnes is TestGaussianIsThePlainOne over 10^7 draws.
func TestManyGaussiansAreThePlainOnes(t *testing.T) { checkPlainGaussian(t, 10000000) }

// TestSamplerBattery holds each sampler to its law under fresh keys with many more draws than the
// short tests. A right sampler passes a limit with probability below 1e-9. Scales half a percent
// off must be convicted (two percent where fewer are drawn).
func TestSamplerBattery(t *testing.T) {
	one := func(draw func(s *Stream, dst []int64, numerator, denominator uint64), n int) func(numerator, denominator uint64) []int64 {
		return func(numerator, denominator uint64) []int64 {
			s, dst := NewStream(), make([]int64, n)
			for i := range dst {
				draw(s, dst[i:i+1], numerator, denominator)
			}
			return dst
		}
	}
	all := func(draw func(s *Stream, dst []int64, numerator, denominator uint64)) func(numerator, denominator uint64) []int64 {
		return func(numerator, denominator uint64) []int64 {
			dst := make([]int64, 10000000)
			draw(NewStream(), dst, numerator, denominator)
			return dst
		}
	}
	for _, c := range []struct {
		name  string
		draw  func(numerator, denominator uint64) []int64
		law   func(scale float64) func(x int64) float64
		fault uint64 // in thousandths
	}{
		{"DiscreteLaplace", all((*Stream).DiscreteLaplace), laplaceCDF, 5},
		{"DiscreteGaussian", all((*Stream).DiscreteGaussian), gaussianCDF, 5},
		{"LInfinity", one((*Stream).LInfinity, 2000000), laplaceCDF, 20},
		{"RoundedL2", one(func(s *Stream, dst []int64, n, d uint64) { s.RoundedL2(dst, n, d) }, 1000000), roundedLaplaceCDF, 20},
	} {
		for _, scale := range [][2]uint64{{3, 2}, {400, 7}, {1 << 36, 65535}} {
			wide, step := scaleOf(scale)
			if m := misfit(c.draw(scale[0], scale[1]), c.law(wide), 40*step, step); !(m < 1) {
				t.Errorf("%s %v: chi-square over its limit is %.2f, want below 1", c.name, scale, m)
			}
			if m := misfit(c.draw(scale[0]*(1000+c.fault), scale[1]*1000), c.law(wide), 40*step, step); !(m > 1) {
				t.Errorf("%s %v: %d thousandths more pass with %.2f", c.name, scale, c.fault, m)
			}
		}
	}
}
