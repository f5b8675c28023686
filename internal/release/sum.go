package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// SumOptions are the public parameters of a Sum.
type SumOptions struct {
	// Noise is the noise with which the sum will be released. It determines the integer grid of the
	// sum.
	Noise mechanism.Noise
	// Columns is the number of coefficients of a record.
	Columns int
	// Bound is the largest L2 norm of one record's contribution.
	Bound float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
	// Coarse selects the coarsest grid on which rounding is negligible compared with Gaussian
	// noise, instead of the finest grid on which the sum fits. Coefficients are then shorter, and
	// rows of bytes are added faster. The rounding of all coefficients together moves a number of
	// the sum by less than 1 % of a standard deviation of the noise. If rows have a center, an
	// intercept or a whitening, the grid is fine enough for their longer integers. Rounding then
	// moves the contribution of a row of usual length by at most 2^-16 times the bound.
	Coarse bool
}

// Sum is an exact sum of records' contributions. A contribution is the outer product of a record's
// coefficients and its row. Proposed coefficients are not trusted. They are rounded to integers,
// and the contribution is added only if its norm, computed exactly in integers, is within the
// bound. A Sum is not safe for concurrent use. Each goroutine needs a separate Sum: Empty returns
// one, and Merge adds it to another. The result has the same bits in whatever order the records are
// added.
type Sum struct {
	seenSet
	adder
	rows    *Rows
	columns int
	bound   float64
	limit   int64 // Δ/2^shift, rounded down: n2 counts in units of 2^(2·shift)
	grid    grid
	notes   []uint64 // of each column Σ q·h, which the product of its sum with the secret must be
	faulty  bool     // a check failed: nothing is released
	room    admitRoom
}

// adder rounds what is proposed for records to integers, and adds up rows times integers. It may be
// wrong: Sum checks what it returns. Integers of records stand row after row.
type adder interface {
	// round returns the integers that the records of a block add their rows times.
	round(b Block, proposals []float64) []float64
	// add adds the rows of a block times integers.
	add(b Block, q []float64)
	// take adds what o holds, of the same kind, and empties o.
	take(o adder)
	// values returns the sum, column after column, as rows are seen.
	values() []int64
}

// NewSum returns an empty sum over the rows of a sample. It is an error if an option is invalid. It
// is an error if the sample was drawn from a table of another size than the table of the rows. It
// is an error if the table has more than MaxRecords records.
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
	if s.drawn == nil || rows == nil || rows.known == nil || s.drawn.records != rows.total {
		return fmt.Errorf("release: the sample was not drawn from these rows, or they did not enter, want one that Draw made for as many records")
	}
	return checkMaxRecords(s, maxRecords)
}

func newSum(s Sample, rows *Rows, columns int, bound float64, g grid) *Sum {
	limit := g.bound >> rows.shift
	return &Sum{seenSet: newSeenSet(s), adder: newAdder(rows, columns, bound, limit), rows: rows, columns: columns, bound: bound, limit: limit, grid: g, notes: make([]uint64, columns)}
}

// Empty returns an empty sum of the same kind, for another goroutine. It may be called while other
// goroutines fill s.
func (s *Sum) Empty() *Sum { return newSum(s.sample, s.rows, s.columns, s.bound, s.grid) }

// AddBlock adds the contributions of the records of a block. The block must be of the sum's rows,
// or of rows with the same stored integers. It returns an error and adds nothing if a record is not
// in the sample or was added before. The same holds if the coefficients have a wrong shape. A
// record with a NaN or infinite coefficient contributes zero. Coefficients beyond the bound are
// moved toward zero until the contribution is within the bound.
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
	return s.addAll(&b, s.round(b, c.Coefficients))
}

// addAll adds the rows of a block, which were marked, times integers.
func (s *Sum) addAll(b *Block, q []float64) error {
	if err := s.admit(q, s.columns, 1, b); err != nil {
		return err
	}
	s.add(*b, q)
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

// Merge adds the records of o to s and empties o. If the sums are of different samples or kinds, or
// have a record in common, Merge returns an error and changes nothing.
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

// Seal ends the sum and returns it. If one record is added or removed, the integers of the result
// change by at most Δ in L2 norm. Δ is the integer that represents SumOptions.Bound.
func (s *Sum) Seal() Bounded {
	s.sealed = true
	return s.bounded()
}

// bounded is what was summed.
func (s *Sum) bounded() Bounded {
	values := slices.Clone(s.values()) // what is checked is what is released, whatever the adder does later
	return Bounded{&bounded{sample: s.sample, adds: true, grid: s.grid, values: values, unit: s.bound / float64(s.limit<<s.rows.shift), faulty: !s.agrees(values)}}
}
