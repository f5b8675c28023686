package release

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// book is what sums of rows are checked with.
type book struct {
	first, total int  // the rows are the records first, first+1, … of a total
	width        int  // how many integers a row adds, with the intercept
	shift        uint // n2 counts in units of 2^(2·shift), of the squares of these integers
	origin       *origin
	known        *entered
}

// fits reports whether one sum may take records of both books: their tables have the same number of
// records, and their rows the same number of integers and the same unit of n2.
func (b *book) fits(o *book) bool {
	return b.total == o.total && b.width == o.width && b.shift == o.shift
}

// entered is what is known of rows once they are measured, by their places. Whatever is added of a
// record is held to it: the squared norm n2 of what the record adds, and the product h of that with
// the secret. Goroutines may share it.
type entered struct {
	lock  sync.Mutex
	n2    []int64
	mixes []uint64 // h, or notEntered
}

// notEntered stands for a row that was not measured yet. It is no residue.
const notEntered = math.MaxUint64

// newEntered returns what is known of rows before they are measured; n2 is where their squared
// norms will be.
func newEntered(n2 []int64) *entered {
	return &entered{n2: n2, mixes: slices.Repeat([]uint64{notEntered}, len(n2))}
}

// has reports whether a row was measured.
func (e *entered) has(at int) bool { return atomic.LoadUint64(&e.mixes[at]) != notEntered }

// enter keeps n2 and h of a row, which are of one reading, unless some are kept. It returns the n2
// that is kept.
func (e *entered) enter(at int, n2 int64, mix uint64) int64 {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.mixes[at] == notEntered {
		e.n2[at] = n2
		atomic.StoreUint64(&e.mixes[at], mix)
	}
	return e.n2[at]
}

// admitRoom is memory for what was entered of a few records that do not follow one another, and for
// what is proposed for them.
type admitRoom struct {
	q     []float64
	n2    [admitRows]int64
	mixes [admitRows]uint64
}

// entered returns what was entered of some of the records of a block, at most admitRows, by their
// numbers.
func (b *Block) entered(from, end int, room *admitRoom) (n2 []int64, mixes []uint64) {
	e, first := b.rows.known, b.rows.first
	if b.records == nil {
		at := b.first - first
		return e.n2[at+from : at+end], e.mixes[at+from : at+end]
	}
	for k, record := range b.records[from:end] {
		room.n2[k], room.mixes[k] = e.n2[record-first], e.mixes[record-first]
	}
	return room.n2[:end-from], room.mixes[:end-from]
}

// rowCheck computes what rows add that have a frame other than their own. It is an interface so that
// sums of plain rows do not reach the code of frames.
type rowCheck interface {
	// adds returns the squared norm and the product with the secret of what a row adds. It reports
	// whether a kernel measured the row so. The row is row i of x, and row at of its rows.
	adds(x integers, i, at int) (n2 int64, mix uint64, right bool)
}

// maxSquare is the largest squared norm of a row that adds something.
const maxSquare = 1 << 58

// enterRow keeps n2 and h of the row at this place, unless it has some, and writes to n2 what is
// kept. On entry n2 is the squared norm that a kernel measured, of row i of x. The row is refused
// unless portable code computes the same. Rows in memory are looked up at their place in all of it.
// The check is nil for rows in their own frame.
func (r *Rows) enterRow(n2 *int64, x integers, i, at int, check rowCheck, own *reader) error {
	if r.known.has(at) {
		if n2 == &r.known.n2[at] { // kept there: a second measurement is written over what entered
			return ErrComputation
		}
		*n2 = r.known.n2[at]
		return nil
	}
	if r.file == nil {
		x, i = r.x, at
	}
	square, mix, right := int64(0), uint64(0), true
	if check != nil {
		square, mix, right = check.adds(x, i, at)
	} else if square, mix = r.mixOf(x, i, at, own); float64(square) > maxSquare { // as frames round it
		square = 0
	}
	if !right || mix >= prime || square != *n2 {
		return ErrComputation
	}
	if r.file == nil { // one goroutine alone measures the row, before others use it
		r.known.n2[at], r.known.mixes[at] = square, mix
		return nil
	}
	*n2 = r.known.enter(at, square, mix)
	return nil
}

// mixOf returns the squared norm of row i of x, which is row at of r, and its product with the
// secret, or notEntered.
func (r *Rows) mixOf(x integers, i, at int, own *reader) (square int64, mix uint64) {
	if r.origin.square != nil {
		return r.origin.square[at], r.origin.mix[at]
	}
	return r.origin.read(x, i, at, r.dim, own)
}
