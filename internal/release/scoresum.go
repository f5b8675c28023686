package release

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/rows"
)

// RowsWithMax are rows together with the largest magnitude of a coordinate of each standardized
// row. They are immutable and safe for concurrent use.
type RowsWithMax struct {
	rows  *Rows
	peaks []int64
	// largest is that of the integers of all rows, without their frame.
	largest int64
}

// NewRowsWithMax returns the rows r with the largest magnitude of each. It reads the rows once.
// Rows with a center or a whitening are an error, because no stored coordinate bounds such a row.
// Rows in a file are an error too. The error is ErrComputation if a row has changed since it was
// first read.
func NewRowsWithMax(r *Rows) (*RowsWithMax, error) {
	if r == nil || r.known == nil || r.frame.m != nil || r.frame.whitener != nil || r.file != nil {
		return nil, fmt.Errorf("release: scores are asked for of no rows, of rows in a file or of rows that are moved by a center, want rows in memory without one")
	}
	out := &RowsWithMax{rows: r, peaks: make([]int64, r.count)}
	err := r.Each(r.first, r.count, func(b Block) error {
		var own reader
		for i := range b.Len() {
			_, mix := own.mix(b.x, i, r.frame.secret)
			at, most := b.record(i)-r.first, own.peak()
			if mix >= prime || r.frame.mixOf(mix, 0, b.tail(i)) != r.known.mixes[at] {
				return ErrComputation // the row changed since it was entered
			}
			out.largest, out.peaks[at] = max(out.largest, most), max(most<<r.frame.bits, b.tail(i))
		}
		return nil
	})
	return out, err
}

// peak is the largest magnitude of the integers of the row that was read last.
func (own *reader) peak() (most int64) {
	for _, v := range own.row.Values {
		most = max(most, int64(v), -int64(v))
	}
	for _, v := range own.bytes {
		most = max(most, int64(v))
	}
	return most
}

// ScoreOptions are the public parameters of a ScoreSum.
type ScoreOptions struct {
	// Columns is the number of coefficients of a record.
	Columns int
	// Bound is the largest magnitude of a coordinate of one record's contribution, which is its L∞
	// norm.
	Bound float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// ScoreSum is an exact sum of rows multiplied by verified coefficients, for the private choice of
// one coordinate and its sign. Proposed coefficients are not trusted. A coefficient is rounded to
// an integer and moved toward zero until no coordinate of its product with the row exceeds the
// bound, exactly. A ScoreSum is not safe for concurrent use. Each goroutine needs a separate
// ScoreSum: Empty returns one, and Merge adds it to another.
type ScoreSum struct {
	seenSet
	all   rows.Sum
	of    *RowsWithMax
	o     ScoreOptions
	shift uint
	tails []int64
	exact []float64
	// What the sum is checked with; see admit.
	notes  []uint64 // of each column Σ q·h, which the product of its sum with the secret must be
	faulty bool     // a check failed: nothing is chosen
}

const (
	// maxScoreShift keeps one record's bound near 2^40: coefficients are fine against the largest
	// peaks, of 2^30, and sums of rows stay in float64 for long.
	maxScoreShift = 30
	// maxScores bounds the coordinates that are chosen from.
	maxScores = 1 << 24
)

// NewScoreSum returns an empty sum over the rows of a sample.
func NewScoreSum(s Sample, of *RowsWithMax, o ScoreOptions) (*ScoreSum, error) {
	if of == nil {
		return nil, fmt.Errorf("release: scores are asked for of no rows, want rows with peaks")
	}
	if err := checkSample(s, of.rows, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Columns < 1 || o.Columns > maxScores/of.rows.Dim() || !positive(o.Bound) || o.MaxRecords < 1 || o.MaxRecords > maxMaxRecords {
		return nil, fmt.Errorf("release: scores have %d columns, bound %v and max records %d, want at least 1 column, at most 2^24 coordinates, a positive finite bound and 1 to 2^40 records", o.Columns, o.Bound, o.MaxRecords)
	}
	shift := uint(maxScoreShift)
	for maxUnit<<shift > (1<<sumBits-1)/int64(o.MaxRecords) {
		shift--
	}
	return newScoreSum(s, of, o, shift), nil
}

func newScoreSum(s Sample, of *RowsWithMax, o ScoreOptions, shift uint) *ScoreSum {
	whole := newWholeSum(of.rows, o.Columns, nil)
	whole.Largest = float64(of.largest) // no larger than that of the type, so that less is flushed
	return &ScoreSum{seenSet: newSeenSet(s), all: whole, of: of, o: o, shift: shift, tails: make([]int64, o.Columns), notes: make([]uint64, o.Columns)}
}

// delta is one record's bound in integers.
func (s *ScoreSum) delta() int64 { return maxUnit << s.shift }

// Empty returns an empty sum of the same kind, for another goroutine.
func (s *ScoreSum) Empty() *ScoreSum { return newScoreSum(s.sample, s.of, s.o, s.shift) }

// AddBlock adds the contributions of the records of a block. It returns an error and adds nothing
// if a record is not in the sample or was added before. The same holds if the coefficients have a
// wrong shape. A NaN coefficient counts as zero.
func (s *ScoreSum) AddBlock(b Block, c kernel.Contributions) error {
	if s.sealed {
		return errSealed
	}
	n := b.Len()
	if c.Columns != s.o.Columns || len(c.Coefficients) != n*s.o.Columns {
		return fmt.Errorf("release: contributions have %d columns and %d coefficients, want %d columns for each of %d records", c.Columns, len(c.Coefficients), s.o.Columns, n)
	}
	if b.rows != s.of.rows {
		return errOtherKind
	}
	if err := s.mark(b.first, b.records, n); err != nil {
		return err
	}
	s.exact = grow(s.exact, len(c.Coefficients))
	for i := range n {
		peak, tail, unit := s.of.peaks[b.record(i)-s.of.rows.first], b.tail(i), b.multiplier(i, &s.of.rows.frame)
		for k, v := range c.Coefficients[i*s.all.Columns : (i+1)*s.all.Columns] {
			q := s.roundWithin(v*unit, peak)
			s.exact[i*s.all.Columns+k] = float64(q)
			s.tails[k] += q * tail
		}
	}
	if err := s.admit(&b); err != nil {
		return err
	}
	s.all.Add(b.x, s.exact)
	return nil
}

// admit holds that no coordinate of a record's contribution is beyond the bound. It notes the
// product of the contribution with the secret, as Sum.admit does. It errs where one is, and then
// nothing is chosen.
func (s *ScoreSum) admit(b *Block) error {
	for i := 0; i < b.Len() && !s.faulty; i++ {
		at := b.record(i) - s.of.rows.first
		peak, mix := s.of.peaks[at], s.of.rows.known.mixes[at]
		s.faulty = mix >= prime
		for k, f := range s.exact[i*s.all.Columns : (i+1)*s.all.Columns] {
			v := int64(f)
			high, low := bits.Mul64(uint64(max(v, -v)), uint64(peak))
			s.faulty = s.faulty || high != 0 || low > uint64(s.delta())
			s.notes[k] = residue(s.notes[k] + timesResidue(v, mix))
		}
	}
	if s.faulty {
		return ErrComputation
	}
	return nil
}

// agrees reports whether the integers of the sum have the products with the secret that were noted.
func (s *ScoreSum) agrees(values []int64) bool {
	dim := s.of.rows.Dim()
	if s.faulty || !short(values) {
		return false
	}
	r := s.of.rows.origin.secret[:dim]
	for k, noted := range s.notes {
		if mixLong(values[k*dim:(k+1)*dim], r) != noted {
			return false
		}
	}
	return true
}

// roundWithin returns the integer that a record may add to a column: its magnitude times peak is at most
// Δ. The proposal is of one integer of the row.
func (s *ScoreSum) roundWithin(proposal float64, peak int64) int64 {
	if peak == 0 {
		return 0
	}
	limit := s.delta() / peak
	q := math.RoundToEven(proposal * (float64(s.delta()) / s.o.Bound))
	switch {
	case q != q:
		return 0
	case q >= float64(limit): // at most 2^40, exactly
		return limit
	case q <= -float64(limit):
		return -limit
	}
	return int64(q)
}

// Merge adds the records of o to s and empties o. If the sums are of different samples or kinds, or
// have a record in common, Merge returns an error and changes nothing.
func (s *ScoreSum) Merge(o *ScoreSum) error {
	if s.of != o.of || s.o != o.o {
		return errOtherKind
	}
	if err := s.merge(&o.seenSet); err != nil {
		return err
	}
	s.all.Take(&o.all)
	addTo(s.tails, o.tails)
	s.faulty = s.faulty || o.faulty
	for k, v := range o.notes {
		s.notes[k] = residue(s.notes[k] + v)
	}
	clear(o.notes)
	return nil
}

// Seal ends the sum and returns two scores for each coordinate, column after column. The first
// score is the negative sum and the second is the sum, both divided by the bound. So a choice
// prefers candidate 2j if coordinate j of the sum is very negative, and candidate 2j+1 if it is
// very positive.
//
// If one record is added or removed, each score changes by at most 1 in either direction. The
// integers of the sum change by at most Δ = 1000·2^shift. They are rounded to multiples of 2^shift,
// so the rounded integers change by at most 1000 such multiples.
func (s *ScoreSum) Seal() Scores {
	s.sealed = true
	s.all.Flush()
	values := slices.Clone(s.of.rows.frame.centered(s.all.Total, make([]int64, s.all.Columns), s.tails))
	loss := make([]int64, 0, 2*len(values))
	for _, v := range values {
		coarse := (v + 1<<s.shift>>1) >> s.shift
		loss = append(loss, coarse, -coarse)
	}
	return Scores{&scores{sample: s.sample, loss: loss, unit: maxUnit, faulty: !s.agrees(values)}}
}
