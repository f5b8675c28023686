package release

import (
	"fmt"
	"math"

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
	wholeSum
	rows   *Rows
	bound  float64
	limit  int64   // Δ in units of n2's root, rounded down
	scale  float64 // limit over bound: a proposal of 1 is this many of those units
	grid   grid
	betas  []int64   // Σ of the coefficients times β, for rows with a center
	tails  []int64   // Σ of the coefficients times the intercepts
	q      []int64   // working space
	exact  []float64 // of a block
	scales *scales   // of its records
	mixes  []uint64  // of each column what its sum has as its product with the secret; see admit
	faulty bool      // a check failed: nothing is released
}

// NewSum returns an empty sum over rows of the sample. It errs when the options make
// no sense, when the sample is of another number of records, or when there are more
// records than MaxRecords.
func NewSum(s Sample, rows *Rows, o SumOptions) (*Sum, error) {
	if err := checkSample(s, rows, o.MaxRecords); err != nil {
		return nil, err
	}
	if o.Columns > maxColumns {
		return nil, fmt.Errorf("release: sum has %d columns, want at most %d", o.Columns, maxColumns)
	}
	if o.Columns < 1 || !(o.Bound > 0) || math.IsInf(o.Bound, 1) || o.Noise == nil {
		return nil, fmt.Errorf("release: sum has %d columns, bound %v and noise %v, want at least 1 column, a positive finite bound and a noise", o.Columns, o.Bound, o.Noise)
	}
	f := fit{maxRecords: o.MaxRecords, norm: L2(), dim: o.Columns * rows.Dim()}
	if f.framed = o.Coarse && rows.frame.long(); o.Coarse && !f.framed {
		f.largest, f.rowDim = float64(rows.kind.Largest()), rows.dim
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
	limit := g.bound >> rows.frame.shift
	return &Sum{seenSet: newSeenSet(s), wholeSum: newWholeSum(rows, columns, make([]int64, columns*rows.dim)), rows: rows, bound: bound, limit: limit, scale: float64(limit) / bound, grid: g,
		betas: make([]int64, columns), tails: make([]int64, columns), scales: &scales{}, mixes: make([]uint64, columns)}
}

// Empty returns a sum of the same kind with nothing in it, for another goroutine. What it reads of s does not change while s
// is filled.
func (s *Sum) Empty() *Sum { return newSum(s.sample, s.rows, s.columns, s.bound, s.grid) }

// EmptyOf returns a sum of the same kind with nothing in it over other rows of the same
// records: another block of them, from disk or another machine.
func (s *Sum) EmptyOf(rows *Rows) (*Sum, error) {
	if !s.rows.alike(rows) {
		return nil, fmt.Errorf("release: the rows are of another kind, want the number of records, the dim, step and center of the first")
	}
	return newSum(s.sample, rows, s.columns, s.bound, s.grid), nil
}

// AddBlock adds the contributions of the records of a block, of these rows or of rows like them. A
// record that is not in the sample, or was added already, or coefficients of another shape are
// errors of the caller, and nothing is added. Coefficients that are NaN or infinite make the record
// contribute zero; those beyond the bound are moved toward zero until they hold it.
func (s *Sum) AddBlock(b Block, c kernel.Contributions) error {
	if s.sealed {
		return errSealed
	}
	if err := s.check(&b, c); err != nil {
		return err
	}
	if !s.rows.shares(b.rows) { // rows of other integers have a secret of their own
		part := newSum(s.sample, b.rows, s.columns, s.bound, s.grid)
		if err := part.AddBlock(b, c); err != nil {
			return err
		}
		return s.Merge(part)
	}
	if err := s.mark(b.first, b.records, b.Len()); err != nil {
		return err
	}
	s.exact = grow(s.exact, len(c.Coefficients))
	s.scales.forget()
	s.verifyBlock(s.exact, s.columns, 1, &b, c.Coefficients)
	if err := s.admit(s.exact, s.columns, 1, &b); err != nil {
		return err
	}
	s.add(b.x, s.exact)
	return nil
}

// check refuses contributions of another shape and rows of another kind.
func (s *Sum) check(b *Block, c kernel.Contributions) error {
	n := b.Len()
	if c.Columns != s.columns || c.Records() != n || len(c.Coefficients) != n*s.columns {
		return fmt.Errorf("release: contributions are of %d records with %d columns, want %d with %d", c.Records(), c.Columns, n, s.columns)
	}
	if !s.rows.alike(b.rows) {
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
	s.mergeChecks(o)
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
	values := s.rows.frame.centered(s.total, s.betas, s.tails)
	return Bounded{&bounded{sample: s.sample, grid: s.grid, values: values, unit: s.bound / float64(s.limit<<s.rows.frame.shift), faulty: !s.agrees(values)}}
}
