package release

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
)

// maxCoordinate is the largest magnitude of a coordinate on the grid.
const maxCoordinate = math.MaxInt16

// Rows are records on an integer grid, each with the exact squared norm of what it adds to a sum.
// A row is made from its record alone, so that changing one record changes one row. Rows are
// immutable and safe for concurrent use.
type Rows struct {
	kind       RowType
	count, dim int // dim is without the intercept
	step       float64
	limit      int64
	frame      frame
	form       storage   // of the type, without rows
	x          storage   // nil: in a file
	file       *rowsFile // nil: in memory
	labels     []float32 // nil: there are none, or in the file
	book
	measures
}

// RowsOptions are the public numbers of a grid of rows.
type RowsOptions struct {
	// Dim is the number of coordinates, at least 1.
	Dim int
	// Step is the width of the grid, positive: a coordinate v becomes round(v/Step),
	// moved into the range of Type; NaN becomes 0.
	Step float64
	// Type is how the integers are kept.
	Type RowType
	// Limit, if positive, bounds the squared norm of a row in grid units: a row
	// beyond it is rounded toward zero instead, and becomes all zero if that does
	// not help.
	Limit int64
	// First and Total place the rows as the records First … First+count-1 out of Total,
	// when they are a block of more: of a file, or of another machine. Total 0 means that
	// they are all. Rows are always named by their number among the Total.
	First, Total int
	// Labels has one number a record, or is nil. Minimizers and recursions alone look at it here.
	Labels []float32
	// Frame is where the rows are seen from. Limit is for rows in their own frame.
	Frame Standardization
}

// rowsBlock is how many records fill is asked for at a time.
const rowsBlock = 64

// NewRows puts count records on the grid. Fill writes the records first … first+n-1, n ≤ 64, out of
// count, one after the other into dst, of length n·Dim. It is called from several goroutines, each
// with its own dst. What it writes for a record must depend on that record and on released values
// only.
func NewRows(count int, o RowsOptions, fill func(dst []float64, first, n int)) (*Rows, error) {
	r, err := newRows(count, o)
	if err != nil {
		return nil, err
	}
	if o.Type == Sparse {
		return r, r.fillSparse(func(p *sparseRows, from, to int) {
			r.fill(from, to, fill, func(_ int, v []float64) { p.put(len(p.start)-1, v, o.Step, math.Round) })
		})
	}
	r.x = newStorage(o.Type, count, o.Dim)
	parallel.Parts(count, func(from, to int) { r.fill(from, to, fill, r.put) })
	return r, r.measure()
}

// wholeBlock is how many records a worker of NewWholeRows is asked for at a time.
const wholeBlock = 96

// NewWholeRows is NewRows for records that are integers of steps already, of type Int16. Each
// goroutine has a worker of its own, which writes the records first … first+n-1, n ≤ 96, to dst, of
// length n·Dim, which holds zeros. What it writes for a record must depend on that record and on
// released values only. A row beyond the limit becomes all zero.
func NewWholeRows(count int, o RowsOptions, worker func() func(dst []int16, first, n int)) (*Rows, error) {
	r, err := newRows(count, o)
	switch {
	case err != nil:
		return nil, err
	case o.Type != Int16:
		return nil, fmt.Errorf("release: rows of type %v are given as integers, want int16", o.Type)
	}
	own := newStorage(Int16, count, o.Dim).(dense[int16])
	r.x = own
	parallel.Parts(count, func(from, to int) {
		part := dense[int16]{o.Dim, own.x[from*o.Dim : to*o.Dim]}
		part.write(worker(), from, o.Limit)
	})
	return r, r.measure()
}

// write lets a worker of NewWholeRows fill the rows from first on, which hold zeros. It clears rows
// beyond the limit, if there is one.
func (x dense[T]) write(worker func(dst []T, first, n int), first int, limit int64) {
	for i := 0; i < x.count(); i += wholeBlock {
		n := min(wholeBlock, x.count()-i)
		worker(x.x[i*x.dim:(i+n)*x.dim:(i+n)*x.dim], first+i, n)
		for k := i; k < i+n; k++ {
			if limit > 0 && x.beyond(k, x.norm2(k), limit) {
				clear(x.row(k))
			}
		}
	}
}

// beyond reports whether the squared norm of row i is beyond a limit, given what a kernel computed as that norm. Portable
// code confirms it, so that no record is lost for the norm of another.
func (x dense[T]) beyond(i int, norm2, limit int64) bool {
	if norm2 <= limit {
		return false
	}
	square := int64(0)
	for _, v := range x.row(i) {
		square += int64(v) * int64(v)
	}
	return square > limit
}

// NewSparseRows is NewRows for records that say themselves which coordinates are not zero: entries
// appends the coordinates and values of record i, in ascending order, to index and v, and returns
// both.
func NewSparseRows(count int, o RowsOptions, entries func(i int, index []uint32, v []float64) ([]uint32, []float64)) (*Rows, error) {
	o.Type = Sparse
	r, err := newRows(count, o)
	if err != nil {
		return nil, err
	}
	return r, r.fillSparse(func(p *sparseRows, from, to int) {
		var index []uint32
		var v []float64
		for i := from; i < to; i++ {
			index, v = entries(i, index[:0], v[:0])
			p.append(index, v, o.Step)
		}
	})
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
	return &Rows{kind: o.Type, count: count, dim: o.Dim, book: book{first: o.First, total: o.Total, width: o.Dim, origin: newOrigin(o.Dim)}, step: o.Step, limit: o.Limit, frame: f, form: newStorage(o.Type, 0, o.Dim), labels: o.Labels}, nil
}

func errLimit(t RowType) error {
	return fmt.Errorf("release: rows of type %v have a limit, want int16 in their own frame", t)
}

// fill asks for the records from ≤ i < to and puts each of them.
func (r *Rows) fill(from, to int, fill func(dst []float64, first, n int), put func(i int, v []float64)) {
	v := make([]float64, rowsBlock*r.dim)
	for i := from; i < to; i += rowsBlock {
		n := min(rowsBlock, to-i)
		fill(v[:n*r.dim], i, n)
		for k := range n {
			put(i+k, v[k*r.dim:(k+1)*r.dim])
		}
	}
}

// put rounds v onto the i-th row of the block.
func (r *Rows) put(i int, v []float64) {
	r.x.put(i, v, r.step, math.Round)
	x, short := r.x.(dense[int16]) // as all rows with a limit are
	if !short || r.limit == 0 || !x.beyond(i, x.norm2(i), r.limit) {
		return
	}
	if r.x.put(i, v, r.step, math.Trunc); x.beyond(i, x.norm2(i), r.limit) {
		clear(v)
		r.x.put(i, v, r.step, math.Round)
	}
}

// fillSparse lets each processor append a part of the rows, and joins the parts.
func (r *Rows) fillSparse(part func(p *sparseRows, from, to int)) error {
	var lock sync.Mutex
	parts := map[int]*sparseRows{}
	parallel.Parts(r.count, func(from, to int) {
		p := newStorage(Sparse, to-from, r.dim).(*sparseRows)
		part(p, from, to)
		lock.Lock()
		defer lock.Unlock()
		parts[from] = p
	})
	all := newStorage(Sparse, r.count, r.dim).(*sparseRows)
	for at := 0; at < r.count; at = len(all.start) - 1 {
		all.join(parts[at])
	}
	r.x = all
	if err := all.check(); err != nil {
		return err
	}
	return r.measure()
}

// Dim returns the number of coordinates of what a row adds to a sum, the intercept included.
func (r *Rows) Dim() int { return r.dim + r.frame.intercepts() }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.count }

// First returns the number of the first record.
func (r *Rows) First() int { return r.first }

// Step returns the width of the grid.
func (r *Rows) Step() float64 { return r.step }

// LongestSquare returns the largest squared norm that a row of the type can have, in grid units, without its frame.
func (r *Rows) LongestSquare() int64 { return int64(r.dim) * r.kind.reach() * r.kind.reach() }

// alike reports whether sums over both rows may be merged.
func (r *Rows) alike(o *Rows) bool {
	return r == o || o != nil && r.kind == o.kind && r.dim == o.dim && r.step == o.step && r.limit == o.limit && r.fits(&o.book) && r.frame.equal(o.frame)
}
