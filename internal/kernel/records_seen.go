package kernel

import "math"

// UnitRows describes rows for MeasureUnits: their integers times 2^Bits.
type UnitRows struct {
	Bits      uint
	Most      float64 // the largest squared norm, of the integers themselves, of a row that counts: at most 2^(62-2·Bits)
	Intercept float64 // the intercept of a row of norm 1, 0 or more
	Rest      float64 // the norm that the intercept leaves to the row
}

// tailMost is the largest intercept of a row that counts, in its integers.
const tailMost = 1 << 30

// MeasureUnits takes the squared norms of rows of integers, which are scaled to norm 1 together
// with an intercept. Let y2 = n2[i]·4^Bits be the squared norm of the scaled integers. MeasureUnits
// sets tails[i] to Intercept·√y2, rounded to the nearest integer, and multipliers[i] to Rest/√y2.
// It sets n2[i] to y2 + tails[i]², exactly. A row of zeros has the intercept only: its tail and its
// multiplier are 1. A row that is longer than Most, or has an intercept beyond 2^30, does not
// count: all three numbers are 0.
func MeasureUnits(n2 []int64, multipliers []float32, tails []int32, u UnitRows) {
	sameLengths(len(n2), len(multipliers), len(tails), len(n2))
	done := measureUnitsVector(available, n2, multipliers, tails, u)
	multipliers, tails = multipliers[:len(n2)], tails[:len(n2)]
	for i := done; i < len(n2); i++ {
		n2[i], multipliers[i], tails[i] = u.measure(n2[i])
	}
}

// measure is MeasureUnits of one row.
func (u UnitRows) measure(n2 int64) (square int64, multiplier float32, tail int32) {
	y2 := n2 << (2 * u.Bits)
	norm := math.Sqrt(float64(y2))
	t := float64(float64(u.Intercept*norm)+wholeShift) - wholeShift
	switch {
	case !(float64(n2) <= u.Most && t <= tailMost):
		return 0, 0, 0
	case y2 == 0:
		return 1, 1, 1
	}
	return y2 + int64(t)*int64(t), float32(u.Rest / norm), int32(t)
}

// ScaledNorms writes √n2[i]·units[i], of float64 numbers, to dst.
func ScaledNorms(dst []float64, n2 []int64, units []float32) {
	sameLengths(len(dst), len(n2), len(units), len(dst))
	done := rootsTimesVector(available, dst, n2, units)
	n2, units = n2[:len(dst)], units[:len(dst)]
	for i := done; i < len(dst); i++ {
		dst[i] = math.Sqrt(float64(n2[i])) * float64(units[i])
	}
}

// ToFloat64 writes the products of factor and v[i], in float64, to dst.
func ToFloat64(dst []float64, v []float32, factor float64) {
	sameLengths(len(dst), len(v), len(dst), len(dst))
	done := widenVector(available, dst, v, factor)
	v = v[:len(dst)]
	for i := done; i < len(dst); i++ {
		dst[i] = factor * float64(v[i])
	}
}

// AffineTerms are the terms of records' rows with an intercept. Tails has the intercept in each
// record's integers. For rows with a center, Betas has the multiple of the center to subtract.
// Weight and Center are the products of the intercept and of the center with the weights.
type AffineTerms struct {
	Tails, Betas   []int32 // Betas is nil without a center
	Weight, Center float64
}

// InterceptScores writes the scores of rows with an intercept to dst: units[i]·scale·src[i] +
// units[i]·(Tails[i]·Weight - Betas[i]·Center). It computes in float64 from left to right without
// fused operations, and rounds the result to float32.
func InterceptScores(dst, src, units []float32, scale float64, b AffineTerms) {
	sameLengths(len(dst), len(src), len(units), len(b.Tails))
	if b.Betas != nil {
		sameLengths(len(dst), len(b.Betas), len(dst), len(dst))
	}
	done := interceptScoresVector(available, dst, src, units, scale, b)
	src, units, tails := src[:len(dst)], units[:len(dst)], b.Tails[:len(dst)]
	for i := done; i < len(dst); i++ {
		unit, beside := float64(units[i]), float64(float64(tails[i])*b.Weight)
		if b.Betas != nil {
			beside -= float64(float64(b.Betas[i]) * b.Center)
		}
		dst[i] = float32(float64(unit*scale*float64(src[i])) + float64(unit*beside))
	}
}

// DotRounded returns Σ q[i]·v[i] of integers, modulo 2^64. The entries of q have a magnitude of at
// most 2^52.
func DotRounded(q []float64, v []int32) int64 {
	sameLengths(len(q), len(v), len(q), len(q))
	sum, done := dotRoundedVector(available, q, v)
	v = v[:len(q)]
	for i := done; i < len(q); i++ {
		sum += int64(q[i]) * int64(v[i])
	}
	return sum
}
