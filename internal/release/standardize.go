package release

import "fmt"

// Standardized returns the same records with another standardization. The stored integers are
// shared, not copied.
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

var errShare = fmt.Errorf("release: the rows are not the same integers, want rows that Standardized gave of the same rows")

// shares reports whether two rows are the same integers.
func (r *Rows) shares(o *Rows) bool { return r.origin == o.origin }

// Same reports whether two Rows have the same stored integers of the same records and the same
// standardization. If so, one can replace the other.
func (r *Rows) Same(o *Rows) bool {
	return r.shares(o) && r.alike(o) && r.first == o.first && r.count == o.count
}

// Standardize returns the rows of block b with the standardization of r. The block must be of rows
// with the same stored integers. It may use the memory of old, which is a block that Standardize
// returned and that is no longer used, or the zero Block.
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
		r.measureAgain(b.measures, b.x, func(k int) int { return b.record(k) - r.first })
		return b, nil
	}
	b.measures.pick(r.measures, b.records, r.first)
	return b, nil
}
