package sample

import (
	"fmt"
	"testing"
)

// perSample reports the time of one coordinate.
func perSample(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sample")
}

func BenchmarkBernoulliExp(b *testing.B) {
	s := NewStream()
	b.ReportAllocs()
	for b.Loop() {
		s.BernoulliExp(355, 113)
	}
}

func BenchmarkDiscrete(b *testing.B) {
	dst := make([]int64, 1024)
	for name, draw := range map[string]func(s *Stream, dst []int64, numerator, denominator uint64){
		"Laplace": (*Stream).DiscreteLaplace, "Gaussian": (*Stream).DiscreteGaussian,
	} {
		for _, scale := range [][2]uint64{{3, 2}, {1 << 36, 65535}} {
			b.Run(fmt.Sprintf("%s/%d:%d", name, scale[0], scale[1]), func(b *testing.B) {
				s := NewStream()
				b.ReportAllocs()
				for b.Loop() {
					draw(s, dst, scale[0], scale[1])
				}
				perSample(b, len(dst))
			})
		}
	}
}

func BenchmarkVector(b *testing.B) {
	for name, draw := range map[string]func(s *Stream, dst []int64){
		"LInfinity": func(s *Stream, dst []int64) { s.LInfinity(dst, 1<<40, 3) },
		"RoundedL2": func(s *Stream, dst []int64) { s.RoundedL2(dst, 1<<40, 3) },
	} {
		for _, d := range []int{1, 2, 16, 1024} {
			b.Run(fmt.Sprintf("%s/%d", name, d), func(b *testing.B) {
				s, dst := NewStream(), make([]int64, d)
				b.ReportAllocs()
				for b.Loop() {
					draw(s, dst)
				}
				perSample(b, d)
			})
		}
	}
}
