package release

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// measures are what the frame makes of rows: what their records' proposals are verified with.
type measures struct {
	n2          []int64
	multipliers []float32 // nil: frame.unit
	betas       []int32   // nil: 1
	tails       []int32   // nil: there is no intercept
}

// newMeasures returns room for the measures of n rows, in the memory of old if there is enough.
func (f frame) newMeasures(n int, old measures) measures {
	m := measures{n2: grow(old.n2, n)}
	if f.Normalize != NormalizeNone {
		m.multipliers = grow(old.multipliers, n)
	}
	if f.m != nil && f.Normalize != NormalizeNone {
		m.betas = grow(old.betas, n)
	}
	if f.Intercept > 0 {
		m.tails = grow(old.tails, n)
	}
	return m
}

// measureAll computes the measures of the rows of x, without a whitening, a few at a time. Storage
// is lent memory that nothing else reads, as it may keep it.
func (f *frame) measureAll(m measures, x storage) {
	var squares, dots [maxBlockRows]int64
	center := slices.Clone(f.m)
	for first, n := 0, len(m.n2); first < n; first += len(squares) {
		rows := min(len(squares), n-first)
		part, some := m.part(first, rows), x.Part(first, rows)
		some.Norms2(squares[:rows])
		copy(part.n2, squares[:rows])
		switch {
		case f.m != nil:
			some.Dots(dots[:rows], center, f.narrow)
		case f.Normalize == NormalizeUnit && f.Intercept > 0:
			f.measureUnits(&part)
			continue
		}
		for i, n2 := range part.n2 {
			part.set(i, f.measure(n2, dots[i]))
		}
	}
}

// set keeps the measures of row i.
func (m *measures) set(i int, v measured) {
	m.n2[i] = v.n2
	if m.multipliers != nil {
		m.multipliers[i] = float32(v.multiplier)
	}
	if m.betas != nil {
		m.betas[i] = int32(v.beta)
	}
	if m.tails != nil {
		m.tails[i] = int32(v.tail)
	}
}

// part returns the measures of n rows from first on.
func (m *measures) part(first, n int) measures {
	return measures{piece(m.n2, first, n), piece(m.multipliers, first, n), piece(m.betas, first, n), piece(m.tails, first, n)}
}

// piece returns n entries from first on; of nil, nil.
func piece[T any](s []T, first, n int) []T {
	if s == nil {
		return nil
	}
	return s[first : first+n]
}

// pick copies the measures of the rows of o that are listed; o begins at row first.
func (m *measures) pick(o measures, rows []int, first int) {
	pick(m.n2, o.n2, rows, first)
	pick(m.multipliers, o.multipliers, rows, first)
	pick(m.betas, o.betas, rows, first)
	pick(m.tails, o.tails, rows, first)
}

// pick copies the entries of from that are listed to dst, unless dst is nil; from begins at number first.
func pick[T any](dst, from []T, listed []int, first int) {
	if dst == nil {
		return
	}
	for k, i := range listed {
		dst[k] = from[i-first]
	}
}

// beta is β of row i.
func (m *measures) beta(i int) int64 {
	if m.betas == nil {
		return 1
	}
	return int64(m.betas[i])
}

// tail is the intercept of row i.
func (m *measures) tail(i int) int64 {
	if m.tails == nil {
		return 0
	}
	return int64(m.tails[i])
}

// multiplier is what one of the integers of row i stands for.
func (m *measures) multiplier(i int, f *frame) float64 {
	if m.multipliers == nil {
		return f.unit
	}
	return float64(m.multipliers[i])
}

// begin makes the book of rows that were not measured yet; n2 is where their squared norms will be.
func (r *Rows) begin(n2 []int64) {
	r.frame.keepSecrets(r.dim, r.origin.secret)
	r.width, r.shift, r.known = r.Dim(), r.frame.shift, newEntered(n2)
}

// measure computes and keeps the measures of all rows, unless they are of a file and computed when they are
// read. Sums refuse rows that it does not enter.
func (r *Rows) measure() error {
	r.measures, r.known = measures{}, nil
	switch {
	case r.file != nil && !r.file.KeepsMeasures():
		r.begin(make([]int64, r.count))
		return nil
	case r.file == nil && r.origin.mix == nil:
		r.origin.measure(r.x, r.count, r.origin.secret[:r.dim])
	}
	all := r.frame.newMeasures(r.count, measures{})
	r.begin(all.n2)
	var err error
	if r.file != nil {
		err = r.file.Together(r.form, func(own *rows.Memory, k int) error {
			first := r.file.Table.Blocks[k].First
			return r.measureSome(all.part(first, own.X.Count()), own.X, first)
		})
	} else {
		failed := make([]error, r.count)
		parallel.Parts(r.count, func(from, to int) {
			failed[from] = r.measureSome(all.part(from, to-from), r.x.Part(from, to-from), from)
		})
		err = errors.Join(failed...)
	}
	r.measures = all
	if errors.Is(err, ErrComputation) {
		return ErrComputation // and not how many parts it was found in
	}
	return err
}

// measureSome measures the rows of x and enters them; the first of them is row at of r.
func (r *Rows) measureSome(m measures, x storage, at int) error {
	return r.measureAt(m, x, func(i int) int { return at + i })
}

// measureAt is measureSome where the i-th row of x is row at(i) of r.
func (r *Rows) measureAt(m measures, x storage, at func(i int) int) error {
	if r.frame.whitener != nil {
		return r.measureWhitened(m, x, at)
	}
	r.frame.measureAll(m, x)
	return r.enter(&m, x, at)
}

// Standardized returns the same records, in the same memory, seen from another frame.
func (r *Rows) Standardized(f Standardization) (*Rows, error) {
	out := *r // of the same origin
	var err error
	if out.frame, err = newFrame(f, r.kind, r.dim, r.step); err != nil {
		return nil, err
	}
	if r.limit > 0 && !f.own() {
		return nil, errLimit(r.kind)
	}
	return &out, out.measure()
}

var errShare = fmt.Errorf("release: the rows are not the same integers, want rows that Seen gave of the same rows")

// shares reports whether two rows are the same integers.
func (r *Rows) shares(o *Rows) bool { return r.origin == o.origin }

// Same reports whether two rows are the same integers of the same records seen from the same frame.
// So either can stand for the other.
func (r *Rows) Same(o *Rows) bool {
	return r.shares(o) && r.alike(o) && r.first == o.first && r.count == o.count
}

// Standardize returns the rows of a block in the frame of r; the block is of rows that are the same
// integers. It may use the memory of old, a block that Standardize made, or the zero Block.
func (r *Rows) Standardize(b, old Block) (Block, error) {
	switch {
	case b.rows == nil || !r.shares(b.rows):
		return Block{}, errShare
	case b.rows == r:
		return b, nil
	}
	n := b.Len()
	if b.rows = r; b.records == nil && r.measures.n2 != nil {
		b.measures = r.measures.part(b.first-r.first, n)
		return b, nil
	}
	own := old.memory()
	b.own = own
	own.measures = r.frame.newMeasures(n, own.measures)
	if b.measures = own.measures; r.measures.n2 == nil {
		return b, r.measureAt(b.measures, b.x, func(i int) int { return b.record(i) - r.first })
	}
	b.measures.pick(r.measures, b.records, r.first)
	return b, nil
}
