package release

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/release/internal/sample"
)

// Norm is the norm in which one record's vector is measured. The zero value is invalid.
type Norm struct{ kind normKind }

type normKind uint8

const (
	normL1 normKind = iota + 1
	normL2
	normLInfinity
)

// L1 returns the L1 norm, the sum of magnitudes.
func L1() Norm { return Norm{kind: normL1} }

// L2 returns the L2 norm, the Euclidean norm.
func L2() Norm { return Norm{kind: normL2} }

// LInfinity returns the L∞ norm, the largest magnitude.
func LInfinity() Norm { return Norm{kind: normLInfinity} }

// String returns "l1", "l2" or "l-infinity".
func (n Norm) String() string {
	switch n.kind {
	case normL1:
		return "l1"
	case normL2:
		return "l2"
	case normLInfinity:
		return "l-infinity"
	}
	return "invalid-norm"
}

// check refuses a norm that none of this package's functions made.
func (n Norm) check() error {
	if n.kind < normL1 || n.kind > normLInfinity {
		return fmt.Errorf("release: norm is %v, want one made by this package's functions", n)
	}
	return nil
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

// maxScaleBits bounds the scale of the noise for vectors of this length, for the exact samplers:
// of L∞ they take dim+1 scales below 2^52.
func (n Norm) maxScaleBits(dim int) uint {
	if n.kind == normLInfinity {
		return min(maxKNormBits, 52-uint(bits.Len(uint(dim)+1)))
	}
	return maxKNormBits
}

// float returns the norm in floating point, to shorten a proposal; within decides.
func (n Norm) float(v []float64) float64 {
	norm := 0.0
	for _, x := range v {
		x = math.Abs(x)
		switch n.kind {
		case normL1:
			norm += x
		case normL2:
			norm = math.Hypot(norm, x)
		case normLInfinity:
			norm = max(norm, x)
		}
	}
	return norm
}

// draw writes noise of probability ∝ exp(-‖x‖/2^scaleBits): exactly on the integers for L1 and
// L∞, continuous and then rounded for L2, up to the sampler's slack.
func (n Norm) draw(dst []int64, scaleBits uint) error {
	stream, scale := sample.NewStream(), uint64(1)<<scaleBits
	switch n.kind {
	case normL1:
		stream.DiscreteLaplace(dst, scale, 1)
	case normLInfinity:
		stream.LInfinity(dst, scale, 1)
	case normL2:
		stream.RoundedL2(dst, scale, 1)
	default:
		return n.check()
	}
	return nil
}
