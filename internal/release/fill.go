package release

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// Rows enter as they are filled. Portable code rounds the numbers of a record to integers. It keeps
// their squared norm and their product with the secret under the place of the record. Only then
// does storage get the integers. Whatever it gives for that place afterwards is held to them.

// filler puts rows into storage, for one goroutine.
type filler struct {
	rows  *Rows
	x     storage
	index []uint32 // of sparse rows
	q     []int16
	reader
}

// put rounds v onto row i: beyond the limit toward zero, and to zeros if that does not help.
func (f *filler) put(i int, v []float64) {
	p, limit := f.rows.origin, f.rows.limit
	f.round(v, math.Round)
	if p.keep(i, f.q); limit > 0 && p.square[i] > limit {
		f.round(v, math.Trunc)
		if p.keep(i, f.q); p.square[i] > limit {
			clear(f.q)
			p.keep(i, f.q)
		}
	}
	f.x.Put(i, f.q)
}

// round writes the integers of v to q.
func (f *filler) round(v []float64, way func(float64) float64) {
	high := float64(f.rows.kind.Largest())
	low := -high
	if f.rows.kind == Uint8 || f.rows.kind == Bit {
		low = 0
	}
	f.q = grow(f.q, len(v))
	for j, a := range v {
		f.q[j] = int16(inside(way(a/f.rows.step), low, high))
	}
}

// inside moves an integer into [low, high]; NaN becomes 0.
func inside(q, low, high float64) float64 {
	switch {
	case q != q:
		return 0
	case q < low:
		return low
	case q > high:
		return high
	}
	return q
}

// putSparse rounds v onto row i, which is the next of its part, and leaves out integers that are 0.
// Its coordinates are to ascend.
func (f *filler) putSparse(i int, index []uint32, v []float64) {
	f.round(v, math.Round)
	f.index = f.index[:0]
	for k, q := range f.q {
		if q != 0 {
			f.q[len(f.index)] = q
			f.index = append(f.index, index[k])
		}
	}
	f.row.Index, f.row.Values = f.index, f.q[:len(f.index)]
	o := f.rows.origin
	o.square[i], o.mix[i] = f.mixRow(o.secret[:f.rows.dim])
	rows.Append(f.x, f.row.Index, f.row.Values)
}

// fillAll fills dense rows, or sparse rows from dense records.
func (r *Rows) fillAll(fill func(dst []float64, first, n int)) error {
	if r.kind == Sparse {
		all := make([]uint32, r.dim)
		for j := range all {
			all[j] = uint32(j)
		}
		return r.fillSparse(func(f *filler, from, to int) {
			r.fill(from, to, fill, func(i int, v []float64) { f.putSparse(i, all, v) })
		})
	}
	r.x, r.origin.plain = rows.New(r.kind, r.count, r.dim), newPlain(r.count)
	parallel.Parts(r.count, func(from, to int) {
		f := &filler{rows: r, x: r.x}
		r.fill(from, to, fill, f.put)
	})
	return nil
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

// fillSparse lets each processor append a part of the rows, and joins the parts.
func (r *Rows) fillSparse(part func(f *filler, from, to int)) error {
	r.origin.plain = newPlain(r.count)
	var lock sync.Mutex
	parts := map[int]storage{}
	parallel.Parts(r.count, func(from, to int) {
		f := &filler{rows: r, x: rows.New(Sparse, to-from, r.dim)}
		part(f, from, to)
		lock.Lock()
		defer lock.Unlock()
		parts[from] = f.x
	})
	if slices.Contains(r.origin.mix, notEntered) {
		return fmt.Errorf("release: a sparse row has coordinates out of order, want them ascending below %d", r.dim)
	}
	r.x = rows.New(Sparse, r.count, r.dim)
	for at := 0; at < r.count; at = r.x.Count() {
		rows.Join(r.x, parts[at])
	}
	return nil
}

// fillEntries fills sparse rows.
func (r *Rows) fillEntries(entries func(i int, index []uint32, v []float64) ([]uint32, []float64)) error {
	return r.fillSparse(func(f *filler, from, to int) {
		var index []uint32
		var v []float64
		for i := from; i < to; i++ {
			index, v = entries(i, index[:0], v[:0])
			f.putSparse(i, index, v)
		}
	})
}

// fillWhole lets workers write integers where rows of type Int16 are kept, and keeps the numbers of
// each row.
func (r *Rows) fillWhole(worker func() func(dst []int16, first, n int)) {
	r.x, r.origin.plain = rows.New(Int16, r.count, r.dim), newPlain(r.count)
	own := rows.Ints(r.x)
	parallel.Parts(r.count, func(from, to int) {
		writeRows(own[from*r.dim:to*r.dim], r.dim, worker(), from, r.limit)
		for i := from; i < to; i++ {
			r.origin.keep(i, own[i*r.dim:(i+1)*r.dim])
		}
	})
}

// writeRows lets a worker of NewWholeRows fill the rows of x, from row first on. It clears rows
// beyond the limit, if there is one, and returns x.
func writeRows(x []int16, dim int, worker func(dst []int16, first, n int), first int, limit int64) []int16 {
	for at := 0; at < len(x); at += wholeBlock * dim {
		end := min(at+wholeBlock*dim, len(x))
		some := x[at:end:end]
		clear(some)
		worker(some, first+at/dim, len(some)/dim)
		for ; len(some) > 0; some = some[dim:] {
			if limit > 0 && beyond(some[:dim], kernel.SquareInt(some[:dim]), limit) {
				clear(some[:dim])
			}
		}
	}
	return x
}

// beyond reports whether the squared norm of a row is beyond a limit, given what a kernel computed
// as that norm. Portable code confirms it, so that no record is lost for the norm of another.
func beyond(row []int16, norm2, limit int64) bool {
	if norm2 <= limit {
		return false
	}
	square := int64(0)
	for _, v := range row {
		square += int64(v) * int64(v)
	}
	return square > limit
}
