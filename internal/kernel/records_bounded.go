package kernel

import "math"

const (
	wholeShift = 3 << 51 // floats beside it are 1 apart
	wholeMost  = 1 << 51 // up to it wholeShift rounds to the nearest integer
	// boundPart is by what part of a bound's square a square is clear of it: more than the errors of the seven
	// roundings between them, each at most a part in 2^53.
	boundPart = 0x1p-48
)

// RoundBounded writes integers f to dst for which f²·n2[i] ≤ bound² holds exactly: the product
// v[i]·scales[i], rounded to float64 and then to the nearest integer, the even one of two. Where
// that is beyond the bound, it is the product rounded toward zero. It is 0 where n2[i] is 0. Where
// it is in doubt which of them is within the bound, or whether any is, it writes NaN. A zero in dst
// has no sign. It returns whether there is no NaN.
//
// No number is in doubt whose square times n2[i] is 2^-48 or more of bound² away from it, if it and its square are finite and
// its magnitude at most 2^51. A row of negative n2[i] is in doubt.
//
// The proof: f is whole, so that the float64 of f² is exact or, with the float64 of n2[i], at
// least 1. Three roundings to nearest, none of which underflows, make of f²·n2[i] at least
// (1-2^-53)³ of it, and four make the number that it is compared with, bound²·(1-2^-48), at most
// (1+2^-53)⁴ of that. So a comparison that holds, holds without roundings for bound², even if the
// processor rounds in another direction, where each error is twice as large. Of what is beyond it
// the same holds the other way round. (N. J. Higham, "Accuracy and Stability of Numerical
// Algorithms", SIAM 2002, section 2.2, https://doi.org/10.1137/1.9780898718027.)
func RoundBounded(dst, v, scales []float64, n2 []int64, bound int64) (all bool) {
	sameLengths(len(dst), len(v), len(scales), len(n2))
	square := float64(bound) * float64(bound)
	low, high := square*(1-boundPart), square*(1+boundPart)
	all, done := roundBoundedVector(available, dst, v, scales, n2, low, high)
	return roundBoundedPortable(dst[done:], v[done:], scales[done:], n2[done:], low, high) && all
}

// roundBoundedPortable is RoundBounded, with what is surely within the square of the bound and what is surely beyond it.
func roundBoundedPortable(dst, v, scales []float64, n2 []int64, low, high float64) (all bool) {
	all = true
	v, scales, n2 = v[:len(dst)], scales[:len(dst)], n2[:len(dst)]
	for i := range dst {
		product, count := float64(v[i]*scales[i]), float64(n2[i])
		f := float64(product+wholeShift) - wholeShift
		if count == 0 {
			f = 0
		} else if square := f * f * count; !(count >= 1 && math.Abs(f) <= wholeMost && square <= low) {
			less := math.Trunc(product) + 0 // a zero has no sign
			if count >= 1 && math.Abs(f) <= wholeMost && square >= high && less*less*count <= low {
				f = less
			} else {
				f, all = math.NaN(), false
			}
		}
		dst[i] = f
	}
	return all
}

// ClipRows multiplies v[i] by most/(norms[i]·|v[i]|) where norms[i]·|v[i]| is beyond most. So it
// becomes most but for roundings; where that product is not finite it multiplies by 0. Others keep
// their bits.
func ClipRows(v, norms []float64, most float64) {
	sameLengths(len(v), len(norms), len(v), len(v))
	done := shortenVector(available, v, norms, most)
	norms = norms[:len(v)]
	for i := done; i < len(v); i++ {
		if norm := norms[i] * math.Abs(v[i]); !(norm <= most) {
			factor := 0.0
			if norm <= math.MaxFloat64 {
				factor = most / norm
			}
			v[i] *= factor
		}
	}
}
