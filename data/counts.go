package data

import "sync/atomic"

// CellCounts counts the cells of one feature column that a schema treats in a special way.
type CellCounts struct {
	// Missing is the number of cells that count as missing. It is 0 for a text column.
	Missing int
	// Unknown is the number of cells with an undeclared level, if the column treats such cells by
	// Other or Zero. Otherwise it is 0.
	Unknown int
	// Clamped is the number of cells that were moved to a bound.
	Clamped int
}

// CellCounts returns the counts of each of Schema.Features, in order. The counts include the cells
// of rows that ReadOptions.KeepDropped keeps. Clamped counts the stored cells of the whole table
// that Read read, also in a data set that Slice or Take returned. Clamped is 0 if the data set was
// not read from a file. The counts are exact numbers of private records, so show them only to
// people who may see the records.
func (d *Dataset) CellCounts() []CellCounts {
	counts := make([]CellCounts, len(d.features))
	for j := range d.clamped {
		counts[j].Clamped = int(d.clamped[j].Load())
	}
	for j := range d.columns {
		for _, v := range d.columns[j] {
			counts[j].note(&d.features[j], v, 1)
		}
	}
	if d.sparse != nil {
		d.sparse.count(d.features, d.records, counts)
	}
	return counts
}

// note adds n cells with a stored value.
func (n *CellCounts) note(c *Column, v float32, cells int) {
	switch {
	case v != v:
		n.Missing += cells
	case c.Kind == Categorical && int(v) == len(c.Levels) && c.Learning != Private:
		n.Unknown += cells
	}
}

// count adds the cells of a sparse table: those that it stores, and all others of their columns.
func (e *entries) count(features []Column, records int, counts []CellCounts) {
	at := make([]int, len(e.absent)) // the feature of a position
	stored := make([]int, len(e.absent))
	for i := range at {
		at[i] = -1
	}
	for j := range features {
		if features[j].Kind != Text {
			at[e.position(j)] = j
		}
	}
	for i := range records {
		columns, values := e.cells(i)
		for k, position := range columns {
			stored[position]++
			if j := at[position]; j >= 0 {
				counts[j].note(&features[j], values[k], 1)
			}
		}
	}
	for position, j := range at {
		if j < 0 {
			continue
		}
		c, absent, cells := &features[j], e.absent[position], records-stored[position]
		counts[j].note(c, absent, cells)
		if c.Kind == Numeric && absent == absent && (c.Lower > 0 || c.Upper < 0) { // a number 0 that was moved
			counts[j].Clamped += cells
		}
	}
}

// counted is a feature column whose clamped cells are counted.
type counted struct {
	*Column
	clamped *atomic.Int64
}

// treat is Column.treat, and counts the cell if it is clamped.
func (c counted) treat(s state, v float64) (float32, bool) {
	if s == outOfRange && c.OutOfRange == Clamp {
		c.clamped.Add(1)
	}
	return c.Column.treat(s, v)
}

// feature returns the feature with this number.
func (b *builder) feature(j int) counted { return counted{&b.features[j], &b.clamped[j]} }
