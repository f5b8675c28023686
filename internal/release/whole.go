package release

import "github.com/ditherml/dither/internal/kernel"

// wholeLimit: integers up to it are exact in float64, and so are their sums.
const wholeLimit = 1 << 53

// wholeSum is the exact sum of rows times integers, one integer for each row and column.
type wholeSum struct {
	form    storage
	columns int
	largest float64   // of the rows' integers
	total   []int64   // of what was flushed, column after column
	whole   []float64 // of what was not: integers, as the rows' type has them
	pending float64   // no entry of whole is larger
}

// newWholeSum returns an empty sum with this total, of columns × r.dim zeros.
func newWholeSum(r *Rows, columns int, total []int64) wholeSum {
	return wholeSum{form: r.form, columns: columns, largest: float64(r.kind.reach()), total: total}
}

// add adds rows times integers q, row-major, of magnitude at most 2^52: in float64 as long as no
// partial sum can pass 2^53, and modulo 2^64 beyond.
func (w *wholeSum) add(x storage, q []float64) {
	rows := x.count()
	switch {
	case w.hold(rows, q):
		x.addWhole(w.whole, q, w.columns)
	case rows > 1:
		half := rows / 2
		w.add(x.part(0, half), q[:half*w.columns])
		w.add(x.part(half, rows-half), q[half*w.columns:])
	default:
		integers := make([]int64, len(q))
		for k, v := range q {
			integers[k] = int64(v)
		}
		x.addRow(w.total, 0, integers)
	}
}

// addColumns is add for integers that stand column after column.
func (w *wholeSum) addColumns(x storage, q []float64) {
	if w.hold(x.count(), q) {
		x.addColumns(w.whole, q, w.columns)
		return
	}
	w.add(x, byRow(q, x.count(), w.columns))
}

// hold makes room for the sum of this many rows times q, and reports whether float64 holds it: the
// rows add at most their number times the largest |q| times their largest integer. Each of these
// products and sums is exact below 2^53, and rounds to 2^53 or more from there on.
func (w *wholeSum) hold(rows int, q []float64) bool {
	most := kernel.MaxAbs(q) * w.largest * float64(rows)
	if w.pending+most >= wholeLimit && w.pending > 0 {
		w.flush()
	}
	if !(most < wholeLimit) {
		return false
	}
	if w.whole == nil {
		w.whole = make([]float64, len(w.total))
	}
	w.pending += most
	return true
}

// flush moves what was summed in float64 to the total.
func (w *wholeSum) flush() {
	if w.whole != nil {
		w.form.flush(w.total, w.whole, w.columns)
	}
	w.pending = 0
}
