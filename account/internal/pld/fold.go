package pld

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/special"
)

// item is a lattice that is composed with itself count times. It may be built when it is needed and
// dropped afterwards, because many fine lattices take much memory.
type item struct {
	*lattice
	count int64
	lazy  *lazy // if the lattice is nil
}

// lazy is a lattice yet to be built, with a rough sketch of it.
type lazy struct {
	rough *roughTerm
	tilt  float64
	build func() *lattice
}

// get returns the lattice.
func (v item) get() *lattice {
	if v.lattice != nil {
		return v.lattice
	}
	return v.lazy.build()
}

// growth returns the logarithm of E e^{sL} under the tilted distribution. It is rough while the
// lattice is yet to be built.
func (v item) growth(s float64) float64 {
	if v.lattice != nil {
		return v.logMoment(s)
	}
	return v.lazy.rough.at(v.lazy.tilt+s).value - v.lazy.rough.at(v.lazy.tilt).value
}

// window is the range in which the composition is searched. up and down are the exponents of the
// Chernoff bounds on its two tails, and tail is the mass that each tail should leave outside.
type window struct {
	up, down float64 // up > 0 > down
	tail     float64
	most     int // nodes at most
}

// fold returns the composition of items that share step and tilt. It returns nil if the window
// needs more nodes than allowed.
//
// The transform of the tilted masses, less 1, is raised to its count as a power of 1+(transform-1).
// So no digits are lost when nearly all the mass is at loss 0. The composition is computed modulo
// the length of the window. Mass outside the window appears inside, and is counted twice as an
// error; the Chernoff bounds of the lattices bound it.
//
// Rounding:
//
//  1. Let E bound the error of each coefficient of the transforms (special.FFT). Relative to E, powers
//     add the bound of the function rounding, and products a few units.
//  2. Let F be the coefficients, of modulus at most 1, and R the sum over factors of E/|F|. Then a
//     product errs by at most R·e^R·|∏F|. In any case it errs by at most the sum of the E.
//  3. The error of the inverse transform is bounded in the Euclidean norm. By the inequality of Cauchy
//     and Schwarz the total variation norm is at most √N times that.
func fold(items []item, step float64, w window) *lattice {
	high, low := w.bounds(items)
	if !(high-low < float64(w.most)*step) {
		return nil
	}
	start := int(math.Floor(low / step))
	nodes := int(math.Ceil(high/step)) - start + 1
	n := max(1<<bits.Len(uint(nodes-1)), 16)
	if n > w.most {
		return nil
	}
	f := newFolder(n)
	result := &lattice{step: step, low: start}
	up, down := 0.0, 0.0
	for _, v := range items {
		l, count := v.get(), float64(v.count)
		if l == nil { // larger than allowed
			return nil
		}
		f.multiply(l, v.count)
		up += count * l.logMoment(w.up)
		down += count * l.logMoment(w.down)
		result.tilt = l.tilt
		result.log += count * l.log
		result.err += count * l.err
		result.shift += count * l.shift
		result.noise += count * l.noise
	}
	result.err = math.Expm1(result.err) // products of several errors
	norm := f.invert(result)
	outside := math.Exp(up-w.up*step*float64(start+n)) + math.Exp(down-w.down*step*float64(start-1))
	result.err += norm + 2*outside
	result.normalize()
	result.trim(1e-17)
	return result
}

// bounds returns losses above and below which the composition has tilted mass of about w.tail each:
// P(S ≥ b) ≤ e^{log E e^{sS} - s·b} (Chernoff).
func (w window) bounds(items []item) (high, low float64) {
	up, down := 0.0, 0.0
	for _, v := range items {
		up += float64(v.count) * v.growth(w.up)
		down += float64(v.count) * v.growth(w.down)
	}
	goal := math.Log(w.tail)
	return (up - goal) / w.up, (down - goal) / w.down
}

// folder multiplies powers of transforms of one length.
type folder struct {
	fft      *special.FFT
	real     []float64
	one      []complex128 // transform of the item at hand, less 1
	product  []complex128
	relative []float64 // R for each coefficient
	flat     float64   // the sum of the E
	started  bool
}

func newFolder(n int) *folder {
	return &folder{fft: special.NewFFT(n), real: make([]float64, n), one: make([]complex128, n/2),
		product: make([]complex128, n/2), relative: make([]float64, n/2)}
}

// load puts the masses, less 1 at loss 0, on the circle, without the masses that are left to near.
// It returns the sum of magnitudes.
func (f *folder) load(l *lattice, left near) float64 {
	clear(f.real)
	n := len(f.real)
	at := ((l.low % n) + n) % n
	for i, v := range l.mass {
		if node := l.low + i; left == (near{}) || node != 1 && node != -1 {
			f.real[at] += v
		}
		if at++; at == n {
			at = 0
		}
	}
	f.real[0] = 0
	rest := sum(f.real)
	f.real[0] = -rest
	return 2 * rest
}

// multiply multiplies the product by the transform of l to the power count.
func (f *folder) multiply(l *lattice, count int64) {
	left := nearOf(l, count)
	rest := f.load(l, left)
	f.fft.Forward(f.one, f.real)
	n, size := float64(count), rest+2*left.both()
	bound := f.fft.ErrorBound() * rest
	most := bound + rounding(size) + left.most() // of all coefficients
	f.flat += n * most
	if left == (near{}) {
		bound = most
	} else {
		f.add(left, n)
	}
	first := f.one[0]
	f.one[0] = complex(real(first), 0)
	last := complex(power(real(first), count), power(imag(first), count))
	if f.started {
		last = complex(real(last)*real(f.product[0]), imag(last)*imag(f.product[0]))
	}
	f.raise(count, bound, most)
	f.product[0] = last
	f.relative[0] = math.Inf(1)
	f.started = true
}

// rounding returns a bound on the rounding of raise for each factor 1+d with |d| ≤ size, relative
// to that factor. The rounding that occurs once for each power is in invert.
//
// Let |d| ≤ 1/4 and u be a unit.
//
//  1. The excess errs by 3u(2|d|+2|d|²) ≤ 7.5u|d|. Its logarithm is at most 2.9|d|, and errs by u
//     times that in addition.
//  2. So half of it errs by 8.2u|d|; two more roundings add 2.7u|d|.
//  3. The phase is at most 1.4|d|. The rounding of 1+a moves it by 1.8u|d|, the arc tangent errs by
//     2.8u|d|, the product with the count by 1.4u|d|.
//  4. Modulus and phase together err by less than 16u|d|.
func rounding(size float64) float64 {
	if size > 0.25 {
		return 12 * unit
	}
	return 16 * unit * size
}

// power returns (1+x)^n.
func power(x float64, n int64) float64 {
	if x <= -1 {
		v := math.Pow(math.Abs(1+x), float64(n))
		if n&1 == 1 {
			return -v
		}
		return v
	}
	return math.Exp(float64(n) * math.Log1p(x))
}

// vanished is the exponent below which a power is taken to be 0.
const vanished = -46

// raise does the work of multiply in polar form. The coefficients err by bound in addition to the
// error of add, and by at most most.
func (f *folder) raise(count int64, bound, most float64) {
	n := float64(count)
	for k, d := range f.one {
		if f.started && f.product[k] == 0 {
			continue
		}
		a, b := real(d), imag(d)
		excess := a*(2+a) + b*b // |1+d|² - 1
		if excess < -0.9 {
			excess = (1+a)*(1+a) + b*b - 1
		}
		size := 0.0
		if excess > -1 {
			size = n / 2 * math.Log1p(excess)
		}
		if excess <= -1 || size < vanished {
			f.product[k], f.relative[k] = 0, math.Inf(1)
			if n*most*math.Exp(-vanished/n) < 0.1 { // the exact power vanishes, too
				f.relative[k] = 0
			}
			continue
		}
		f.relative[k] += n * bound / math.Exp(size/n)
		v := complex(1+a, b)
		if count > 1 {
			s, c := math.Sincos(n * math.Atan2(b, 1+a))
			size = math.Exp(size)
			v = complex(size*c, size*s)
		}
		if f.started {
			v *= f.product[k]
		}
		f.product[k] = v
	}
}

// invert sets the masses and returns a bound on their error in total variation.
func (f *folder) invert(l *lattice) float64 {
	rounding, square := 0.0, 0.0
	for k, v := range f.product {
		size := math.Hypot(real(v), imag(v))
		e := f.flat + 2*math.Exp(vanished)
		if r := f.relative[k] + 256*unit; r < 0.1 {
			e = math.Min(e, 1.2*r*size+2*math.Exp(vanished))
		}
		rounding += 2 * e * e
		square += 2 * size * size
	}
	f.fft.Inverse(f.real, f.product)
	n := len(f.real)
	l.mass = make([]float64, n)
	at := ((l.low % n) + n) % n
	for i := range l.mass {
		l.mass[i] = math.Max(f.real[at], 0) // negative values are rounding
		if at++; at == n {
			at = 0
		}
	}
	return math.Sqrt(rounding) + f.fft.ErrorBound()*math.Sqrt(square)
}
