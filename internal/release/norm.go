package release

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Norm is how one record's vector is measured. The zero value is invalid.
type Norm struct {
	kind normKind
	axes *[]uint64 // of an ellipsoid, in multiples of 2^-axisBits
}

type normKind uint8

const (
	normL1 normKind = iota + 1
	normL2
	normLInfinity
	normEllipsoid
)

// L1 is the sum of magnitudes.
func L1() Norm { return Norm{kind: normL1} }

// L2 is the Euclidean norm.
func L2() Norm { return Norm{kind: normL2} }

// LInfinity is the largest magnitude.
func LInfinity() Norm { return Norm{kind: normLInfinity} }

const (
	axisBits = 16
	maxAxis  = 1 << 16
)

// Ellipsoid is the norm √Σ(v_j/a_j)² for positive public axes a_j between 2^-16 and 2^16, which are
// rounded down to multiples of 2^-16. So the norm is never smaller.
func Ellipsoid(axes []float64) (Norm, error) {
	units := make([]uint64, len(axes))
	for j, a := range axes {
		if !(a >= 1.0/maxAxis && a <= maxAxis) {
			return Norm{}, fmt.Errorf("release: axis %d of the ellipsoid is %v, want 2^-16 to 2^16", j, a)
		}
		units[j] = uint64(math.Floor(math.Ldexp(a, axisBits)))
	}
	return Norm{normEllipsoid, &units}, nil
}

// String returns "l1", "l2", "l-infinity" or "ellipsoid".
func (n Norm) String() string {
	switch n.kind {
	case normL1:
		return "l1"
	case normL2:
		return "l2"
	case normLInfinity:
		return "l-infinity"
	case normEllipsoid:
		return "ellipsoid"
	}
	return "invalid-norm"
}

// check refuses a norm that does not measure vectors of this length.
func (n Norm) check(dim int) error {
	if n.kind < normL1 || n.kind > normEllipsoid {
		return fmt.Errorf("release: norm is %v, want one made by this package's functions", n)
	}
	if n.kind == normEllipsoid && len(*n.axes) != dim {
		return fmt.Errorf("release: the ellipsoid has %d axes, want %d", len(*n.axes), dim)
	}
	return nil
}

// maxBound is the largest bound for which within cannot overflow, 0 for no limit.
func (n Norm) maxBound() int64 {
	if n.kind == normEllipsoid {
		return 1 << 36
	}
	return 0
}

// longest returns the largest magnitude that a number of a vector of norm 1 can have, rounded up and at least 1: at most
// 2^16.
func (n Norm) longest() int64 {
	if n.kind != normEllipsoid {
		return 1
	}
	return int64((max(1<<axisBits, slices.Max(*n.axes))-1)>>axisBits) + 1
}

// within reports, in exact integers, whether the norm of q is at most bound. Every |q_j| is at
// most maxCoefficient.
func (n Norm) within(q []int64, bound int64) bool {
	switch n.kind {
	case normL1:
		return withinL1(q, bound)
	case normL2:
		return withinBound(q, 1, bound)
	case normLInfinity:
		for _, v := range q {
			if max(v, -v) > bound {
				return false
			}
		}
		return true
	case normEllipsoid:
		return withinEllipsoid(q, *n.axes, bound)
	}
	return false
}

// withinL1 stops at the first partial sum beyond the bound, so nothing overflows.
func withinL1(q []int64, bound int64) bool {
	sum := int64(0)
	for _, v := range q {
		if sum += max(v, -v); sum > bound {
			return false
		}
	}
	return true
}

// withinEllipsoid compares Σ r_j² with (bound·2^axisBits)², where r_j = ⌈|q_j|·2^axisBits/a_j⌉, an
// integer that is never too small. One beyond the bound alone decides; the others are at most
// 2^52, and fewer than 2^23 squares of them fit in 128 bits.
func withinEllipsoid(q []int64, axes []uint64, bound int64) bool {
	limit := uint64(bound) << axisBits
	var high, low, carry uint64
	for j, v := range q {
		h, l := bits.Mul64(uint64(max(v, -v)), 1<<(2*axisBits))
		if h >= axes[j] {
			return false
		}
		r, rest := bits.Div64(h, l, axes[j])
		if rest != 0 {
			r++
		}
		if r > limit {
			return false
		}
		h, l = bits.Mul64(r, r)
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	limitHigh, limitLow := bits.Mul64(limit, limit)
	return high < limitHigh || high == limitHigh && low <= limitLow
}

// maxScaleBits bounds the scale of the noise for vectors of this length, for the exact samplers:
// of L∞ they take dim+1 scales below 2^52, of ellipsoids axes times the scale up to 2^48.
func (n Norm) maxScaleBits(dim int) uint {
	switch n.kind {
	case normLInfinity:
		return min(maxKNormBits, 52-uint(bits.Len(uint(dim)+1)))
	case normEllipsoid:
		return sample.MaxL2ScaleBits - axisBits
	}
	return maxKNormBits
}

// float returns the norm in floating point, to shorten a proposal; within decides.
func (n Norm) float(v []float64) float64 {
	norm := 0.0
	for j, x := range v {
		x = math.Abs(x)
		switch n.kind {
		case normL1:
			norm += x
		case normL2:
			norm = math.Hypot(norm, x)
		case normLInfinity:
			norm = max(norm, x)
		case normEllipsoid:
			norm = math.Hypot(norm, x/math.Ldexp(float64((*n.axes)[j]), -axisBits))
		}
	}
	return norm
}

// draw writes noise of probability ∝ exp(-‖x‖/2^scaleBits): exactly on the integers for L1 and
// L∞, continuous and then rounded for L2 and ellipsoids, up to the sampler's slack.
func (n Norm) draw(dst []int64, scaleBits uint) error {
	stream, scale := sample.NewStream(), uint64(1)<<scaleBits
	switch n.kind {
	case normL1:
		stream.DiscreteLaplace(dst, scale, 1)
	case normLInfinity:
		stream.LInfinity(dst, scale, 1)
	case normL2:
		stream.RoundedL2(dst, nil, scale, 1)
	case normEllipsoid:
		stream.RoundedL2(dst, *n.axes, scale, 1<<axisBits)
	default:
		return n.check(len(dst))
	}
	return nil
}
