package mechanism

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/linalg"
)

// limits are the largest coefficients that the records of a block may have in a sum of one column, and what a
// proposal is multiplied by. Sums of one group that have the rows, the bound and the scale in common share them.
type limits struct {
	grid         int64 // the bound
	scale        float64
	n2           []int64
	most, scales []float64 // of each record: a whole number m ≥ 0 with m²·n2 ≤ bound², or -1; coefficients in a proposal of 1
}

// of returns the limits of the records of a block for a sum. Until forget is called the norms must not change.
func (l *limits) of(s *Sum, b *Block) *limits {
	if l.n2 != nil && sameMemory(l.n2, b.n2) && l.grid == s.grid.bound && l.scale == s.scale {
		return l
	}
	n := len(b.n2)
	l.n2, l.grid, l.scale, l.most, l.scales = b.n2, s.grid.bound, s.scale, room(l.most, n), room(l.scales, n)
	linalg.DivideByRoots(l.most, l.n2, float64(l.grid))
	limitHigh, limitLow := bits.Mul64(uint64(l.grid), uint64(l.grid))
	most := l.most[:n]
	for i, v := range b.n2 {
		most[i] = limitOf(v, most[i], limitHigh, limitLow)
	}
	b.units(l.scales, s.scale)
	return l
}

// forget makes of compute anew: the next block may stand in the same memory.
func (l *limits) forget() { l.n2 = nil }

// limitOf returns a whole number m ≥ 0 with m²·n2 ≤ bound², exactly, in most cases the largest, or -1 for a row that adds
// nothing. The square of the bound has two words. Floating point proposes a quotient; integers decide.
func limitOf(n2 int64, quotient float64, limitHigh, limitLow uint64) float64 {
	if n2 > 0 {
		m := uint64(min(quotient, maxCoefficient/2))
		if high, low := bits.Mul64(m, m); within(high, low, uint64(n2), limitHigh, limitLow) {
			return float64(m)
		}
	}
	return -1
}

// nearest rounds a number of magnitude at most 2^51 to the nearest whole number, to the even one of two, and never to
// a negative zero: 1.5·2^52 and its neighbors are 1 apart. What it makes of others is whole and at least 2^51 in
// magnitude, infinite or NaN.
func nearest(v float64) float64 {
	const shift = 3 << 51
	return float64(float64(v)+shift) - shift // not fused with what made v
}

// verifyWithin is verifyBlock for one coefficient a record and limits of the records: it rounds as verify does, which
// decides about all that does not pass at once.
func (s *Sum) verifyWithin(dst []float64, b *Block, proposals []float64, l *limits) {
	if !linalg.RoundWithin(dst, proposals, l.scales, l.most) {
		for i, f := range dst {
			if !(math.Abs(f) <= l.most[i]) {
				var one [1]int64
				s.verifySoon(one[:], proposals[i:i+1], b.n2[i], b.multiplier(i, &b.rows.frame))
				dst[i] = float64(one[0])
			}
		}
	}
	s.addBeside(dst, b)
}

// addBeside adds what stands beside the rows of a block, for one coefficient a record.
func (s *Sum) addBeside(dst []float64, b *Block) {
	if b.rows.frame.m == nil && b.tails == nil {
		return // nothing stands beside the rows
	}
	beta, tail := int64(0), int64(0)
	for i, f := range dst {
		q := int64(f)
		beta += q * b.beta(i)
		tail += q * b.tail(i)
	}
	s.betas[0] += beta
	s.tails[0] += tail
}
