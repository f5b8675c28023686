package release

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/internal/rows"
)

// maxCoordinate is the largest magnitude of a coordinate on the grid.
const maxCoordinate = math.MaxInt16

// Rows are records on an integer grid. Each row has the exact squared norm of what it adds to a
// sum. A row is made from its record alone, so changing one record changes one row. Rows are
// immutable and safe for concurrent use.
type Rows struct {
	kind       RowType
	count, dim int // dim is without the intercept
	step       float64
	limit      int64
	frame      frame
	form       storage    // of the type, without rows
	x          storage    // nil: in a file
	file       *rowsFile  // nil: in memory
	free       *sync.Pool // of *blockMemory, for blocks of the file
	labels     []float32  // nil: there are none, or in the file
	book
	measures
}

// RowsOptions are the public parameters of Rows.
type RowsOptions struct {
	// Dim is the number of coordinates, at least 1.
	Dim int
	// Step is the width of the grid, and positive. A coordinate v becomes the integer
	// round(v/Step), clipped to the range of Type. NaN becomes 0.
	Step float64
	// Type is the type in which the integers are stored.
	Type RowType
	// Limit, if positive, is the largest squared norm of a row in grid units, without
	// standardization. A row beyond the limit is rounded toward zero instead. If it is still beyond
	// the limit, it becomes zero.
	Limit int64
	// First and Total are used if the rows are a part of a larger table. The field First is then
	// the number of the first row, and the field Total is the number of rows of the table. Record
	// numbers always count from the beginning of the whole table. A Total of 0 means that the rows
	// are the whole table.
	First, Total int
	// Labels has one number for each record, or is nil. In this package only minimizers and
	// recursions read it.
	Labels []float32
	// Frame describes how rows are standardized before they are added to a sum.
	Frame Standardization
}

// rowsBlock is how many records fill is asked for at a time.
const rowsBlock = 64

// NewRows returns rows on the grid of o. The argument count is the number of records. The function
// fill writes n ≤ 64 consecutive records to dst, of length n·Dim, one record after the other. Its
// argument first is the number of the first of them. The function is called from several
// goroutines, each with a separate dst. The numbers that it writes for a record must depend only on
// that record and on released values.
func NewRows(count int, o RowsOptions, fill func(dst []float64, first, n int)) (*Rows, error) {
	r, err := newRows(count, o)
	if err != nil {
		return nil, err
	}
	if err = r.fillAll(fill); err != nil {
		return r, err
	}
	return r, r.measure()
}

// wholeBlock is how many records a worker of NewWholeRows is asked for at a time.
const wholeBlock = 96

// NewWholeRows does what NewRows does, for records that already are integers in grid units, of type
// Int16. Each goroutine calls worker once. The returned function writes n ≤ 96 consecutive records
// to dst, of length n·Dim, which contains zeros. Its argument first is the number of the first of
// them. The numbers that it writes for a record must depend only on that record and on released
// values. A row beyond the limit of o becomes zero.
func NewWholeRows(count int, o RowsOptions, worker func() func(dst []int16, first, n int)) (*Rows, error) {
	r, err := newRows(count, o)
	switch {
	case err != nil:
		return nil, err
	case o.Type != Int16:
		return nil, fmt.Errorf("release: rows of type %v are given as integers, want int16", o.Type)
	}
	r.fillWhole(worker)
	return r, r.measure()
}

// NewSparseRows does what NewRows does, for records that are given by their nonzero coordinates.
// The function entries appends the indices of record i to index, ascending, and their values to v.
// It returns both slices.
func NewSparseRows(count int, o RowsOptions, entries func(i int, index []uint32, v []float64) ([]uint32, []float64)) (*Rows, error) {
	o.Type = Sparse
	r, err := newRows(count, o)
	if err != nil {
		return nil, err
	}
	if err = r.fillEntries(entries); err != nil {
		return r, err
	}
	return r, r.measure()
}

// newRows checks the options and returns rows without their integers.
func newRows(count int, o RowsOptions) (*Rows, error) {
	if count < 0 || o.Dim < 1 || o.Type > Sparse {
		return nil, fmt.Errorf("release: shape of rows is wrong, want 0 or more records of at least 1 coordinate and a type of this package")
	}
	if !(o.Step > 0) || math.IsInf(o.Step, 1) || o.Limit < 0 {
		return nil, fmt.Errorf("release: step of rows is %v and limit %d, want a positive finite step and no negative limit", o.Step, o.Limit)
	}
	if o.Limit > 0 && (o.Type != Int16 || !o.Frame.own()) {
		return nil, errLimit(o.Type)
	}
	if o.Total == 0 && o.First == 0 {
		o.Total = count
	}
	if o.First < 0 || o.Total < count || o.First > o.Total-count {
		return nil, fmt.Errorf("release: rows start at %d of %d, want a block within the records", o.First, o.Total)
	}
	if o.Labels != nil && len(o.Labels) != count {
		return nil, fmt.Errorf("release: the labels are not as many as the rows, want one each")
	}
	f, err := newFrame(o.Frame, o.Type, o.Dim, o.Step)
	if err != nil {
		return nil, err
	}
	return &Rows{kind: o.Type, count: count, dim: o.Dim, book: book{first: o.First, total: o.Total, width: o.Dim, origin: newOrigin(o.Dim)}, step: o.Step, limit: o.Limit, frame: f, form: rows.New(o.Type, 0, o.Dim), labels: o.Labels}, nil
}

func errLimit(t RowType) error {
	return fmt.Errorf("release: rows of type %v have a limit, want int16 in their own frame", t)
}

// Dim returns the number of coordinates of a standardized row, including the intercept.
func (r *Rows) Dim() int { return r.dim + r.frame.intercepts() }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.count }

// First returns the record number of the first row.
func (r *Rows) First() int { return r.first }

// Step returns the width of the grid.
func (r *Rows) Step() float64 { return r.step }

// LongestSquare returns the largest squared norm that a row of this type and length can have, in
// grid units and without standardization.
func (r *Rows) LongestSquare() int64 { return int64(r.dim) * r.kind.Reach() * r.kind.Reach() }

// alike reports whether sums over both rows may be merged.
func (r *Rows) alike(o *Rows) bool {
	return r == o || o != nil && r.kind == o.kind && r.dim == o.dim && r.step == o.step && r.limit == o.limit && r.fits(&o.book) && r.frame.equal(o.frame)
}
