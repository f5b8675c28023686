package kernel

import "math"

const (
	wholeShift = 3 << 51 // near it floats are 1 apart
	wholeMost  = 1 << 51 // up to it wholeShift rounds to the nearest integer
	// boundPart is the relative distance from a bound's square at which a square is clear of it. It
	// is more than the errors of the seven roundings between them, each at most a part in 2^53.
	boundPart = 0x1p-48
)

// RoundBounded writes integers f to dst for which f²·n2[i] ≤ bound² holds exactly. An integer f is
// the product v[i]·scales[i], rounded to float64 and then to the nearest integer, the even one of
// two. If that exceeds the bound, f is the product rounded toward zero. It is 0 if n2[i] is 0. It
// is NaN if it is in doubt which of the two is within the bound, or whether either is. A zero in
// dst has no sign. RoundBounded returns whether there is no NaN.
//
// A number is not in doubt if its square times n2[i] differs from bound² by at least 2^-48 of
// bound². This requires that the number and its square are finite and its magnitude is at most
// 2^51. A row of negative n2[i] is in doubt.
//
// Proof:
//
//  1. f is an integer, so the float64 of f² is exact or, with the float64 of n2[i], at least 1.
//  2. Three roundings to nearest, none with underflow, turn f²·n2[i] into at least (1-2^-53)³
//     times it.
//  3. Four roundings make the number that it is compared with, bound²·(1-2^-48), at most
//     (1+2^-53)⁴ times that.
//  4. So a comparison that holds also holds without roundings for bound². This is true even if the
//     processor rounds in another direction, where each error is twice as large.
//  5. The same holds in reverse for numbers beyond the bound.
//
// Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", SIAM 2002, section 2.2,
// https://doi.org/10.1137/1.9780898718027.
func RoundBounded(dst, v, scales []float64, n2 []int64, bound int64) (all bool) {
	sameLengths(len(dst), len(v), len(scales), len(n2))
	square := float64(bound) * float64(bound)
	low, high := square*(1-boundPart), square*(1+boundPart)
	all, done := roundBoundedVector(available, dst, v, scales, n2, low, high)
	return roundBoundedPortable(dst[done:], v[done:], scales[done:], n2[done:], low, high) && all
}

// roundBoundedPortable is RoundBounded. A square of at most low is surely within the bound, and a
// square of at least high is surely beyond it.
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

// ClipRows multiplies v[i] by most/(norms[i]·|v[i]|) if norms[i]·|v[i]| exceeds most. The product
// then becomes most, up to roundings. If it is not finite, v[i] is multiplied by 0. Other entries
// keep their bits.
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
