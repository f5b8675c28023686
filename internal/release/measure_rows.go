package release

import (
	"errors"
	"slices"
	"sync"

	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// begin makes the book of rows that were not measured yet; n2 is where their squared norms will be.
func (r *Rows) begin(n2 []int64) {
	r.frame.keepSecrets(r.dim, r.origin.secret)
	r.width, r.shift, r.known = r.Dim(), r.frame.shift, newEntered(n2)
}

// measure computes and keeps the measures of all rows, unless they are of a file and computed when
// they are read. Sums refuse rows that it does not enter.
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
			return r.measureSome(all.part(first, r.file.Table.Blocks[k].Rows), own.X, first)
		})
	} else {
		var lock sync.Mutex
		parallel.Parts(r.count, func(from, to int) {
			failed := r.measureSome(all.part(from, to-from), r.x.Part(from, to-from), from)
			lock.Lock()
			defer lock.Unlock()
			err = errors.Join(err, failed)
		})
	}
	if r.measures = all; err != nil {
		r.known = nil // no sum takes any of these rows
	}
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

// enter computes the numbers that check the sums of the rows of x; m has the kernels' results for
// them. Row i of x is row at(i) of r.
func (r *Rows) enter(m *measures, x storage, at func(i int) int) error {
	var own reader
	var v rowCheck // of rows in their own frame, none
	seen := &framedRows{rows: r, m: m}
	if !r.frame.own() {
		v = seen
	}
	for i := range m.n2 {
		seen.i = i
		if err := r.enterRow(&m.n2[i], x, i, at(i), v, &own); err != nil {
			return err
		}
	}
	return nil
}
