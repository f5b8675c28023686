package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkGemm(b *testing.B) {
	b.Run("float32", benchmarkGemm[float32])
	b.Run("float64", benchmarkGemm[float64])
}

func benchmarkGemm[T Float](b *testing.B) {
	r := rand.New(rand.NewPCG(44, 44))
	for _, s := range []struct {
		name    string
		m, k, n int
		a, b    bool
	}{
		{"256x784x1000", 256, 784, 1000, false, false},
		{"256x784x1000/bT", 256, 784, 1000, false, true},
		{"784x256x1000/aT", 784, 256, 1000, true, false},
		{"1024x1024x1024", 1024, 1024, 1024, false, false},
		{"50176x64x16", 50176, 64, 16, false, false},
		{"16384x800x64", 16384, 800, 64, false, false},
		{"16384x800x64/bT", 16384, 800, 64, false, true},
		{"64x16384x800/aT", 64, 16384, 800, true, false},
		{"600x784x10", 600, 784, 10, false, false},
		{"60000x784x10", 60000, 784, 10, false, false},
		{"784x60000x10/aT", 784, 60000, 10, true, false},
		{"10x60000x784/aT", 10, 60000, 784, true, false},
		{"1x784x1000/bT", 1, 784, 1000, false, true},
		{"8x784x1000/bT", 8, 784, 1000, false, true},
		{"16x784x1000/bT", 16, 784, 1000, false, true},
		{"32x784x1000/bT", 32, 784, 1000, false, true},
		{"1x784x1000", 1, 784, 1000, false, false},
		{"32x32x32", 32, 32, 32, false, false},
		{"32x32x32/bT", 32, 32, 32, false, true},
		{"8x8x8", 8, 8, 8, false, false},
	} {
		x, y, c := make([]T, s.m*s.k), make([]T, s.k*s.n), make([]T, s.m*s.n)
		for i := range x {
			x[i] = T(r.Float32())
		}
		for i := range y {
			y[i] = T(r.Float32())
		}
		ma, mb := NewMatrix(x, s.m, s.k), NewMatrix(y, s.k, s.n)
		if s.a {
			ma = NewMatrix(x, s.k, s.m).Transposed()
		}
		if s.b {
			mb = NewMatrix(y, s.n, s.k).Transposed()
		}
		for set := portable; set <= available; set++ {
			for workers := 1; workers <= 2; workers++ {
				b.Run(fmt.Sprintf("%s/%v/%d", s.name, set, workers), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						gemmChecked(set, workers, NewMatrix(c, s.m, s.n), 1, ma, mb, 0)
					}
					b.ReportMetric(2*float64(s.m)*float64(s.k)*float64(s.n)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
				})
			}
		}
	}
}
