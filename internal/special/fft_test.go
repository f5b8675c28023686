package special

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
)

// scramble returns a sequence of varied numbers in [-1, 1] from a linear congruence.
func scramble(n int) []float64 {
	x, state := make([]float64, n), uint64(12345)
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(state)) / (1 << 63)
	}
	return x
}

// transformByDefinition is Σ x_j e^{-2πijk/n} for one k, angles reduced in integers.
func transformByDefinition(x []float64, k int) complex128 {
	var re, im, reRest, imRest float64
	for j, v := range x {
		angle := 2 * math.Pi * float64(j*k%len(x)) / float64(len(x))
		re, reRest = twoSum(re, v*math.Cos(angle), reRest)
		im, imRest = twoSum(im, -v*math.Sin(angle), imRest)
	}
	return complex(re+reRest, im+imRest)
}

// twoSum adds b to a and what was lost to rest.
func twoSum(a, b, rest float64) (sum, lost float64) {
	sum = a + b
	t := sum - a
	return sum, rest + (a - (sum - t)) + (b - t)
}

func TestFFTAgreesWithTheDefinition(t *testing.T) {
	for _, n := range []int{4, 8, 16, 32, 64, 512, 1024} {
		f, x := NewFFT(n), scramble(n)
		z := make([]complex128, n/2)
		f.Forward(z, x)
		total := 0.0
		for _, v := range x {
			total += math.Abs(v)
		}
		bound := f.ErrorBound()*total + 1e-15*float64(n)
		seen := make(map[int]bool)
		for i := 1; i < n/2; i++ {
			k := f.Frequency(i)
			seen[k] = true
			if want := transformByDefinition(x, k); cmplx.Abs(z[i]-want) > bound {
				t.Fatalf("length %d frequency %d: got %v, want %v within %g", n, k, z[i], want, bound)
			}
		}
		if len(seen) != n/2-1 {
			t.Errorf("length %d: %d different frequencies, want %d", n, len(seen), n/2-1)
		}
		first, last := real(transformByDefinition(x, 0)), real(transformByDefinition(x, n/2))
		if math.Abs(real(z[0])-first) > bound || math.Abs(imag(z[0])-last) > bound {
			t.Errorf("length %d: entry 0 is %v, want %v and %v", n, z[0], first, last)
		}
	}
}

func TestFFTInverseReturnsTheSequence(t *testing.T) {
	for n := 4; n <= 1<<16; n *= 2 {
		f, x := NewFFT(n), scramble(n)
		z, back := make([]complex128, n/2), make([]float64, n)
		f.Forward(z, x)
		f.Inverse(back, z)
		difference, norm := 0.0, 0.0
		for i := range x {
			difference += (back[i] - x[i]) * (back[i] - x[i])
			norm += x[i] * x[i]
		}
		if math.Sqrt(difference/norm) > 2*f.ErrorBound() {
			t.Errorf("length %d: relative error %g, want at most %g", n, math.Sqrt(difference/norm), 2*f.ErrorBound())
		}
	}
}

func TestFFTOfOnePoint(t *testing.T) {
	const n, at = 4096, 1234
	f, x, z := NewFFT(n), make([]float64, n), make([]complex128, n/2)
	x[at] = 1
	f.Forward(z, x)
	for i := 1; i < n/2; i++ {
		angle := -2 * math.Pi * float64(at*f.Frequency(i)%n) / n
		if want := cmplx.Rect(1, angle); cmplx.Abs(z[i]-want) > f.ErrorBound() {
			t.Fatalf("frequency %d: got %v, want %v", f.Frequency(i), z[i], want)
		}
	}
}

func TestFFTRefusesOtherLengths(t *testing.T) {
	for _, n := range []int{0, 2, 3, 12, 1 << 27} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("length %d: no panic", n)
				}
			}()
			NewFFT(n)
		}()
	}
}

func BenchmarkFFT(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 15, 1 << 18, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, x, z := NewFFT(n), scramble(n), make([]complex128, n/2)
			b.ReportAllocs()
			for b.Loop() {
				f.Forward(z, x)
			}
		})
	}
}
