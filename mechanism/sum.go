package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ditherml/dither/linalg"
)

// SumOptions are the public numbers of a sum.
type SumOptions struct {
	// Noise is how the sum will be released; the integer scale follows from it.
	Noise Noise
	// Columns is the number of coefficients a record has.
	Columns int
	// Bound is the largest L2 norm of one record's contribution.
	Bound float64
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
	// Coarse asks for the coarsest grid on which rounding is lost in Gaussian noise, instead of the finest that
	// holds the sum: coefficients are shorter and rows of bytes are added faster. The rounding of all
	// coefficients together moves a number of the sum by less than 1 % of a standard deviation of the noise.
	// Rows with a center or an intercept have the finest grid all the same.
	Coarse bool
}

// Sum is an exact sum of verified contributions. Coefficients are proposals: each is
// rounded to an integer, and the record's outer product is added only if its norm,
// computed exactly in integers, is within the bound. A Sum is not safe for concurrent
// use; goroutines fill their own (Empty) and Merge. The order and the division of
// work do not change a bit of the result.
type Sum struct {
	tally
	wholeSum
	rows  *Rows
	bound float64
	scale float64 // integers of Δ in one unit of the bound
	grid  grid
	betas []int64   // Σ of the coefficients times β, for rows with a center
	tails []int64   // Σ of the coefficients times the intercepts
	q     []int64   // working space
	exact []float64 // of a block
}

// NewSum returns an empty sum over rows of the sample. It errs when the options make
// no sense, when the sample is of another number of records, or when there are more
// records than MaxRecords.
func NewSum(s Sample, rows *Rows, o SumOptions) (*Sum, error) {
	if err := checkSample(s, rows, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Columns < 1 || !(o.Bound > 0) || math.IsInf(o.Bound, 1) || o.Noise == nil {
		return nil, fmt.Errorf("mechanism: sum has %d columns, bound %v and noise %v, want at least 1 column, a positive finite bound and a noise", o.Columns, o.Bound, o.Noise)
	}
	f := fit{maxRecords: o.MaxRecords, norm: L2(), dim: o.Columns * rows.Dim()}
	if o.Coarse && rows.frame.bits == 0 && rows.frame.m == nil && rows.frame.Intercept == 0 {
		f.largest, f.rowDim = float64(rows.kind.Largest()), rows.dim
	}
	g, err := o.Noise.fit(f)
	if err != nil {
		return nil, err
	}
	return newSum(s, rows, o.Columns, o.Bound, g), nil
}

func checkSample(s Sample, rows *Rows, maxRecords int) error {
	if s.drawn == nil || rows == nil || s.drawn.records != rows.total {
		return fmt.Errorf("mechanism: the sample was not drawn from these rows, want one that Sampling.Draw made for as many records")
	}
	return checkMaxRecords(s, maxRecords)
}

func newSum(s Sample, rows *Rows, columns int, bound float64, g grid) *Sum {
	return &Sum{tally: newTally(s), wholeSum: newWholeSum(rows, columns, make([]int64, columns*rows.dim)), rows: rows, bound: bound, scale: float64(g.bound) / bound, grid: g,
		betas: make([]int64, columns), tails: make([]int64, columns)}
}

// Empty returns a sum of the same kind with nothing in it, for another goroutine.
func (s *Sum) Empty() *Sum { return newSum(s.sample, s.rows, s.columns, s.bound, s.grid) }

// EmptyOf returns a sum of the same kind with nothing in it over other rows of the same
// records: another block of them, from disk or another machine.
func (s *Sum) EmptyOf(rows *Rows) (*Sum, error) {
	if !s.rows.alike(rows) {
		return nil, fmt.Errorf("mechanism: the rows are of another kind, want the number of records, the dim, step and center of the first")
	}
	return newSum(s.sample, rows, s.columns, s.bound, s.grid), nil
}

// Add adds the contributions of the records first, first+1, …. A record that is not in
// the sample, or was added already, or coefficients of another shape are errors of the
// caller, and nothing is added. Coefficients that are NaN or infinite make the record
// contribute zero; those beyond the bound are moved toward zero until they hold it.
func (s *Sum) Add(first int, c linalg.Contributions) error {
	b, err := s.rows.Load(first, c.Records(), Block{})
	if err != nil {
		return err
	}
	return s.AddBlock(b, c)
}

// AddAt is Add for records in any order: c speaks of the records that are listed.
func (s *Sum) AddAt(records []int, c linalg.Contributions) error {
	b, err := s.rows.LoadAt(records, Block{})
	if err != nil {
		return err
	}
	return s.AddBlock(b, c)
}

// AddBlock is Add for the records of a block, of these rows or of rows like them.
func (s *Sum) AddBlock(b Block, c linalg.Contributions) error {
	if s.sealed {
		return errSealed
	}
	if err := s.check(&b, c); err != nil {
		return err
	}
	if err := s.mark(b.first, b.records, b.Len()); err != nil {
		return err
	}
	s.exact = room(s.exact, len(c.Coefficients))
	s.verifyBlock(s.exact, s.columns, 1, &b, c.Coefficients)
	s.add(b.x, s.exact)
	return nil
}

// check refuses contributions of another shape and rows of another kind.
func (s *Sum) check(b *Block, c linalg.Contributions) error {
	n := b.Len()
	if c.Columns != s.columns || c.Records() != n || len(c.Coefficients) != n*s.columns {
		return fmt.Errorf("mechanism: contributions are of %d records with %d columns, want %d with %d", c.Records(), c.Columns, n, s.columns)
	}
	if !s.rows.alike(b.rows) {
		return errOtherKind
	}
	return nil
}

// verifyBlock writes the integers that the records of a block may add, those of each record and of each column so
// far behind those of the last, and adds what stands beside their rows.
func (s *Sum) verifyBlock(dst []float64, record, column int, b *Block, proposals []float64) {
	if s.columns == 1 {
		s.verifyOnes(dst, b, proposals)
		return
	}
	s.q = room(s.q, s.columns)
	for i := range b.Len() {
		s.verifySoon(s.q, proposals[i*s.columns:(i+1)*s.columns], b.n2[i], b.multiplier(i, &b.rows.frame))
		beta, tail := b.beta(i), b.tail(i)
		betas, tails, at := s.betas[:len(s.q)], s.tails[:len(s.q)], i*record
		for k, v := range s.q {
			dst[at] = float64(v) // at most 2^52: exact
			betas[k] += v * beta
			tails[k] += v * tail
			at += column
		}
	}
}

// verifyOnes is verifyBlock for one coefficient a record: it rounds and compares as verify does, which
// decides about all that does not pass at once.
func (s *Sum) verifyOnes(dst []float64, b *Block, proposals []float64) {
	limitHigh, limitLow := bits.Mul64(uint64(s.grid.bound), uint64(s.grid.bound))
	unit, units, squares := b.rows.frame.unit, b.multipliers, b.n2[:len(proposals)]
	for i, v := range proposals {
		if units != nil {
			unit = float64(units[i])
		}
		f, n2 := nearest(v*float64(s.scale*unit)), squares[i]
		q := int64(math.Abs(f))
		high, low := bits.Mul64(uint64(q), uint64(q))
		if n2 == 0 || !(math.Abs(f) <= maxCoefficient) || !within(high, low, uint64(n2), limitHigh, limitLow) {
			var one [1]int64
			s.verifySoon(one[:], proposals[i:i+1], n2, unit)
			f = float64(one[0])
		}
		dst[i] = f
	}
	s.addBeside(dst, b)
}

// verifySoon is verify, and faster for coefficients that are few and small.
func (s *Sum) verifySoon(q []int64, proposal []float64, n2 int64, unit float64) {
	if n2 <= 0 || !verifySmall(q, proposal, s.scale*unit, uint64(n2), uint64(s.grid.bound)) {
		s.verify(q, proposal, n2, unit)
	}
}

// maxSmall and mostSmall are how large and how many coefficients are for verifySmall: their squares have 64 bits.
const maxSmall, mostSmall = 1 << 28, 64

// verifySmall rounds and compares as verify does, to the nearest and then toward zero, and reports whether what it wrote is
// within the bound; else verify decides.
func verifySmall(q []int64, proposal []float64, scale float64, n2, bound uint64) bool {
	squares, truncated := uint64(0), uint64(0)
	q = q[:len(proposal)]
	for k, v := range proposal {
		f := nearest(v * scale)
		if !(math.Abs(f) < maxSmall) || k >= mostSmall {
			return false
		}
		q[k] = int64(f)
		squares += uint64(q[k] * q[k])
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

// verify writes to q the integers that a record may add: after it,
// (Σ q_k²)·n2 ≤ Δ² holds exactly. It defines where a proposal becomes part
// of a sum; what is faster writes the same integers. The row's integers stand for unit each.
func (s *Sum) verify(q []int64, proposal []float64, n2 int64, unit float64) {
	scale := s.scale * unit
	if n2 == 0 || !quantise(q, proposal, scale, math.RoundToEven) {
		clear(q)
		return
	}
	// Beyond the bound: round toward zero, and if that is not enough, scale to the bound before.
	if withinBound(q, n2, s.grid.bound) || quantise(q, proposal, scale, math.Trunc) && withinBound(q, n2, s.grid.bound) {
		return
	}
	norm := 0.0
	for _, v := range proposal {
		norm = math.Hypot(norm, v*scale)
	}
	scale *= min(1, float64(s.grid.bound)/(norm*math.Sqrt(float64(n2)))) * (1 - 1e-12)
	if !quantise(q, proposal, scale, math.Trunc) || !withinBound(q, n2, s.grid.bound) {
		clear(q)
	}
}

// maxCoefficient keeps every coefficient, and so its square sum in 128 bits, far from
// overflow.
const maxCoefficient = 1 << 52

// quantise rounds proposal·scale into q, moved into ±maxCoefficient; it reports
// whether all values were finite.
func quantise(q []int64, proposal []float64, scale float64, way func(float64) float64) bool {
	for k, v := range proposal {
		f := way(v * scale)
		if f-f != 0 && !(v-v == 0) { // NaN or ±Inf
			return false
		}
		q[k] = int64(max(-maxCoefficient, min(maxCoefficient, f)))
	}
	return true
}

// withinBound reports whether (Σ q_k²)·n2 ≤ bound², in exact integers: the left side in 192 bits.
// Σ q_k² < 2^128 because there are fewer than 2^23 coefficients of at most 2^52.
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

// within reports whether a square sum of two words times n2 is at most the limit of two words.
func within(high, low, n2, limitHigh, limitLow uint64) bool {
	middle, low := bits.Mul64(low, n2)
	top, second := bits.Mul64(high, n2)
	middle, carry := bits.Add64(middle, second, 0)
	return top+carry == 0 && (middle < limitHigh || middle == limitHigh && low <= limitLow)
}

// Merge adds what o holds and empties o. It errs, and adds nothing, unless both sums
// are of the same sample and kind and have no record in common.
func (s *Sum) Merge(o *Sum) error {
	if !s.ofKind(o) {
		return errOtherKind
	}
	if err := s.merge(&o.tally); err != nil {
		return err
	}
	s.flush()
	o.flush()
	s.addSums(o)
	return nil
}

// ofKind reports whether what two sums hold may be added.
func (s *Sum) ofKind(o *Sum) bool {
	return s.rows.alike(o.rows) && s.grid == o.grid && s.columns == o.columns && s.bound == o.bound
}

// addSums moves the sums of o, which were flushed.
func (s *Sum) addSums(o *Sum) {
	addTo(s.total, o.total)
	addTo(s.betas, o.betas)
	addTo(s.tails, o.tails)
}

// Seal ends the sum. One record changes the integers of the result by at most Δ in
// L2 norm, which stands for Bound, when it is added or removed.
func (s *Sum) Seal() Bounded {
	s.sealed = true
	s.flush()
	return s.bounded()
}

// bounded is the sum of what was flushed.
func (s *Sum) bounded() Bounded {
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: s.rows.frame.centered(s.total, s.betas, s.tails), unit: s.bound / float64(s.grid.bound)}}
}
