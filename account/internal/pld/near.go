package pld

import "math"

// near is the masses at the two nodes next to loss 0. Where nearly every loss is far smaller than a
// cell, they are nearly all the mass that is not at loss 0. Their transform has a closed form,
// whose rounding is relative to each coefficient. The rounding of special.FFT is relative to the
// masses, and counts for every release.
type near struct{ below, above float64 }

// manyReleases is the least number of releases for which near is worth its time.
const manyReleases = 100

// nearOf returns the masses next to loss 0 where they are most of the mass that is not at loss 0,
// and otherwise none.
func nearOf(l *lattice, count int64) near {
	if count < manyReleases {
		return near{}
	}
	var v near
	rest := 0.0
	for i, m := range l.mass {
		switch l.low + i {
		case -1:
			v.below = m
		case 1:
			v.above = m
		case 0:
		default:
			rest += m
		}
	}
	if v.both() < 4*rest {
		return near{}
	}
	return v
}

// both returns the sum of the masses.
func (v near) both() float64 { return v.below + v.above }

// transform returns the coefficient of the two masses at the angle 2x, less their sum, and a bound
// on its error. x is from 0 to π/2. The coefficient is
//
//	below·(e^(2ix) - 1) + above·(e^(-2ix) - 1) = -2·(below + above)·sin²x + 2i·(below - above)·sin x·cos x.
//
// The angle has a relative error of 3 units. So sin x errs by 8 units of itself, with 2 for
// math.Sincos and a margin. And cos x errs by at most 3·π/2 units for the angle and 2 for the
// function, less than 8. The real part has two such sines and 4 operations, so it errs by less than
// 24 units of itself. The imaginary part errs by 8 units of itself for the sine, 4 for operations,
// and 8 units of 2·|below - above|·sin x for the cosine.
func (v near) transform(x float64) (re, im, bound float64) {
	s, c := math.Sincos(x)
	re = -2 * v.both() * s * s
	side := 2 * (v.below - v.above) * s
	im = side * c
	return re, im, 24 * unit * (math.Abs(re) + math.Abs(im) + math.Abs(side))
}

// most returns a bound on the error of any coefficient by transform and add. Each of the three
// terms of transform is at most twice the sum of the masses. In add |d| is at most four times that
// sum, where the other masses are a quarter of these.
func (v near) most() float64 { return (24*6 + 2*8) * unit * v.both() }

// add adds the transform of these masses to that of the others. It adds to the errors the error
// that a power of n makes of it.
//
// With d the sum of both transforms, the addition errs by a unit of |re d| + |im d|. The power errs
// by the bound of rounding.
func (f *folder) add(v near, n float64) {
	size := float64(len(f.real))
	f.one[0] += complex(0, -2*v.both())
	for i := 1; i < len(f.one); i++ {
		re, im, bound := v.transform(math.Pi * float64(f.fft.Frequency(i)) / size)
		d := f.one[i] + complex(re, im)
		f.one[i] = d
		apart := math.Abs(real(d)) + math.Abs(imag(d))
		f.relative[i] += n * (bound + rounding(apart) + 2*unit*apart) / math.Hypot(1+real(d), imag(d)) * (1 + 1e-12)
	}
}
