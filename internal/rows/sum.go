package rows

import (
	"sync"

	"github.com/ditherml/dither/internal/kernel"
)

// wholeLimit: integers up to it are exact in float64, and so are their sums.
const wholeLimit = 1 << 53

// Sum is the exact sum of rows times integers, one integer for each row and column.
type Sum struct {
	Form    Storage
	Columns int
	Largest float64   // of the rows' integers
	Total   []int64   // of what was flushed, column after column; nil: nothing was
	size    int       // how long Total is
	whole   []float64 // of what was not: integers, as the rows' type has them
	pending float64   // no entry of whole is larger
}

// NewSum returns an empty sum of rows of dim integers, of the form of one storage and of a type.
// Total is columns × dim zeros, or nil: then the sum makes it when it needs it.
func NewSum(form Storage, t Type, columns, dim int, total []int64) Sum {
	return Sum{Form: form, Columns: columns, Largest: float64(t.Reach()), Total: total, size: columns * dim}
}

// sums is memory of zeros for the field whole.
var sums = sync.Pool{New: func() any { return new([]float64) }}

// add adds rows times integers q, row-major, of magnitude at most 2^52: in float64 as long as no
// partial sum can pass 2^53, and modulo 2^64 beyond.
func (w *Sum) Add(x Storage, q []float64) {
	rows := x.Count()
	switch {
	case w.hold(rows, q):
		x.AddWhole(w.whole, q, w.Columns)
	case rows > 1:
		half := rows / 2
		w.Add(x.Part(0, half), q[:half*w.Columns])
		w.Add(x.Part(half, rows-half), q[half*w.Columns:])
	default:
		integers := make([]int64, len(q))
		for k, v := range q {
			integers[k] = int64(v)
		}
		w.begin()
		x.AddRow(w.Total, 0, integers)
	}
}

// AddColumns is add for integers that stand column after column.
func (w *Sum) AddColumns(x Storage, q []float64) {
	if w.hold(x.Count(), q) {
		x.AddColumns(w.whole, q, w.Columns)
		return
	}
	w.Add(x, byRow(q, x.Count(), w.Columns))
}

// hold makes room for the sum of this many rows times q, and reports whether float64 holds it: the
// rows add at most their number times the largest |q| times their largest integer. Each of these
// products and sums is exact below 2^53, and rounds to 2^53 or more from there on.
func (w *Sum) hold(rows int, q []float64) bool {
	most := kernel.MaxAbs(q) * w.Largest * float64(rows)
	if w.pending+most >= wholeLimit && w.pending > 0 {
		w.Flush()
	}
	if !(most < wholeLimit) {
		return false
	}
	if w.whole == nil {
		room := *sums.Get().(*[]float64)
		if cap(room) < w.size {
			room = make([]float64, w.size)
		}
		w.whole = room[:w.size]
	}
	w.pending += most
	return true
}

// begin makes room for the total.
func (w *Sum) begin() {
	if w.Total == nil {
		w.Total = make([]int64, w.size)
	}
}

// Flush moves what was summed in float64 to the total.
func (w *Sum) Flush() {
	w.begin()
	w.flushTo(w.Total)
}

// flushTo moves what was summed in float64 to a total.
func (w *Sum) flushTo(total []int64) {
	if w.whole != nil {
		w.Form.Flush(total, w.whole, w.Columns)
		room := w.whole
		sums.Put(&room)
		w.whole = nil
	}
	w.pending = 0
}

// Take moves what o holds, of the same kind, to the total of w.
func (w *Sum) Take(o *Sum) {
	w.Flush()
	o.flushTo(w.Total)
	if o.Total != nil {
		kernel.AddLong(w.Total, o.Total)
		clear(o.Total)
	}
}
