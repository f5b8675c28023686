package release

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/picks"
	"github.com/ditherml/dither/internal/rows"
)

// Proposals are rounded here to integers within the bound, and rows times integers added up. None
// of it is trusted to be right: check.go holds the bound of the integers and the sum. An integer
// must also depend on its own record alone. Kernels that round many records at a time are held to
// that by samples (again).

// rowAdder is the adder of sums of rows. Sums of a group have a part of one total, and share
// scales.
type rowAdder struct {
	rows.Sum
	rows   *Rows
	limit  int64     // Δ in units of n2's root
	scale  float64   // limit over bound: a proposal of 1 is this many of those units
	betas  []int64   // Σ of the coefficients times β, for rows with a center
	tails  []int64   // Σ of the coefficients times the intercepts
	q      []int64   // working space
	exact  []float64 // of a block
	scales *scales   // of its records
	kernel roundKernel
}

// roundKernel rounds proposals as kernel.RoundBounded does.
type roundKernel func(dst, v, scales []float64, n2 []int64, bound int64) (all bool)

// newAdder returns an empty adder.
func newAdder(rows *Rows, columns int, bound float64, limit int64) adder {
	return newRowAdder(rows, columns, bound, limit, nil, &scales{})
}

func newRowAdder(rows *Rows, columns int, bound float64, limit int64, total []int64, of *scales) *rowAdder {
	if of.picker == (picks.Picker{}) {
		of.picker = picks.NewSecret().Part(0)
	}
	return &rowAdder{Sum: newWholeSum(rows, columns, total), rows: rows, limit: limit, scale: float64(limit) / bound,
		betas: make([]int64, columns), tails: make([]int64, columns), scales: of, kernel: kernel.RoundBounded}
}

func (s *rowAdder) round(b Block, proposals []float64) []float64 {
	s.exact = grow(s.exact, len(proposals))
	s.scales.forget()
	s.roundBlock(s.exact, s.Columns, 1, &b, proposals)
	return s.exact
}

func (s *rowAdder) add(b Block, q []float64) { s.Sum.Add(b.x, q) }

func (s *rowAdder) take(o adder) {
	other := o.(*rowAdder)
	s.Take(&other.Sum)
	addTo(s.betas, other.betas)
	addTo(s.tails, other.tails)
}

func (s *rowAdder) values() []int64 {
	s.Flush()
	return s.rows.frame.centered(s.Total, s.betas, s.tails)
}

// roundBlock writes to dst the integers of the proposals of a block, where admit reads them. It adds
// up the coefficients times β and times the intercepts, which are no part of rows.
func (s *rowAdder) roundBlock(dst []float64, recordStep, columnStep int, b *Block, proposals []float64) {
	if s.Columns == 1 {
		s.roundOnes(dst, b, proposals)
		return
	}
	s.q = grow(s.q, s.Columns)
	for i := range b.Len() {
		s.roundFast(s.q, proposals[i*s.Columns:(i+1)*s.Columns], b.n2[i], b.multiplier(i, &b.rows.frame))
		at := i * recordStep
		for _, v := range s.q {
			dst[at] = float64(v) // at most 2^52: exact
			at += columnStep
		}
		if b.tails != nil {
			addScaled(s.tails, s.q, b.tail(i))
		}
		if b.rows.frame.m != nil {
			addScaled(s.betas, s.q, b.beta(i))
		}
	}
}

// addScaled adds v times a factor to dst.
func addScaled(dst, v []int64, factor int64) {
	dst = dst[:len(v)]
	for k, w := range v {
		dst[k] += w * factor
	}
}

// roundOnes is roundBlock for one coefficient a record: floats that leave no doubt write what
// roundWithin does, which decides about the others. If a picked record has another integer than its
// own proposal gives, the block gets an integer that no sum admits.
func (s *rowAdder) roundOnes(dst []float64, b *Block, proposals []float64) {
	if !s.kernel(dst, proposals, s.scales.of(s, b), b.n2, s.limit) {
		for i, f := range dst {
			if f != f {
				var one [1]int64
				s.roundFast(one[:], proposals[i:i+1], b.n2[i], b.multiplier(i, &b.rows.frame))
				dst[i] = float64(one[0])
			}
		}
	}
	if !s.scales.picker.Agree(len(dst), func(i int) bool { return dst[i] == s.again(b, i, proposals[i:i+1]) }) {
		dst[0] = 2 * maxCoefficient
	}
	s.addBeside(dst, b)
}

// again returns the integer of record i of a block, computed from its own proposal in portable code.
func (s *rowAdder) again(b *Block, i int, proposal []float64) float64 {
	var one [1]int64
	n2 := b.rows.known.n2[b.record(i)-b.rows.first]
	s.roundWithin(one[:], proposal, n2, b.multiplier(i, &b.rows.frame))
	return float64(one[0])
}

// scales are what the proposals of a block's records are multiplied by. The sums of a group that
// have frame and scale in common share them.
type scales struct {
	rows   *Rows // nil: none are known
	scale  float64
	values []float64
	picker picks.Picker // of records whose integers are computed once more
}

// of returns those of a block. Until forget is called all blocks are of the same records.
func (v *scales) of(s *rowAdder, b *Block) []float64 {
	if v.rows != b.rows || v.scale != s.scale {
		v.rows, v.scale, v.values = b.rows, s.scale, grow(v.values, b.Len())
		b.units(v.values, s.scale)
	}
	return v.values
}

// forget says that another block comes.
func (v *scales) forget() { v.rows = nil }

// addBeside adds what stands next to the rows of a block, for one coefficient a record.
func (s *rowAdder) addBeside(dst []float64, b *Block) {
	if b.tails != nil {
		s.tails[0] += kernel.DotRounded(dst, b.tails)
	}
	switch {
	case b.betas != nil:
		s.betas[0] += kernel.DotRounded(dst, b.betas)
	case b.rows.frame.m != nil:
		for _, f := range dst {
			s.betas[0] += int64(f)
		}
	}
}

// roundFast is roundWithin, and faster for coefficients that are few and small.
func (s *rowAdder) roundFast(q []int64, proposal []float64, n2 int64, unit float64) {
	if n2 <= 0 || !roundSmall(q, proposal, s.scale*unit, uint64(n2), uint64(s.limit)) {
		s.roundWithin(q, proposal, n2, unit)
	}
}

// maxSmall and mostSmall are how large and how many coefficients are for roundSmall: their squares
// have 64 bits.
const maxSmall, mostSmall = 1 << 28, 64

// roundSmall rounds and compares as roundWithin does, to the nearest and then toward zero. It
// reports whether its result is within the bound; else roundWithin decides.
func roundSmall(q []int64, proposal []float64, scale float64, n2, bound uint64) bool {
	if len(proposal) > mostSmall {
		return false
	}
	squares, truncated := uint64(0), uint64(0)
	q = q[:len(proposal)]
	for k, v := range proposal {
		f := nearest(v * scale)
		if !(math.Abs(f) < maxSmall) {
			return false
		}
		w := int64(f)
		q[k] = w
		squares += uint64(w * w)
	}
	limitHigh, limitLow := bits.Mul64(bound, bound)
	if within(0, squares, n2, limitHigh, limitLow) {
		return true
	}
	for k, v := range proposal {
		q[k] = int64(v * scale) // toward zero
		truncated += uint64(q[k] * q[k])
	}
	return within(0, truncated, n2, limitHigh, limitLow)
}

// roundWithin writes to q the integers that the proposal of a record becomes, with (Σ q_k²)·n2 ≤
// Δ². It is their definition: roundFast and kernels write the same. The row's integers stand for
// unit each.
func (s *rowAdder) roundWithin(q []int64, proposal []float64, n2 int64, unit float64) {
	scale := s.scale * unit
	if n2 == 0 || !quantise(q, proposal, scale, math.RoundToEven) {
		clear(q)
		return
	}
	// Beyond the bound: round toward zero, and if that is not enough, scale to the bound before.
	if withinBound(q, n2, s.limit) || quantise(q, proposal, scale, math.Trunc) && withinBound(q, n2, s.limit) {
		return
	}
	norm := 0.0
	for _, v := range proposal {
		norm = math.Hypot(norm, v*scale)
	}
	scale *= min(1, float64(s.limit)/(norm*math.Sqrt(float64(n2)))) * (1 - 1e-12)
	if !quantise(q, proposal, scale, math.Trunc) || !withinBound(q, n2, s.limit) {
		clear(q)
	}
}

// quantise rounds proposal·scale into q, moved into ±maxCoefficient; it reports whether all values
// were finite. A product that is NaN, as 0 times an infinite scale is, counts as a value that is
// not.
func quantise(q []int64, proposal []float64, scale float64, way func(float64) float64) bool {
	for k, v := range proposal {
		f := way(v * scale)
		if f != f || f-f != 0 && !(v-v == 0) { // NaN, or ±Inf of ±Inf
			return false
		}
		q[k] = int64(max(-maxCoefficient, min(maxCoefficient, f)))
	}
	return true
}

// withinBound reports whether (Σ q_k²)·n2 ≤ bound², in exact integers: the left side in 192 bits.
// Σ q_k² < 2^128 because there are at most maxColumns coefficients of at most 2^52.
func withinBound(q []int64, n2, bound int64) bool {
	var high, low, carry uint64
	for _, v := range q {
		u := uint64(max(v, -v))
		h, l := bits.Mul64(u, u)
		low, carry = bits.Add64(low, l, 0)
		high += h + carry
	}
	limitHigh, limitLow := bits.Mul64(uint64(bound), uint64(bound))
	return within(high, low, uint64(n2), limitHigh, limitLow)
}

// nearest rounds a number of magnitude at most 2^51 to the nearest integer, to the even one of two,
// and never to a negative zero: 1.5·2^52 and its neighbors are 1 apart. What it makes of others is
// whole and at least 2^51 in magnitude, infinite or NaN.
func nearest(v float64) float64 {
	const shift = 3 << 51
	return float64(float64(v)+shift) - shift // not fused with what made v
}
