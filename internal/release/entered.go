package release

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
)

// entered is what is known of rows once they are measured, by their places. Whatever is added of a record is held to it:
// the squared norm n2 of what the record adds, and the product h of that with the secret. Goroutines may share it.
type entered struct {
	lock  sync.Mutex
	n2    []int64
	mixes []uint64 // h, or notEntered
}

// notEntered stands for a row that was not measured yet. It is no residue.
const notEntered = math.MaxUint64

// newEntered returns what is known of rows before they are measured; n2 is where their squared norms will be.
func newEntered(n2 []int64) *entered {
	e := &entered{n2: n2, mixes: make([]uint64, len(n2))}
	for i := range e.mixes {
		e.mixes[i] = notEntered
	}
	return e
}

// has reports whether a row was measured.
func (e *entered) has(at int) bool { return atomic.LoadUint64(&e.mixes[at]) != notEntered }

// enter keeps the numbers of a row unless it has some, both of one reading, and returns the squared norm that it has.
func (e *entered) enter(at int, n2 int64, mix uint64) int64 {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.mixes[at] == notEntered {
		e.n2[at] = n2
		atomic.StoreUint64(&e.mixes[at], mix)
	}
	return e.n2[at]
}

// enteredRoom is memory for what was entered of a few records that do not follow one another.
type enteredRoom struct {
	n2    [admitRows]int64
	mixes [admitRows]uint64
}

// entered returns what was entered of some of the records of a block, at most admitRows, by their numbers.
func (b *Block) entered(from, end int, room *enteredRoom) (n2 []int64, mixes []uint64) {
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

// plain is what rows in memory have in common in all frames: of each row of integers its squared norm and its product with the
// secret.
type plain struct {
	square []int64
	mix    []uint64
}

// origin is the same for all rows that share their integers: for one run. Its secret is theirs
// alone.
type origin struct {
	plain
	secret secret
}

// measure fills p for the rows of x.
func (p *plain) measure(x storage, r []uint64) {
	n := x.count()
	p.square, p.mix = make([]int64, n), make([]uint64, n)
	parallel.Parts(n, func(from, to int) {
		for i := from; i < to; i++ {
			p.square[i], p.mix[i] = x.mix(i, r)
		}
	})
}

// enter computes the numbers that check the sums of the rows of x; m has the kernels' results for
// them. It holds that a row is measured as its integers say. Row i of x is row at(i) of r.
func (r *Rows) enter(m *measures, x storage, at func(i int) int) error {
	for i := range m.n2 {
		if err := r.enterRow(m, x, i, at(i), nil); err != nil {
			return err
		}
	}
	return nil
}

// enterRow is enter for row i of x, which is row at of r. Of rows in memory it looks at row at
// itself. With a whitening, turned is what a kernel proposes as W·x. A row that was measured before
// keeps what it had then.
func (r *Rows) enterRow(m *measures, x storage, i, at int, turned []int32) error {
	if r.known.has(at) {
		m.n2[i] = r.known.n2[at]
		return nil
	}
	f, row := &r.frame, i
	if r.file == nil {
		x, row = r.x, at
	}
	var square, dot int64
	var mix uint64
	if own := r.origin.plain; f.turn == nil && own.mix != nil {
		square, mix = own.square[at], own.mix[at]
	} else {
		square, mix = x.mix(row, f.secret)
	}
	if f.m != nil && f.turn == nil {
		dot = x.dot(row, f.m)
	}
	if f.turn == nil && !f.explains(m, i, square, dot) || f.turn != nil && !f.explainsTurned(m, i, square, mix, turned) {
		return ErrComputation
	}
	mix = f.mixOf(mix, m.beta(i), m.tail(i))
	if r.file == nil { // one goroutine alone measures the row
		r.known.n2[at], r.known.mixes[at] = m.n2[i], mix
		return nil
	}
	m.n2[i] = r.known.enter(at, m.n2[i], mix)
	return nil
}

// explains reports whether m says of row i what the frame makes of a row of this squared norm and
// product with the center.
func (f *frame) explains(m *measures, i int, square, dot int64) bool {
	return m.says(i, f.measure(square, dot))
}

// says reports whether the measures of row i are these.
func (m *measures) says(i int, v measured) bool {
	return m.n2[i] == v.n2 && (m.betas == nil || int64(m.betas[i]) == v.beta) && (m.tails == nil || int64(m.tails[i]) == v.tail) &&
		(m.multipliers == nil || m.multipliers[i] == float32(v.multiplier))
}

// mixOf returns the product with the secret of what a row adds, from that of its integers, with a whitening those that are
// whitened.
func (f *frame) mixOf(mix uint64, beta, tail int64) uint64 {
	mix = times2(mix, f.bits)
	if f.m != nil {
		mix = residue(mix + timesResidue(-beta, f.mixCenter))
	}
	if f.Intercept > 0 {
		mix = residue(mix + timesResidue(tail<<f.shift, f.mixTail))
	}
	return mix
}

// keepSecrets computes what mixOf needs, for rows of this many coordinates.
func (f *frame) keepSecrets(dim int, own *secret) {
	r := own.first(dim + f.intercepts())
	f.secret = r[:dim]
	if f.m != nil {
		f.mixCenter = mixLong(f.m, r)
	}
	if f.Intercept > 0 {
		f.mixTail = r[dim]
	}
	if f.turn != nil {
		f.turned, f.secret = r[:dim], f.turn.secret(r[:dim])
		f.movedTurned = times2(moved(f.turned), turnedBits-shortBits)
		f.turnedCenter = f.m
		if f.m == nil {
			f.turnedCenter = make([]int64, dim)
		}
	}
}

// secret returns Wᵀ·r modulo the prime: its product with x is that of W·x with r.
func (t *turn) secret(r []uint64) []uint64 {
	out := make([]uint64, t.dim)
	for k, v := range r {
		for j, w := range t.matrix[k*t.dim : (k+1)*t.dim] {
			out[j] = residue(out[j] + timesResidue(int64(w), v))
		}
	}
	return out
}
