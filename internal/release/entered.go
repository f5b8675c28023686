package release

import (
	"math"
	"slices"
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
// records, and their rows the same number of integers and the same unit of n2. The records of o have entered.
func (b *book) fits(o *book) bool {
	return o.known != nil && b.total == o.total && b.width == o.width && b.shift == o.shift
}

// entered is what is known of rows once they are measured, by their places. Whatever is added of a
// record is held to it: the squared norm n2 of what the record adds, and the product h of that with
// the secret. Nobody modifies it after all rows were measured.
type entered struct {
	n2    []int64
	mixes []uint64 // h, or notEntered
}

// notEntered stands for a row that was not measured yet. It is no residue.
const notEntered = math.MaxUint64

// newEntered returns what is known of n rows before they are measured.
func newEntered(n int) *entered {
	return &entered{n2: make([]int64, n), mixes: slices.Repeat([]uint64{notEntered}, n)}
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
	// adds returns the squared norm and the product with the secret of what row i adds. It reports
	// whether a kernel measured the row so.
	adds(i int) (n2 int64, mix uint64, right bool)
}

// maxSquare is the largest squared norm of a row that adds something.
const maxSquare = 1 << 58

// enterRow keeps n2 and h of row i, which is in memory and was not measured yet. A kernel measured
// n2 as its squared norm. The row is refused unless portable code computes the same. The check is
// nil for rows in their own frame.
func (r *Rows) enterRow(n2 int64, i int, check rowCheck) error {
	if r.known.mixes[i] != notEntered { // a kernel may have written n2 over what entered
		return ErrComputation
	}
	square, mix, right := int64(0), uint64(0), true
	if check != nil {
		square, mix, right = check.adds(i)
	} else if square, mix = r.origin.square[i], r.origin.mix[i]; float64(square) > maxSquare { // as frames round it
		square = 0
	}
	if !right || mix >= prime || square != n2 {
		return ErrComputation
	}
	r.known.n2[i], r.known.mixes[i] = square, mix
	return nil
}
