package special

import (
	"math"
	"math/bits"
	"sync"
)

// FFT is the discrete Fourier transform of real sequences of one power-of-two length. It is
// immutable and safe for concurrent use.
//
// A real sequence is packed into a complex one of half the length, transformed, and unpacked. The
// transform is decimation in frequency in radix 4, or radix 2 for a remaining factor of 2 (Brigham,
// "The Fast Fourier Transform", 1974, section 10-10). Frequencies stay in the order of decimation,
// because products of transforms do not depend on it; Frequency names them.
//
// Error: let u = 2⁻⁵³. A coefficient passes through log₂(length) levels of sums and through one
// multiplication by a root of unity for each radix-4 level. Errors are relative to the sum of the
// magnitudes that enter. The error of a sum is at most u, of a product at most 2√2·u and of a root
// at most u. Hence, in the largest coefficient,
//
//	|computed - exact| ≤ ErrorBound() · Σ|x|
//
// The same count, level by level, applies in the Euclidean norm for both directions (Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed. 2002, theorem 24.2):
//
//	‖computed - exact‖₂ ≤ ErrorBound() · ‖exact‖₂.
type FFT struct {
	length  int
	levels  [][]complex128 // twiddles of each radix-4 level, outermost first
	unpack  []complex128   // e^{-2πik/length}, k in decimated order
	reverse uint           // bits of length/2
}

// maxLogLength bounds the lengths that NewFFT keeps tables for.
const maxLogLength = 26

// tables holds the transforms made so far, by the logarithm of their length.
var tables [maxLogLength + 1]struct {
	once sync.Once
	fft  *FFT
}

// NewFFT returns the transform of real sequences of the given length, a power of two
// from 4 to 2^26. It panics on any other length. Tables are computed once and kept.
func NewFFT(length int) *FFT {
	if length < 4 || length > 1<<maxLogLength || length&(length-1) != 0 {
		panic("special: length of a Fourier transform must be a power of two from 4 to 2^26")
	}
	entry := &tables[bits.Len(uint(length))-1]
	entry.once.Do(func() { entry.fft = newFFT(length) })
	return entry.fft
}

// newFFT computes the tables.
func newFFT(length int) *FFT {
	half := length / 2
	f := &FFT{length: length, reverse: uint(bits.Len(uint(half)) - 1), unpack: make([]complex128, half)}
	for i := range f.unpack {
		f.unpack[i] = root(f.Frequency(i), length)
	}
	for n := half; n >= 4; n /= 4 {
		level := make([]complex128, 3*n/4)
		for j := range n / 4 {
			level[3*j] = root(2*j, n)
			level[3*j+1] = root(j, n)
			level[3*j+2] = root(3*j, n)
		}
		f.levels = append(f.levels, level)
	}
	return f
}

// root returns e^{-2πik/n}, both parts correct to one unit in the last place. The angle is first
// moved into [-π/4, π/4] in integers.
func root(k, n int) complex128 {
	octant := (8*(k%n) + n) / (2 * n) // nearest quarter turn, 0 to 4
	s, c := math.Sincos(2 * math.Pi * float64(4*(k%n)-octant*n) / float64(4*n))
	switch octant % 4 {
	case 0:
		return complex(c, -s)
	case 1:
		return complex(-s, -c)
	case 2:
		return complex(-c, s)
	}
	return complex(s, c)
}

// Len returns the length of the real sequences.
func (f *FFT) Len() int { return f.length }

// ErrorBound returns the factor in the two error bounds above: 4u(log₂(length)+3).
func (f *FFT) ErrorBound() float64 { return 0x1p-51 * float64(f.reverse+1+3) }

// Frequency returns k such that entry i > 0 of a spectrum is Σ x_j e^{-2πijk/length}, with 0 < k <
// length/2. Entry 0 holds two real numbers. The coefficient of frequency 0 is its real part, and
// that of frequency length/2 its imaginary part.
func (f *FFT) Frequency(i int) int {
	if f.reverse == 0 {
		return 0
	}
	return int(bits.Reverse64(uint64(i)) >> (64 - f.reverse))
}

// Forward writes the spectrum of x to dst, which has half the length of x. Every other coefficient
// is the conjugate of one in dst.
func (f *FFT) Forward(dst []complex128, x []float64) {
	if len(x) != f.length || len(dst) != f.length/2 {
		panic("special: Fourier transform of a sequence of another length")
	}
	for i := range dst {
		dst[i] = complex(x[2*i], x[2*i+1])
	}
	f.split(dst, 0)
	f.unfold(dst)
}

// Inverse writes to x the sequence whose spectrum is src, and destroys src.
func (f *FFT) Inverse(x []float64, src []complex128) {
	if len(x) != f.length || len(src) != f.length/2 {
		panic("special: Fourier transform of a sequence of another length")
	}
	f.fold(src)
	f.join(src, 0)
	scale := 1 / float64(len(src))
	for i, v := range src {
		x[2*i], x[2*i+1] = real(v)*scale, imag(v)*scale
	}
}

// unfold turns the transform of the packed sequence into that of the real one. In
// decimated order entry i of [2^j, 2^(j+1)) has its negative frequency at 3·2^j-1-i.
func (f *FFT) unfold(z []complex128) {
	z[0] = complex(real(z[0])+imag(z[0]), real(z[0])-imag(z[0]))
	for low := 1; low < len(z); low *= 2 {
		for i, j := low, 2*low-1; i <= j; i, j = i+1, j-1 {
			a, b := z[i], conjugate(z[j])
			even, odd := (a+b)*0.5, (a-b)*0.5
			turned := complex(imag(odd), -real(odd)) * f.unpack[i]
			z[i], z[j] = even+turned, conjugate(even-turned)
		}
	}
}

// fold undoes unfold.
func (f *FFT) fold(z []complex128) {
	z[0] = complex((real(z[0])+imag(z[0]))/2, (real(z[0])-imag(z[0]))/2)
	for low := 1; low < len(z); low *= 2 {
		for i, j := low, 2*low-1; i <= j; i, j = i+1, j-1 {
			a, b := z[i], conjugate(z[j])
			even, turned := (a+b)*0.5, (a-b)*0.5*conjugate(f.unpack[i])
			odd := complex(-imag(turned), real(turned))
			z[i], z[j] = even+odd, conjugate(even-odd)
		}
	}
}

func conjugate(v complex128) complex128 { return complex(real(v), -imag(v)) }

// split is decimation in frequency: one radix-4 level, then each quarter separately, which keeps
// the inner levels in the cache.
func (f *FFT) split(z []complex128, level int) {
	n := len(z) / 4
	if n == 0 {
		if len(z) == 2 {
			z[0], z[1] = z[0]+z[1], z[0]-z[1]
		}
		return
	}
	forwardLevel(z, f.levels[level])
	if n == 1 {
		return
	}
	for q := range 4 {
		f.split(z[q*n:(q+1)*n], level+1)
	}
}

// forwardLevel is one level of butterflies. The quarters come out in the order 0, 2, 1,
// 3, so that four-fold and two-fold levels leave the same order.
func forwardLevel(z, w []complex128) {
	n := len(z) / 4
	a, b, c, d := z[:n:n], z[n:2*n:2*n], z[2*n:3*n:3*n], z[3*n:4*n:4*n]
	w = w[: 3*n : 3*n]
	for j := range a {
		ac, bd := a[j]+c[j], b[j]+d[j]
		am, bm := a[j]-c[j], b[j]-d[j]
		bm = complex(imag(bm), -real(bm))
		a[j] = ac + bd
		b[j] = (ac - bd) * w[3*j]
		c[j] = (am + bm) * w[3*j+1]
		d[j] = (am - bm) * w[3*j+2]
	}
}

// join undoes split, up to the factor len(z).
func (f *FFT) join(z []complex128, level int) {
	n := len(z) / 4
	if n == 0 {
		if len(z) == 2 {
			z[0], z[1] = z[0]+z[1], z[0]-z[1]
		}
		return
	}
	if n > 1 {
		for q := range 4 {
			f.join(z[q*n:(q+1)*n], level+1)
		}
	}
	inverseLevel(z, f.levels[level])
}

// inverseLevel undoes forwardLevel, up to the factor 4.
func inverseLevel(z, w []complex128) {
	n := len(z) / 4
	a, b, c, d := z[:n:n], z[n:2*n:2*n], z[2*n:3*n:3*n], z[3*n:4*n:4*n]
	w = w[: 3*n : 3*n]
	for j := range a {
		bw := b[j] * conjugate(w[3*j])
		cw := c[j] * conjugate(w[3*j+1])
		dw := d[j] * conjugate(w[3*j+2])
		ac, bd := a[j]+bw, a[j]-bw
		cd, diff := cw+dw, cw-dw
		diff = complex(-imag(diff), real(diff))
		a[j] = ac + cd
		c[j] = ac - cd
		b[j] = bd + diff
		d[j] = bd - diff
	}
}
