package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// SumOptions are the public numbers of a sum.
type SumOptions struct {
	// Noise is how the sum will be released; the integer scale follows from it.
	Noise mechanism.Noise
	// Columns is the number of coefficients a record has.
	Columns int
	// Bound is the largest L2 norm of one record's contribution.
	Bound float64
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
	// Coarse asks for the coarsest grid on which rounding is lost in Gaussian noise, instead of the
	// finest that holds the sum: coefficients are shorter and rows of bytes are added faster. The
	// rounding of all coefficients together moves a number of the sum by less than 1 % of a
	// standard deviation of the noise. Where rows have a center, an intercept or a whitening, the
	// grid is fine enough for their longer integers. Rounding then moves the contribution of a row
	// of usual length by at most 2^-16 of a record's bound.
	Coarse bool
}

// Sum is an exact sum of verified contributions. Coefficients are proposals: each is
// rounded to an integer, and the record's outer product is added only if its norm,
// computed exactly in integers, is within the bound. A Sum is not safe for concurrent
// use; goroutines fill their own (Empty) and Merge. The order and the division of
// work do not change a bit of the result.
type Sum struct {
	seenSet
	adder
	rows    *Rows
	columns int
	bound   float64
	limit   int64 // Δ in units of n2's root, rounded down
	grid    grid
	mixes   []uint64 // of each column what its sum has as its product with the secret; see admit
	faulty  bool     // a check failed: nothing is released
}

// adder rounds what is proposed for records to integers, and adds up rows times integers. It may be
// wrong: Sum checks what it returns. Integers of records stand row after row.
type adder interface {
	// round returns the integers that the records of a block add their rows times.
	round(b *Block, proposals []float64) []float64
	// add adds the rows of a block times integers.
	add(b *Block, q []float64)
	// take adds what o holds, of the same kind, and empties o.
	take(o adder)
	// values returns the sum, column after column, as rows are seen.
	values() []int64
}

// NewSum returns an empty sum over rows of the sample. It errs when the options make
// no sense, when the sample is of another number of records, or when there are more
// records than MaxRecords.
func NewSum(s Sample, rows *Rows, o SumOptions) (*Sum, error) {
	if err := checkSample(s, rows, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Columns < 1 || o.Columns > maxColumns || !(o.Bound > 0) || math.IsInf(o.Bound, 1) || o.Noise == nil {
		return nil, fmt.Errorf("release: sum has %d columns, bound %v and noise %v, want 1 to %d columns, a positive finite bound and a noise", o.Columns, o.Bound, o.Noise, maxColumns)
	}
	f := fit{maxRecords: o.MaxRecords, norm: L2(), dim: o.Columns * rows.width}
	if o.Coarse {
		f.enough = rows.enough
	}
	g, err := fitNoise(o.Noise, f)
	if err != nil {
		return nil, err
	}
	return newSum(s, rows, o.Columns, o.Bound, g), nil
}

func checkSample(s Sample, rows *Rows, maxRecords int) error {
	if s.drawn == nil || rows == nil || s.drawn.records != rows.total {
		return fmt.Errorf("release: the sample was not drawn from these rows, want one that Draw made for as many records")
	}
	return checkMaxRecords(s, maxRecords)
}

func newSum(s Sample, rows *Rows, columns int, bound float64, g grid) *Sum {
	limit := g.bound >> rows.shift
	return &Sum{newSeenSet(s), newAdder(rows, columns, bound, limit), rows, columns, bound, limit, g, make([]uint64, columns), false}
}

// Empty returns a sum of the same kind with nothing in it, for another goroutine. What it reads of s does not change while s
// is filled.
func (s *Sum) Empty() *Sum { return newSum(s.sample, s.rows, s.columns, s.bound, s.grid) }

// AddBlock adds the contributions of the records of a block, of these rows or of the same integers.
// If a record is not in the sample or was added already, or coefficients have another shape, the
// caller is wrong and nothing is added. Coefficients that are NaN or infinite make the record
// contribute zero; those beyond the bound are moved toward zero until they hold it.
func (s *Sum) AddBlock(b Block, c kernel.Contributions) error {
	if s.sealed {
		return errSealed
	}
	if err := s.check(&b, c); err != nil {
		return err
	}
	if err := s.mark(b.first, b.records, b.Len()); err != nil {
		return err
	}
	return s.addAll(&b, s.round(&b, c.Coefficients))
}

// addAll adds the rows of a block, which were marked, times integers.
func (s *Sum) addAll(b *Block, q []float64) error {
	if err := s.admit(q, s.columns, 1, b); err != nil {
		return err
	}
	s.add(b, q)
	return nil
}

// check refuses contributions of another shape and rows of another kind.
func (s *Sum) check(b *Block, c kernel.Contributions) error {
	if n := b.Len(); c.Columns != s.columns || len(c.Coefficients) != n*s.columns {
		return fmt.Errorf("release: contributions are %d coefficients of %d columns, want those of %d records with %d columns", len(c.Coefficients), c.Columns, n, s.columns)
	}
	if b.rows == nil || s.rows.origin != b.rows.origin || !s.rows.fits(&b.rows.book) || !s.rows.alike(b.rows) {
		return errOtherKind
	}
	return nil
}

// Merge adds what o holds and empties o. It errs, and adds nothing, unless both sums
// are of the same sample and kind and have no record in common.
func (s *Sum) Merge(o *Sum) error {
	if !s.ofKind(o) {
		return errOtherKind
	}
	if err := s.merge(&o.seenSet); err != nil {
		return err
	}
	s.takeSums(o)
	return nil
}

// ofKind reports whether what two sums hold may be added.
func (s *Sum) ofKind(o *Sum) bool {
	return s.rows.fits(&o.rows.book) && s.rows.alike(o.rows) && s.grid == o.grid && s.columns == o.columns && s.bound == o.bound
}

// takeSums moves the sums of o, and what o noted.
func (s *Sum) takeSums(o *Sum) {
	s.mergeChecks(o)
	s.take(o.adder)
}

// Seal ends the sum. One record changes the integers of the result by at most Δ in
// L2 norm, which stands for Bound, when it is added or removed.
func (s *Sum) Seal() Bounded {
	s.sealed = true
	return s.bounded()
}

// bounded is what was summed.
func (s *Sum) bounded() Bounded {
	values := slices.Clone(s.values()) // what is checked is what is released, whatever the adder does later
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: values, unit: s.bound / float64(s.limit<<s.rows.shift), faulty: !s.agrees(values)}}
}
