package data

import (
	"fmt"
	"slices"
)

// entries are the cells of sparse records, record after record. Where a record has no cell, its
// value is that of the column, the same for all records.
type entries struct {
	start  []int // of each record in column and value, and the end
	column []uint32
	value  []float32
	absent []float32 // for each value of a row, the stored value of a cell without an entry
	drops  []bool    // for each value, whether the schema drops the row for such a cell
	// offsets are the positions where the values of each feature begin, nil where each feature has
	// one value.
	offsets []uint32
}

// newEntries returns no records, under the features of a schema.
func newEntries(s *Schema, features []Column) *entries {
	offsets, width := textOffsets(features)
	e := &entries{start: []int{0}, absent: make([]float32, width), drops: make([]bool, width), offsets: offsets}
	marks, last := s.Marks(), levelTexts{}
	for j := range features {
		c := &features[j]
		if c.Kind == Categorical && (j == 0 || !sameTexts(c.Levels, features[j-1].Levels)) {
			last = newLevelTexts(c.texts(), marks)
		}
		zero := "0"
		if c.Kind == Categorical {
			zero = last.find(zero)
		}
		if c.Kind == Text {
			continue // an empty bucket is 0
		}
		v, ok := c.treat(c.classify(zero, marks, nil))
		at := e.position(j)
		e.absent[at], e.drops[at] = v, !ok
	}
	return e
}

// position returns the position where the values of a feature begin.
func (e *entries) position(feature int) int {
	if e.offsets == nil {
		return feature
	}
	return int(e.offsets[feature])
}

// sameTexts reports whether two slices are the same memory: the columns of a range share their
// levels.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// NewSparse returns a Dataset that contains only the given cells. The cells of record i have the
// indices start[i] to start[i+1]-1 in the arguments columns and values. Each element of columns is
// a position in the result of Dataset.Row. The positions of a record are ascending. The values are
// results of Column.Cell and Column.TextCell. A cell that is not given is the number 0, treated as
// the schema declares. The target may be nil. NewSparse checks only shapes and positions, and it
// keeps its arguments.
func NewSparse(s *Schema, start []int, columns []uint32, values []float32, target []float32) (*Dataset, error) {
	features := s.Features()
	width := s.values()
	records := len(start) - 1
	if records < 0 || start[0] != 0 || start[records] != len(columns) || len(columns) != len(values) || target != nil && len(target) != records {
		return nil, fmt.Errorf("data: shape of sparse records is wrong, want starts from 0 to the number of cells, a value for each cell and a target for each record")
	}
	for i := range records {
		if start[i] > start[i+1] || start[i+1] > len(columns) || !ascends(columns[start[i]:start[i+1]], width) {
			return nil, fmt.Errorf("data: cells of record %d are out of order, want ascending columns below %d", i, width)
		}
	}
	e := newEntries(s, features)
	e.start, e.column, e.value = start, columns, values
	return &Dataset{schema: s, features: features, sparse: e, target: target, records: records}, nil
}

// ascends reports whether positions ascend below an end.
func ascends(columns []uint32, end int) bool {
	for k, j := range columns {
		if int64(j) >= int64(end) || k > 0 && j <= columns[k-1] {
			return false
		}
	}
	return true
}

// Sparse reports whether the data set is sparse, which means that it stores only the cells that the
// table has. It is true for a LIBSVM file, for a table with a text column, and for a result of
// NewSparse. Cells returns the stored cells of a record. Absent returns the values of cells that
// are not stored. Row and Column return both kinds of values together.
func (d *Dataset) Sparse() bool { return d.sparse != nil }

// Cells returns the stored cells of record i of a sparse data set. The elements of columns are
// positions in the result of Row, ascending. The value of a missing cell is NaN. The caller must
// not modify the slices. Both slices are nil if the data set is not sparse.
func (d *Dataset) Cells(i int) (columns []uint32, values []float32) {
	if d.sparse == nil {
		return nil, nil
	}
	return d.sparse.cells(i)
}

// Absent returns the values of cells that a sparse data set does not store, one for each position
// in the result of Row. Such a cell is the number 0, treated as the schema declares. Its value is
// NaN if the column treats 0 as missing. The caller must not modify the returned slice, which is
// nil if the data set is not sparse.
func (d *Dataset) Absent() []float32 {
	if d.sparse == nil {
		return nil
	}
	return d.sparse.absent
}

func (e *entries) cells(i int) ([]uint32, []float32) {
	from, to := e.start[i], e.start[i+1]
	return e.column[from:to:to], e.value[from:to:to]
}

// row fills dst with one value for each position.
func (e *entries) row(dst []float32, i int) {
	copy(dst, e.absent)
	columns, values := e.cells(i)
	for k, j := range columns {
		dst[j] = values[k]
	}
}

// dense returns the values of all records at one position.
func (e *entries) dense(j int) []float32 {
	out := slices.Repeat(e.absent[j:j+1], len(e.start)-1)
	for i := range out {
		columns, values := e.cells(i)
		if k, ok := slices.BinarySearch(columns, uint32(j)); ok {
			out[i] = values[k]
		}
	}
	return out
}

// slice returns the records from ≤ i < to in the same memory.
func (e *entries) slice(from, to int) *entries {
	if e == nil {
		return nil
	}
	s := *e
	s.start = e.start[from : to+1 : to+1]
	return &s
}

// add appends a cell to the current record, which end completes.
func (e *entries) add(column int, v float32) {
	e.column, e.value = append(e.column, uint32(column)), append(e.value, v)
}

func (e *entries) end() { e.start = append(e.start, len(e.column)) }

// squeeze removes the dropped records in place, from a record on.
func (e *entries) squeeze(dropped []bool, from int) {
	if e == nil {
		return
	}
	kept, n := from, e.start[from]
	for i := from; i < len(e.start)-1; i++ {
		if dropped[i] {
			continue
		}
		// The start of record i is read before the start of a kept record is written. The kept
		// record is not after record i.
		first, last := e.start[i], e.start[i+1]
		copy(e.column[n:], e.column[first:last])
		copy(e.value[n:], e.value[first:last])
		e.start[kept] = n
		n += last - first
		kept++
	}
	e.start[kept] = n
	e.start, e.column, e.value = e.start[:kept+1], e.column[:n], e.value[:n]
}

// cut returns the first records, and a copy of the others.
func (e *entries) cut(records int) (first, others *entries) {
	if e == nil {
		return nil, nil
	}
	a, b := *e, *e
	n := e.start[records]
	a.start = e.start[: records+1 : records+1]
	a.column, b.column = cut(e.column, n)
	a.value, b.value = cut(e.value, n)
	b.start = make([]int, 0, len(e.start)-records)
	for _, s := range e.start[records:] {
		b.start = append(b.start, s-n)
	}
	return &a, &b
}
