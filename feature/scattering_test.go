package feature

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/encoder"
)

// plainScattering is the definition, by sums over pixels: no Fourier transform, and filters from their
// formula in space (M. Andreux et al., "Kymatio: scattering transforms in Python", Journal of Machine
// Learning Research 21, 2020; https://github.com/kymatio/kymatio, filter_bank.py of version 0.3.0).
type plainScattering struct{ rows, columns int } // of the padded image

// gabor is a plane wave under a Gaussian whose periods are added up, one value for each pixel.
func (p plainScattering) gabor(deviation, theta, frequency, slant float64) []complex128 {
	out := make([]complex128, p.rows*p.columns)
	for i := range out {
		for a := -2; a <= 2; a++ {
			for b := -2; b <= 2; b++ {
				y, x := float64(i/p.columns+a*p.rows), float64(i%p.columns+b*p.columns)
				u, v := y*math.Cos(theta)+x*math.Sin(theta), x*math.Cos(theta)-y*math.Sin(theta)
				size := math.Exp(-(u*u + slant*slant*v*v) / (2 * deviation * deviation))
				out[i] += cmplx.Rect(size*slant/(2*math.Pi*deviation*deviation), frequency*u)
			}
		}
	}
	return out
}

func (p plainScattering) morlet(scale, angle int) []complex128 {
	grow := math.Pow(2, float64(scale))
	theta := float64(3-angle) * math.Pi / 8
	wave, bell := p.gabor(0.8*grow, theta, 3*math.Pi/4/grow, 0.5), p.gabor(0.8*grow, theta, 0, 0.5)
	var a, b complex128
	for i := range wave {
		a, b = a+wave[i], b+bell[i]
	}
	for i := range wave {
		wave[i] -= a / b * bell[i]
	}
	return wave
}

// convolve returns x⋆f at every keep-th pixel, where x and f are given at every step-th.
func (p plainScattering) convolve(x, f []complex128, step, keep int) []complex128 {
	rows, columns := p.rows/step, p.columns/step
	var out []complex128
	for i := 0; i < rows; i += keep / step {
		for j := 0; j < columns; j += keep / step {
			var sum complex128
			for k := range rows {
				for l := range columns {
					y, z := (i-k+rows)%rows*step, (j-l+columns)%columns*step
					sum += x[k*columns+l] * f[y*p.columns+z]
				}
			}
			out = append(out, sum*complex(float64(step*step), 0))
		}
	}
	return out
}

// image returns all 81 paths of an image of a padded size of 8 more.
func (p plainScattering) image(x []float64) []float64 {
	padded := make([]complex128, p.rows*p.columns)
	mirror := func(i, n int) int { return int(math.Abs(math.Abs(float64(i)-float64(n-1)) - float64(n-1))) }
	for i := range padded {
		padded[i] = complex(x[mirror(i/p.columns-4, p.rows-8)*(p.columns-8)+mirror(i%p.columns-4, p.columns-8)], 0)
	}
	bell := p.gabor(1.6, 0, 0, 1)
	out := p.inside(p.convolve(padded, bell, 1, 4))
	var first, second []float64
	for scale := range 2 {
		for angle := range 8 {
			u := magnitudes(p.convolve(padded, p.morlet(scale, angle), 1, 1<<scale))
			first = append(first, p.inside(p.convolve(u, bell, 1<<scale, 4))...)
			for inner := range 8 * (1 - scale) {
				v := magnitudes(p.convolve(u, p.morlet(1, inner), 1, 2))
				second = append(second, p.inside(p.convolve(v, bell, 2, 4))...)
			}
		}
	}
	return slices.Concat(out, first, second)
}

func magnitudes(x []complex128) []complex128 {
	for i, v := range x {
		x[i] = complex(cmplx.Abs(v), 0)
	}
	return x
}

// inside drops what belongs to the padding of an image at every fourth pixel.
func (p plainScattering) inside(x []complex128) []float64 {
	var out []float64
	for i := 1; i < p.rows/4-1; i++ {
		for j := 1; j < p.columns/4-1; j++ {
			out = append(out, real(x[i*p.columns/4+j]))
		}
	}
	return out
}

func scatter(t *testing.T, shape string, x []float64) ([]float64, transform) {
	t.Helper()
	s, err := newScattering([]byte(`{"shape":`+shape+`}`), len(x))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, s.Out())
	s.Apply(out, x, s.NewScratch())
	return out, s
}

func randomImage(n int, seed uint64) []float64 {
	rng, x := rand.New(rand.NewPCG(seed, 2)), make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

func TestScatteringIsItsDefinition(t *testing.T) {
	for _, c := range []struct{ rows, columns int }{{8, 12}, {16, 8}} {
		x := randomImage(c.rows*c.columns, 3)
		got, _ := scatter(t, fmt.Sprintf("[%d,%d]", c.rows, c.columns), x)
		want := plainScattering{c.rows + 8, c.columns + 8}.image(x)
		if len(got) != len(want) {
			t.Fatalf("%v: got %d features, want %d", c, len(got), len(want))
		}
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= 1e-12) {
				t.Fatalf("%v: feature %d is %v, want %v", c, j, got[j], want[j])
			}
		}
	}
}

// TestScatteringShapes holds the numbers of features that are published for images of 28 and 32 pixels
// (F. Tramèr and D. Boneh, ICLR 2021, section 2): 81·7·7 and 243·8·8.
func TestScatteringShapes(t *testing.T) {
	if out, _ := scatter(t, "[28,28]", randomImage(784, 1)); len(out) != 81*7*7 {
		t.Errorf("28×28: got %d features, want %d", len(out), 81*7*7)
	}
	if out, _ := scatter(t, "[32,32,3]", randomImage(3072, 1)); len(out) != 243*8*8 {
		t.Errorf("32×32×3: got %d features, want %d", len(out), 243*8*8)
	}
}

// TestScatteringOfColors compares each color with the scattering of that color alone, bit for bit.
func TestScatteringOfColors(t *testing.T) {
	x := randomImage(12*8*3, 4)
	got, _ := scatter(t, "[12,8,3]", x)
	for color := range 3 {
		alone := make([]float64, 12*8)
		for i := range alone {
			alone[i] = x[3*i+color]
		}
		want, _ := scatter(t, "[12,8]", alone)
		if !slices.Equal(got[color*len(want):][:len(want)], want) {
			t.Errorf("color %d differs from the same image in grey", color)
		}
	}
}

// TestScatteringOfAConstant: wavelets have the sum 0, and the Gaussian has a sum of nearly 1. The
// difference comes from sampling its transform at multiples of π. It is below 4·exp(-(1.6·π)²/2) <
// 1.5e-5.
func TestScatteringOfAConstant(t *testing.T) {
	out, s := scatter(t, "[12,12]", slices.Repeat([]float64{0.7}, 144))
	for j, v := range out {
		want := 0.0
		if j < 9 {
			want = 0.7
		}
		if !(math.Abs(v-want) <= 1.5e-5) {
			t.Fatalf("%v is %v, want %v", s.Name(j, nil), v, want)
		}
	}
}

// TestScatteringBound tries images that make one value of x⋆ψ as large as can be, the signs of the real
// part of ψ around the middle: the bound holds, and is no more than three times what is reached.
func TestScatteringBound(t *testing.T) {
	const n = 16
	p := plainScattering{n + 8, n + 8}
	out, s := scatter(t, "[16,16]", slices.Repeat([]float64{3}, n*n))
	largest, bound, scratch := out[0], s.Bound(3), s.NewScratch()
	for scale := range 2 {
		for angle := range 8 {
			x, f, sum := make([]float64, n*n), p.morlet(scale, angle), 0.0
			for _, v := range f {
				sum += cmplx.Abs(v)
			}
			if stated := newWavelet(scale, angle).sum(); stated < sum || stated > 1.5*sum {
				t.Errorf("scale %d, angle %d: magnitudes add up to %v, stated as at most %v", scale, angle, sum, stated)
			}
			for i := range x {
				y, z := (n/2-i/n+p.rows)%p.rows, (n/2-i%n+p.columns)%p.columns
				x[i] = math.Copysign(3, real(f[y*p.columns+z]))
			}
			s.Apply(out, x, scratch)
			largest = max(largest, largestMagnitude(out))
		}
	}
	if largest > bound || largest < bound/3 {
		t.Errorf("the largest feature is %v, want at most the bound %v and at least a third of it", largest, bound)
	}
}

// TestScatteringNames counts different names: one for each feature.
func TestScatteringNames(t *testing.T) {
	out, s := scatter(t, "[8,12,2]", randomImage(8*12*2, 5))
	seen := map[encoder.Name]int{}
	for j := range out {
		seen[s.Name(j, nil)] = j
	}
	if len(seen) != len(out) {
		t.Errorf("got %d names for %d features", len(seen), len(out))
	}
	if got := s.Name(6, nil).String(); got != "scattering, scale 0 angle 0 = color 1, row 1, column 1" {
		t.Errorf("name: got %q", got)
	}
}
