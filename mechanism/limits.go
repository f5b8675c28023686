package mechanism

import (
	"math"
	"math/bits"
)

// limits are the largest coefficients that the records of a block may have in a sum of one column. Sums of one group
// that have the rows and the bound in common share them.
type limits struct {
	bound int64
	n2    []int64
	most  []float64 // whole numbers m ≥ 0 with m²·n2 ≤ bound², or -1
}

// of returns the limits of records with these squared norms. Until forget is called the norms must not change.
func (l *limits) of(bound int64, n2 []int64) []float64 {
	if l.n2 != nil && l.bound == bound && sameMemory(l.n2, n2) {
		return l.most
	}
	l.bound, l.n2, l.most = bound, n2, room(l.most, len(n2))
	limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))
	for i, v := range n2 {
		l.most[i] = limitOf(v, bound, limitHigh, limitLow)
	}
	return l.most
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

// wholeShift added to a number of magnitude at most 2^51 rounds it to the nearest whole number, to the even one of
// two: 1.5·2^52 and its neighbors are 1 apart.
const wholeShift = 3 << 51

// verifyWithin is verifyBlock for one coefficient a record and limits of the records: it rounds as verify does, which
// decides about all that does not pass at once.
func (s *Sum) verifyWithin(dst []float64, stride int, b *Block, proposals, most []float64) {
	unit, units, scale, at := b.rows.frame.unit, b.multipliers, s.scale, 0
	most = most[:len(proposals)]
	for i, v := range proposals {
		if units != nil {
			unit = float64(units[i])
		}
		f := float64(float64(v*float64(scale*unit))+wholeShift) - wholeShift
		if !(math.Abs(f) <= most[i]) {
			var one [1]int64
			s.verify(one[:], proposals[i:i+1], b.n2[i], unit)
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
	for i := range n {
		q := int64(dst[i*stride])
		s.betas[0] += q * b.beta(i)
		s.tails[0] += q * b.tail(i)
	}
}
