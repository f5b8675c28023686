package mechanism

import (
	"math"
	"math/bits"
)

// limits are the largest coefficients that the records of a block may have in a sum of one column, and what a
// proposal is multiplied by. Sums of one group that have the rows, the bound and the scale in common share them.
type limits struct {
	grid    int64 // the bound
	scale   float64
	n2      []int64
	records []limit
}

// limit is that of one record.
type limit struct {
	most  float64 // a whole number m ≥ 0 with m²·n2 ≤ bound², or -1
	scale float64 // coefficients in a proposal of 1
}

// of returns the limits of the records of a block for a sum. Until forget is called the norms must not change.
func (l *limits) of(s *Sum, b *Block) []limit {
	if l.n2 != nil && l.grid == s.grid.bound && l.scale == s.scale && sameMemory(l.n2, b.n2) {
		return l.records
	}
	l.grid, l.scale, l.n2, l.records = s.grid.bound, s.scale, b.n2, room(l.records, len(b.n2))
	limitHigh, limitLow := bits.Mul64(uint64(l.grid), uint64(l.grid))
	for i, v := range b.n2 {
		l.records[i] = limit{limitOf(v, l.grid, limitHigh, limitLow), s.scale * b.multiplier(i, &b.rows.frame)}
	}
	return l.records
}

// forget makes of compute anew: the next block may stand in the same memory.
func (l *limits) forget() { l.n2 = nil }

// limitOf returns a whole number m ≥ 0 with m²·n2 ≤ bound², exactly, in most cases the largest, or -1 for a row that adds
// nothing. The square of the bound has two words. A root in floating point proposes; integers decide.
func limitOf(n2, bound int64, limitHigh, limitLow uint64) float64 {
	if n2 <= 0 {
		return -1
	}
	m := uint64(min(float64(bound)/math.Sqrt(float64(n2)), maxCoefficient/2))
	for range 2 {
		if high, low := bits.Mul64(m, m); within(high, low, uint64(n2), limitHigh, limitLow) {
			return float64(m)
		}
		m = max(m, 1) - 1
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
func (s *Sum) verifyWithin(dst []float64, stride int, b *Block, proposals []float64, limits []limit) {
	at := 0
	for i, l := range limits[:len(proposals)] {
		f := nearest(float64(proposals[i] * l.scale))
		if !(math.Abs(f) <= l.most) {
			var one [1]int64
			s.verify(one[:], proposals[i:i+1], b.n2[i], b.multiplier(i, &b.rows.frame))
			f = float64(one[0])
		}
		dst[at] = f
		at += stride
	}
	s.addBeside(dst, stride, b, len(proposals))
}

// addBeside adds what stands beside the rows of a block, for one coefficient a record.
func (s *Sum) addBeside(dst []float64, stride int, b *Block, n int) {
	if b.rows.frame.m == nil && b.tails == nil {
		return // nothing stands beside the rows
	}
	beta, tail, at := int64(0), int64(0), 0
	for i := range n {
		q := int64(dst[at])
		beta += q * b.beta(i)
		tail += q * b.tail(i)
		at += stride
	}
	s.betas[0] += beta
	s.tails[0] += tail
}
