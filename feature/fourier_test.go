package feature

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// TestFourier compares with the sum that defines the transform, for every length up to 45: all radices,
// alone and together.
func TestFourier(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const batch = 3
	for n := 1; n <= 45; n++ {
		x := make([]complex128, n*batch)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
		}
		for _, sign := range []float64{-1, 1} {
			got, _ := newFourier(n, sign).apply(append([]complex128(nil), x...), make([]complex128, len(x)), batch)
			for k := range n {
				for b := range batch {
					var want complex128
					for j := range n {
						want += x[j*batch+b] * cmplx.Rect(1, sign*2*math.Pi*float64(j)*float64(k)/float64(n))
					}
					if !(cmplx.Abs(got[k*batch+b]-want) <= 1e-11) {
						t.Fatalf("length %d, sign %v, frequency %d, column %d: got %v, want %v", n, sign, k, b, got[k*batch+b], want)
					}
				}
			}
		}
	}
}

// BenchmarkFourier transforms 2-D arrays of the sizes that images of 28 and 32 pixels need.
func BenchmarkFourier(b *testing.B) {
	for _, n := range []int{18, 20, 36, 40} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, x, y := newFourier(n, -1), make([]complex128, n*n), make([]complex128, n*n)
			for i := range x {
				x[i] = complex(float64(i%7), float64(i%5))
			}
			b.ReportAllocs()
			for b.Loop() {
				u, v := f.apply(x, y, n)
				transpose(v, u, n, n)
				f.apply(v, u, n)
				clear(x)
			}
		})
	}
}
