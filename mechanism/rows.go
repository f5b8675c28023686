package mechanism

import (
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/ditherml/dither/linalg"
)

// maxCoordinate is the largest magnitude of a coordinate on the grid.
const maxCoordinate = math.MaxInt16

// Rows are records on an integer grid, each with its exact squared norm. A row is
// made from its record alone, so that changing one record changes one row. Rows
// are immutable and safe for concurrent use.
type Rows struct {
	count, dim   int
	first, total int
	step         float64
	limit        int64
	center       *center
	x            []int16
	n2           []int64
}

// RowsOptions are the public numbers of a grid of rows.
type RowsOptions struct {
	// Dim is the number of coordinates, at least 1.
	Dim int
	// Step is the width of the grid, positive: a coordinate v becomes round(v/Step),
	// moved into [-32767, 32767]; NaN becomes 0.
	Step float64
	// Limit, if positive, bounds the squared norm of a row in grid units: a row
	// beyond it is rounded toward zero instead, and becomes all zero if that does
	// not help.
	Limit int64
	// First and Total place the rows as the records First … First+count-1 out of Total,
	// when they are a block of more: of a file, or of another machine. Total 0 means that
	// they are all. Rows are always named by their number among the Total.
	First, Total int
	// Center, if not nil, is a public point, in units of the records, that every row stands
	// relative to: contributions are of x - Center. It is put on a grid 2^CenterBits times
	// finer than Step.
	Center     []float64
	CenterBits uint
}

// rowsBlock is how many records fill is asked for at a time.
const rowsBlock = 8

// NewRows puts count records on the grid. Fill writes the records first … first+n-1,
// n ≤ 8, out of count, one after the other into dst, of length n·Dim. It is called from several
// goroutines, each with its own dst; what it writes for a record must depend on that
// record and on released values only.
func NewRows(count int, o RowsOptions, fill func(dst []float64, first, n int)) (*Rows, error) {
	if count < 0 || o.Dim < 1 {
		return nil, fmt.Errorf("mechanism: shape of rows is wrong, want 0 or more records of at least 1 coordinate")
	}
	if !(o.Step > 0) || math.IsInf(o.Step, 1) || o.Limit < 0 {
		return nil, fmt.Errorf("mechanism: step of rows is %v and limit %d, want a positive finite step and no negative limit", o.Step, o.Limit)
	}
	if o.Total == 0 && o.First == 0 {
		o.Total = count
	}
	if o.First < 0 || o.Total < count || o.First > o.Total-count {
		return nil, fmt.Errorf("mechanism: rows start at %d of %d, want a block within the records", o.First, o.Total)
	}
	c, err := newCenter(o)
	if err != nil {
		return nil, err
	}
	r := &Rows{count: count, dim: o.Dim, first: o.First, total: o.Total, step: o.Step, limit: o.Limit, center: c,
		x: make([]int16, count*o.Dim), n2: make([]int64, count)}
	parallel(count, func(from, to int) {
		v := make([]float64, rowsBlock*o.Dim)
		for i := from; i < to; i += rowsBlock {
			n := min(rowsBlock, to-i)
			fill(v[:n*o.Dim], i, n)
			for k := range n {
				r.put(i+k, v[k*o.Dim:(k+1)*o.Dim])
			}
		}
	})
	return r, nil
}

// put rounds v onto the i-th row of the block.
func (r *Rows) put(i int, v []float64) {
	row := r.x[i*r.dim : (i+1)*r.dim]
	r.n2[i] = round(row, v, r.step, math.Round)
	if r.center != nil {
		r.n2[i] = r.center.norm2(row)
	}
	if r.limit == 0 || r.n2[i] <= r.limit {
		return
	}
	if r.n2[i] = round(row, v, r.step, math.Trunc); r.n2[i] > r.limit {
		clear(row)
		r.n2[i] = 0
	}
}

// round writes v/step, rounded by way, to row and returns the exact squared norm:
// at most 2^30 a coordinate, so int64 holds 2^33 of them.
func round(row []int16, v []float64, step float64, way func(float64) float64) (n2 int64) {
	for j, f := range v {
		q := way(f / step)
		if !(q >= -maxCoordinate) { // also NaN
			q = -maxCoordinate
			if f != f {
				q = 0
			}
		} else if q > maxCoordinate {
			q = maxCoordinate
		}
		row[j] = int16(q)
		n2 += int64(q) * int64(q)
	}
	return n2
}

// Dim returns the number of coordinates of a row.
func (r *Rows) Dim() int { return r.dim }

// Step returns the width of the grid.
func (r *Rows) Step() float64 { return r.step }

// unit is what an integer of a row, or of a centered row, stands for.
func (r *Rows) unit() float64 {
	if r.center != nil {
		return math.Ldexp(r.step, -int(r.center.bits))
	}
	return r.step
}

// alike reports whether sums over both rows may be merged.
func (r *Rows) alike(o *Rows) bool {
	return r == o || o != nil && r.total == o.total && r.dim == o.dim && r.step == o.step && r.limit == o.limit && r.center.equal(o.center)
}

// row is row i in grid units, in which coordinate v stands for v·step. It stays inside the
// package: whoever could write to it could undo the norm that was computed.
func (r *Rows) row(i int) []int16 { i -= r.first; return r.x[i*r.dim : (i+1)*r.dim] }

// norm2 is the exact squared norm of row i, less the center, in units of unit().
func (r *Rows) norm2(i int) int64 { return r.n2[i-r.first] }

// CopyRow copies row i, in grid units and without the center, to dst of length Dim.
func (r *Rows) CopyRow(dst []int16, i int) { copy(dst, r.row(i)) }

// Multiply writes to dst, of length n·columns row-major, the products of the rows first …
// first+n-1, less the center, in units of the records, with the columns of weights, which stands
// column after column, each Dim long.
func (r *Rows) Multiply(dst []float64, first, n int, weights []float64, columns int) {
	r.multiply(dst, first, n, weights, columns)
	r.subtractCenter(dst[:n*columns], weights, columns)
}

func (r *Rows) multiply(dst []float64, first, n int, weights []float64, columns int) {
	first -= r.first
	linalg.MultiplyNarrow(dst[:n*columns], r.x[first*r.dim:(first+n)*r.dim], weights, r.dim, columns)
	for i := range dst[:n*columns] {
		dst[i] *= r.step
	}
}

// MultiplyAt is Multiply for the rows that are listed.
func (r *Rows) MultiplyAt(dst []float64, records []int, weights []float64, columns int) {
	for i, at := range records {
		r.multiply(dst[i*columns:(i+1)*columns], at, 1, weights, columns)
	}
	r.subtractCenter(dst[:len(records)*columns], weights, columns)
}

func (r *Rows) subtractCenter(dst, weights []float64, columns int) {
	if r.center == nil {
		return
	}
	products := r.center.dot(weights, columns, r.step)
	for i := range dst {
		dst[i] -= products[i%columns]
	}
}

// Norm returns the L2 norm of row i, less the center, in units of the records, correct to a few
// units in the last place.
func (r *Rows) Norm(i int) float64 { return math.Sqrt(float64(r.norm2(i))) * r.unit() }

// parallel runs work on consecutive parts of [0, n) on all processors.
func parallel(n int, work func(from, to int)) {
	parts := min(n, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() { work(p*n/parts, (p+1)*n/parts) })
	}
	wait.Wait()
}
