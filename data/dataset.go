package data

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Dataset is a table of float32 values under a schema. It never changes. A sparse Dataset contains
// only the cells that the file has; any other Dataset contains whole columns. A Dataset is safe for
// concurrent use as long as no caller writes to a returned slice.
type Dataset struct {
	schema   *Schema
	features []Column
	columns  [][]float32
	sparse   *entries // in place of columns
	target   []float32
	dropped  []bool
	clamped  []atomic.Int64 // cells of each feature, in the whole table; nil if it was not read
	groups   map[string]group
	records  int
}

// group is a column that is held as codes into its texts.
type group struct {
	codes  []int32
	levels []string
}

// New returns a Dataset whose columns contain values that Column.Cell returned. It has one column
// for each of Schema.Features, and all columns have the same length. The target has this length
// too, or is nil. New checks only shapes, and it keeps its arguments.
func New(s *Schema, columns [][]float32, target []float32) (*Dataset, error) {
	features := s.Features()
	if s.HasText() {
		return nil, fmt.Errorf("data: schema has a text column, want one of numbers and levels; use NewSparse")
	}
	if len(columns) != len(features) {
		return nil, fmt.Errorf("data: number of columns is %d, want %d; give one for each feature column of the schema", len(columns), len(features))
	}
	records := len(target)
	if target == nil && len(columns) > 0 {
		records = len(columns[0])
	}
	for j, column := range columns {
		if len(column) != records {
			return nil, fmt.Errorf("data: length of column %q is %d, want %d; give all columns and the target one length", features[j].Name, len(column), records)
		}
	}
	return &Dataset{schema: s, features: features, columns: columns, target: target, records: records}, nil
}

// Schema returns the schema of the data set.
func (d *Dataset) Schema() *Schema { return d.schema }

// Records returns the number of rows. Under add-or-remove-one this number is private.
func (d *Dataset) Records() int { return d.records }

// Row writes the values of row i to dst and returns dst. There is one value for each of
// Schema.Features, in order. A text column instead has one value for each bucket. A missing cell is
// NaN. In a text column all buckets of a missing cell are 0. If dst is too short, Row returns a
// longer slice.
func (d *Dataset) Row(dst []float32, i int) []float32 {
	if d.sparse != nil {
		dst = slices.Grow(dst[:0], len(d.sparse.absent))[:len(d.sparse.absent)]
		d.sparse.row(dst, i)
		return dst
	}
	dst = slices.Grow(dst[:0], len(d.features))[:len(d.features)]
	for j, column := range d.columns {
		dst[j] = column[i]
	}
	return dst
}

// Column returns the stored values of one feature column, which is Schema.Features()[j]. For a text
// column it returns the values of the first bucket. The caller must not modify the slice. For a
// sparse data set each call allocates a new slice.
func (d *Dataset) Column(j int) []float32 {
	if d.sparse != nil {
		return d.sparse.dense(d.sparse.position(j))
	}
	return d.columns[j]
}

// Target returns the class indices or the values of the target, one for each row. It returns nil if
// the data set was read without a target. The caller must not modify the slice.
func (d *Dataset) Target() []float32 { return d.target }

// Dropped reports whether row i is one that the schema drops: it has a cell whose treatment is
// Drop, or an invalid target. Only a data set that was read with KeepDropped contains such rows.
func (d *Dataset) Dropped(i int) bool { return d.dropped != nil && d.dropped[i] }

// Group returns the cells of a column as codes, one for each row. A code is an index into levels.
//
//   - For a categorical feature the result levels has the declared levels. The code of an
//     undeclared level is len(levels), and the code of a missing cell is -1.
//   - For a column in ReadOptions.Extra, or with private levels, the result levels has the distinct
//     texts of the column. They are in the order of their first appearance in the file.
//
// Any other column is an error.
func (d *Dataset) Group(name string) (codes []int32, levels []string, err error) {
	if g, ok := d.groups[name]; ok {
		return g.codes, g.levels, nil
	}
	for j := range d.features {
		if c := &d.features[j]; c.Name == name && c.Kind == Categorical && c.Learning != Private {
			return categoryCodes(d.Column(j)), c.Levels, nil
		}
	}
	return nil, nil, fmt.Errorf("data: group column %q is not at hand, want a categorical feature or a column that was asked for when reading; name another column", name)
}

// Texts is Group for a column whose texts name persons. Two rows have the same code from 0 to
// len(texts)-1 if and only if their cells have the same text. Such a code belongs to a text that is
// a declared or learned level, or was read as in Group. All other rows name nobody.
//
// A column whose levels are groups of several texts, or parts of dates, is an error unless its
// texts were read too. So is a column that declares a level twice.
func (d *Dataset) Texts(name string) (codes []int32, texts []string, err error) {
	if codes, texts, err = d.Group(name); err != nil {
		return nil, nil, err
	}
	if _, read := d.groups[name]; read { // a dictionary, whose texts differ
		return codes, texts, nil
	}
	at := slices.IndexFunc(d.features, func(c Column) bool { return c.Name == name })
	if err = d.features[at].faultTexts(); err != nil {
		return nil, nil, err
	}
	return codes, texts, nil
}

// faultTexts returns why the levels of a categorical column are not one text each, or nil.
func (c *Column) faultTexts() error {
	const exact = 1 << 24 // codes are kept as float32
	seen := make(map[string]bool, len(c.Levels))
	for _, level := range c.Levels {
		seen[level] = true
	}
	switch {
	case c.Date != nil:
		return fmt.Errorf("data: the levels of column %q are parts of dates, which merge persons, want texts; name a column of the table", c.Name)
	case c.Grouped != nil:
		return fmt.Errorf("data: the levels of column %q are groups of several texts, which merge persons, want the texts; name it in data.ReadOptions.Extra", c.Name)
	case len(seen) < len(c.Levels):
		return fmt.Errorf("data: column %q declares a level twice, which splits persons, want levels that differ; remove one", c.Name)
	case len(seen) > exact:
		return fmt.Errorf("data: column %q has %d levels, want at most %d where levels name persons; name it in data.ReadOptions.Extra", c.Name, len(seen), exact)
	}
	return nil
}

func categoryCodes(column []float32) []int32 {
	codes := make([]int32, len(column))
	for i, v := range column {
		codes[i] = -1
		if v == v { // not NaN, which marks a missing cell
			codes[i] = int32(v)
		}
	}
	return codes
}

// Slice returns a data set of consecutive rows, selected as by the expression rows[from:to]. It
// shares memory with d.
func (d *Dataset) Slice(from, to int) *Dataset {
	s := *d
	s.records = to - from
	s.columns = make([][]float32, len(d.columns))
	for j, column := range d.columns {
		s.columns[j] = column[from:to:to]
	}
	s.sparse = d.sparse.slice(from, to)
	if d.target != nil {
		s.target = d.target[from:to:to]
	}
	if d.dropped != nil {
		s.dropped = d.dropped[from:to:to]
	}
	s.groups = make(map[string]group, len(d.groups))
	for name, g := range d.groups {
		s.groups[name] = group{g.codes[from:to:to], g.levels}
	}
	return &s
}
