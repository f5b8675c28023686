package pld

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/numeric"
)

// item is a lattice that is composed with itself count times.
type item struct {
	*lattice
	count int64
}

// window says where the composition is looked for: up and down are the exponents of the
// Chernoff bounds on its two tails, tail the mass that each may leave outside.
type window struct {
	up, down float64 // up > 0 > down
	tail     float64
	most     int // nodes at most
}

// fold composes items that share step and tilt. It returns nil if the window needs more
// than the nodes allowed.
//
// The transform of the tilted masses, less 1, is raised to its count as a power of
// 1+(transform-1), so that no digits are lost when nearly all the mass is at loss 0. The
// composition is computed modulo the length of the window: mass outside it, at most
// twice the tail, appears inside, and is counted as an error.
//
// Rounding: let E bound the error of each coefficient of the transforms (numeric.FFT),
// relative to which powers and products add a few units per factor. A product of
// coefficients F of modulus at most 1 then errs by at most R·e^R·|∏F|, where R is the sum
// over factors of E/|F|, and in any case by the sum of the E. The error of the inverse
// transform is bounded in the Euclidean norm, and by the inequality of Cauchy and Schwarz
// the total variation norm is at most √N times that.
func fold(items []item, w window) *lattice {
	first := items[0]
	high, low := w.bounds(items)
	if !(high-low < float64(w.most)*first.step) {
		return nil
	}
	start := int(math.Floor(low / first.step))
	nodes := int(math.Ceil(high/first.step)) - start + 1
	n := max(1<<bits.Len(uint(nodes-1)), 16)
	if n > w.most {
		return nil
	}
	f := newFolder(n)
	result := &lattice{step: first.step, tilt: first.tilt, low: start}
	for _, v := range items {
		f.multiply(v.lattice, v.count)
		count := float64(v.count)
		result.log += count * v.log
		result.err += count * v.err
		result.shift += count * v.shift
		result.noise += count * v.noise
	}
	result.err = math.Expm1(result.err) // products of several errors
	norm := f.invert(result)
	result.err += norm + 4*w.tail
	result.normalize()
	result.trim(1e-17)
	return result
}

// bounds returns losses above and below which the composition has tilted mass of at most
// w.tail each: P(S ≥ b) ≤ e^{log E e^{sS} - s·b} (Chernoff).
func (w window) bounds(items []item) (high, low float64) {
	logUp, logDown := 0.0, 0.0
	for _, v := range items {
		logUp += float64(v.count) * v.logMoment(w.up)
		logDown += float64(v.count) * v.logMoment(w.down)
	}
	goal := math.Log(w.tail)
	return (logUp - goal) / w.up, (logDown - goal) / w.down
}

// folder multiplies powers of transforms of one length.
type folder struct {
	fft      *numeric.FFT
	real     []float64
	one      []complex128 // transform of the item at hand, less 1
	product  []complex128
	relative []float64 // R for each coefficient
	flat     float64   // the sum of the E
	started  bool
}

func newFolder(n int) *folder {
	return &folder{fft: numeric.NewFFT(n), real: make([]float64, n), one: make([]complex128, n/2),
		product: make([]complex128, n/2), relative: make([]float64, n/2)}
}

// load puts the masses less 1 at loss 0 on the circle; it returns the sum of magnitudes.
func (f *folder) load(l *lattice) float64 {
	clear(f.real)
	n := len(f.real)
	at := ((l.low % n) + n) % n
	for _, v := range l.mass {
		f.real[at] += v
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
	size := f.load(l)
	f.fft.Forward(f.one, f.real)
	n := float64(count)
	bound := f.fft.ErrorBound()*size + 12*unit
	f.flat += n * bound
	first := f.one[0]
	f.one[0] = complex(real(first), 0)
	last := complex(power(real(first), count), power(imag(first), count))
	if f.started {
		last = complex(real(last)*real(f.product[0]), imag(last)*imag(f.product[0]))
	}
	f.raise(count, bound)
	f.product[0] = last
	f.relative[0] = math.Inf(1)
	f.started = true
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

// raise does the work of multiply, in polar form.
func (f *folder) raise(count int64, bound float64) {
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
			if n*bound*math.Exp(-vanished/n) < 0.1 { // the exact power vanishes, too
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

// invert fills in the masses and returns a bound on their error in total variation.
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
		l.mass[i] = math.Max(f.real[at], 0) // what is negative is rounding
		if at++; at == n {
			at = 0
		}
	}
	return math.Sqrt(rounding) + f.fft.ErrorBound()*math.Sqrt(square)
}
