package data

import (
	"slices"
	"strings"
	"sync/atomic"
)

// builder is the sink that makes a Dataset. Every column grows by one value a row. Dropped rows are
// removed at the end.
type builder struct {
	schema    *Schema
	features  []Column
	marks     MissingSet
	layout    layout
	indexes   []map[string]int // of the levels of each feature, nil for few
	byColumn  []int            // the feature at a position of a matrix, or -1
	extraAt   [][]int          // the extras at a position of a matrix
	clamped   []atomic.Int64   // the number of clamped cells of each feature
	columns   [][]float32
	entries   *entries // in place of columns, for a sparse table
	texts     hashed   // of one row
	target    []float32
	hasTarget bool
	dropped   []bool
	anyDrop   bool
	settled   int // the first rows, about which the drop is decided
	extra     []dictionary
}

// manyLevels is the number of levels from which a map is faster than a search.
const manyLevels = 8

func newBuilder(s *Schema, withTarget bool, extra []string) *builder {
	b := &builder{schema: s, features: s.Features(), marks: s.Marks(), hasTarget: withTarget}
	b.columns, b.clamped = make([][]float32, len(b.features)), make([]atomic.Int64, len(b.features))
	b.indexes = levelIndexes(b.features)
	b.keepTexts()
	for _, name := range extra {
		b.extra = append(b.extra, dictionary{name: name, index: map[string]int32{}})
	}
	return b
}

func (b *builder) begin(l layout) {
	b.layout = l
	b.byColumn = l.featureAt()
	b.extraAt = make([][]int, l.width+1)
	for i, at := range l.extra {
		b.extraAt[at] = append(b.extraAt[at], i)
	}
}

// featureAt returns, for each position, the first feature that is made of its cell, or -1.
func (l layout) featureAt() []int {
	at := make([]int, l.width+1)
	for i := range at {
		at[i] = -1
	}
	for j, i := range l.features {
		if at[i] < 0 { // else it is a further feature of the same cell
			at[i] = j
		}
	}
	return at
}

func (b *builder) cells(_ int, cells []string) {
	row := len(b.dropped)
	b.dropped = append(b.dropped, false)
	if b.entries != nil {
		b.textRow(row, cells)
	}
	for j := range b.columns {
		c, at := b.feature(j), b.layout.features[j]
		v, ok := c.treat(c.classify(cells[at], b.marks, b.indexes[j]))
		b.columns[j] = append(b.columns[j], v)
		b.drop(row, ok)
	}
	if b.hasTarget {
		v, ok := b.schema.Target.Cell(cells[b.layout.target], b.marks)
		b.target = append(b.target, v)
		b.drop(row, ok)
	}
	for i, at := range b.layout.extra {
		b.extra[i].add(strings.TrimSpace(cells[at]), b.marks)
	}
}

func (b *builder) number(row, column int, v float64) {
	if row == len(b.dropped) {
		b.dropped = append(b.dropped, false)
	}
	if j := b.byColumn[column]; j >= 0 {
		c := b.feature(j)
		v, ok := c.treat(c.classifyNumber(v, b.indexes[j]))
		b.columns[j] = append(b.columns[j], v)
		b.drop(row, ok)
	}
	if b.hasTarget && column == b.layout.target {
		v, ok := b.schema.Target.number(v)
		b.target = append(b.target, v)
		b.drop(row, ok)
	}
	for _, i := range b.extraAt[column] {
		b.extra[i].add(string(numberText(nil, v)), b.marks)
	}
}

func (b *builder) drop(row int, ok bool) {
	if !ok {
		b.dropped[row] = true
		b.anyDrop = true
	}
}

// dataset returns the rows that were read. Unless keepDropped, the rows that a Drop treatment
// leaves out are removed.
func (b *builder) dataset(keepDropped bool) *Dataset {
	b.settle(keepDropped)
	return b.take(len(b.dropped), keepDropped)
}

// settle removes the dropped rows, unless they are kept, from where it ended before.
func (b *builder) settle(keepDropped bool) {
	from := b.settled
	if b.anyDrop && !keepDropped {
		for j := range b.columns {
			b.columns[j] = squeeze(b.columns[j], b.dropped, from)
		}
		b.entries.squeeze(b.dropped, from)
		if b.hasTarget {
			b.target = squeeze(b.target, b.dropped, from)
		}
		for i := range b.extra {
			b.extra[i].codes = squeeze(b.extra[i].codes, b.dropped, from)
		}
		b.dropped = squeeze(b.dropped, b.dropped, from)
		b.anyDrop = false
	}
	for i := range b.extra {
		b.extra[i].forget(from)
	}
	b.settled = len(b.dropped)
}

// take returns the first rows, which are settled, and keeps the others.
func (b *builder) take(rows int, keepDropped bool) *Dataset {
	d := &Dataset{schema: b.schema, features: b.features, clamped: b.clamped, records: rows, columns: make([][]float32, len(b.columns)), groups: map[string]group{}}
	for j := range b.columns {
		d.columns[j], b.columns[j] = cut(b.columns[j], rows)
	}
	d.sparse, b.entries = b.entries.cut(rows)
	if b.hasTarget {
		if d.target, b.target = cut(b.target, rows); d.target == nil {
			d.target = []float32{} // no rows, but a target: nil would mean no target
		}
	}
	for i := range b.extra {
		e := &b.extra[i]
		g := group{levels: slices.Clip(e.kept)}
		g.codes, e.codes = cut(e.codes, rows)
		d.groups[e.name] = g
	}
	dropped, rest := cut(b.dropped, rows)
	if keepDropped {
		d.dropped = dropped
	}
	b.dropped = rest
	b.settled -= rows
	return d
}

// cut returns the first values of a slice, and a copy of the others with capacity for as many
// again.
func cut[T any](values []T, n int) (first, others []T) {
	if n == len(values) {
		return slices.Clip(values), nil
	}
	return values[:n:n], append(make([]T, 0, max(n, len(values)-n)), values[n:]...)
}

// squeeze removes the dropped rows of a column in place, from a row on.
func squeeze[T any](column []T, dropped []bool, from int) []T {
	kept := column[:from]
	for i, v := range column[from:] {
		if !dropped[from+i] {
			kept = append(kept, v)
		}
	}
	return kept
}
