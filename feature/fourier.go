package feature

import "math"

// fourier is a discrete Fourier transform of one length along the first axis of an array, by the
// self-sorting mixed-radix algorithm (C. Temperton, "Self-sorting mixed-radix fast Fourier
// transforms", Journal of Computational Physics 52, 1983). It is not scaled. It is immutable and
// safe for concurrent use.
type fourier struct {
	n      int
	stages []fourierStage
}

// fourierStage combines radix transforms of length m each.
type fourierStage struct {
	radix, m int
	// twiddles has radix-1 numbers for each of the m outputs.
	twiddles []complex128
	// roots are the radix-th roots of one, for radices without special code.
	roots []complex128
	sign  float64
}

// newFourier returns the transform of length n with exponent sign·2πi·jk/n.
func newFourier(n int, sign float64) *fourier {
	f := &fourier{n: n}
	for length := n; length > 1; {
		r := radix(length)
		s := fourierStage{radix: r, m: length / r, sign: sign}
		for p := range s.m {
			for k := 1; k < r; k++ {
				s.twiddles = append(s.twiddles, rootOfOne(sign, p*k, length))
			}
		}
		for k := range r {
			s.roots = append(s.roots, rootOfOne(sign, k, r))
		}
		f.stages, length = append(f.stages, s), s.m
	}
	return f
}

// radix returns the factor of n that the next stage removes.
func radix(n int) int {
	for _, r := range []int{4, 3, 2} {
		if n%r == 0 {
			return r
		}
	}
	r := 5
	for n%r != 0 {
		r += 2
	}
	return r
}

func rootOfOne(sign float64, k, n int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k%n) / float64(n))
	return complex(cos, sign*sin)
}

// apply transforms each of the batch columns of x, an n × batch array. It returns the result, which
// lies in x or in y, and the other array. Both are overwritten.
func (f *fourier) apply(x, y []complex128, batch int) (result, other []complex128) {
	width := batch
	for i := range f.stages {
		f.stages[i].apply(y, x, width)
		x, y, width = y, x, width*f.stages[i].radix
	}
	return x, y
}

func (s *fourierStage) apply(y, x []complex128, width int) {
	for p := range s.m {
		out, w := y[width*s.radix*p:], s.twiddles[(s.radix-1)*p:]
		at := func(k int) []complex128 { return x[width*(p+s.m*k):][:width] }
		switch s.radix {
		case 2:
			radix2(out, at(0), at(1), w[0])
		case 3:
			radix3(out, at(0), at(1), at(2), w[0], w[1], s.sign)
		case 4:
			radix4(out, at(0), at(1), at(2), at(3), w[0], w[1], w[2], s.sign)
		default:
			s.anyRadix(out, x, p, width)
		}
	}
}

func radix2(out, a, b []complex128, w complex128) {
	n := len(a)
	b, y0, y1 := b[:n], out[:n], out[n:][:n]
	for q, u := range a {
		v := b[q]
		y0[q], y1[q] = u+v, (u-v)*w
	}
}

func radix3(out, a, b, c []complex128, w1, w2 complex128, sign float64) {
	n, half := len(a), sign*math.Sqrt(3)/2
	b, c, y0, y1, y2 := b[:n], c[:n], out[:n], out[n:][:n], out[2*n:][:n]
	for q, u := range a {
		sum, difference := b[q]+c[q], b[q]-c[q]
		middle := complex(real(u)-real(sum)/2, imag(u)-imag(sum)/2)
		turned := complex(-half*imag(difference), half*real(difference))
		y0[q], y1[q], y2[q] = u+sum, (middle+turned)*w1, (middle-turned)*w2
	}
}

func radix4(out, a, b, c, d []complex128, w1, w2, w3 complex128, sign float64) {
	n := len(a)
	b, c, d = b[:n], c[:n], d[:n]
	y0, y1, y2, y3 := out[:n], out[n:][:n], out[2*n:][:n], out[3*n:][:n]
	for q, u := range a {
		even, odd := u+c[q], u-c[q]
		sum, difference := b[q]+d[q], b[q]-d[q]
		turned := complex(-sign*imag(difference), sign*real(difference))
		y0[q], y1[q], y2[q], y3[q] = even+sum, (odd+turned)*w1, (even-sum)*w2, (odd-turned)*w3
	}
}

// anyRadix computes a stage by the definition.
func (s *fourierStage) anyRadix(out, x []complex128, p, width int) {
	for k := range s.radix {
		y, twiddle := out[width*k:][:width], complex(1, 0)
		if k > 0 {
			twiddle = s.twiddles[(s.radix-1)*p+k-1]
		}
		clear(y)
		for l := range s.radix {
			w := s.roots[k*l%s.radix] * twiddle
			for q, v := range x[width*(p+s.m*l):][:width] {
				y[q] += v * w
			}
		}
	}
}

// transpose writes the transpose of x, a rows × columns array, to y.
func transpose(y, x []complex128, rows, columns int) {
	for i := range rows {
		for j, v := range x[i*columns:][:columns] {
			y[j*rows+i] = v
		}
	}
}
