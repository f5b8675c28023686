package release

import (
	"errors"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
)

// begin makes the book of rows that were not measured yet.
func (r *Rows) begin() {
	r.frame.keepSecrets(r.dim, r.origin.secret)
	r.width, r.shift, r.known = r.Dim(), r.frame.shift, newEntered(r.count)
}

// measure computes and keeps the measures of all rows. Of a file they are kept if it keeps them,
// and else computed anew at each reading. Sums refuse rows that it does not enter.
func (r *Rows) measure() error {
	r.begin()
	all, err := measures{n2: r.known.n2}, error(nil)
	if r.measures = (measures{}); r.file == nil || r.file.KeepsMeasures() {
		all = r.frame.newMeasures(r.count, all)
		r.measures = all
	}
	if r.file != nil {
		err = r.enterFile(all)
	} else {
		if r.origin.mix == nil {
			r.origin.measure(r.x, r.count, r.origin.secret[:r.dim])
		}
		var lock sync.Mutex
		parallel.Parts(r.count, func(from, to int) {
			failed := r.measureSome(all.part(from, to-from), r.x.Part(from, to-from), from)
			lock.Lock()
			defer lock.Unlock()
			err = errors.Join(err, failed)
		})
	}
	if err != nil {
		r.known = nil // no sum takes any of these rows
	}
	if errors.Is(err, ErrComputation) {
		return ErrComputation // and not how many parts it was found in
	}
	return err
}

// measureSome measures the rows of x, which are in memory, and enters them from row i on. It makes
// the measures for which m has no room.
func (r *Rows) measureSome(m measures, x storage, i int) error {
	m = r.frame.newMeasures(len(m.n2), m)
	if r.frame.whitener != nil {
		return r.frame.measureWhitened(m, x, func(part *measures, first int, w []int32) error {
			return r.enter(part, i+first, w)
		})
	}
	r.frame.measureAll(m, x)
	return r.enter(&m, i, nil)
}

// measureAgain measures the rows of x, which are in a file and entered. Row k of x is row at(k) of
// r, and keeps the squared norm that entered.
func (r *Rows) measureAgain(m measures, x storage, at func(k int) int) {
	if r.frame.whitener != nil {
		_ = r.frame.measureWhitened(m, x, func(*measures, int, []int32) error { return nil })
	} else {
		r.frame.measureAll(m, x)
	}
	for k := range m.n2 {
		m.n2[k] = r.known.n2[at(k)]
	}
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

// enter computes the numbers that check the sums of rows; m has the kernels' results for them. The
// first of them is row i. Their products with the whitening, if there is one, stand in w.
func (r *Rows) enter(m *measures, i int, w []int32) error {
	var v rowCheck // of rows in their own frame, none
	seen := &framedRows{rows: r, m: m}
	if !r.frame.own() {
		v = seen
	}
	width := len(w) / max(1, len(m.n2))
	for k, n2 := range m.n2 {
		if seen.k = k; w != nil {
			seen.whitened = w[k*width : k*width+r.dim]
		}
		if err := r.enterRow(n2, i+k, v); err != nil {
			return err
		}
	}
	return nil
}
