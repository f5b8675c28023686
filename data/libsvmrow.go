package data

// sparseRows passes rows of few entries to a builder. It means the same as builder.cells for
// each row with the cell "0", or the level that is this number, where there is no entry; but
// what becomes of such a cell is found out once for each column and not once for each cell.
type sparseRows struct {
	b      *builder
	absent []float32 // of each feature, the value of a cell without an entry
	drops  []bool    // of each feature, whether such a cell drops the row
	most   int       // how many of drops are set
}

// newSparseRows takes the cells of a row without entries. The builder has begun.
func newSparseRows(b *builder, zeros []string) *sparseRows {
	r := &sparseRows{b: b, absent: make([]float32, len(b.features)), drops: make([]bool, len(b.features))}
	for j, at := range b.layout.features {
		c := &b.features[j]
		v, ok := c.treat(c.classify(zeros[at], b.marks, b.indexes[j]))
		r.absent[j], r.drops[j] = v, !ok
		if !ok {
			r.most++
		}
	}
	return r
}

// add takes a row: all its cells, and the positions of those that are entries, each once.
func (r *sparseRows) add(cells []string, entries []int) {
	b, row := r.b, len(r.b.dropped)
	b.dropped = append(b.dropped, false)
	for j, v := range r.absent {
		b.columns[j] = append(b.columns[j], v)
	}
	absentDrops := r.most
	for _, at := range entries {
		j := b.byColumn[at]
		if j < 0 {
			continue
		}
		if r.drops[j] {
			absentDrops--
		}
		c := &b.features[j]
		v, ok := c.treat(c.classify(cells[at], b.marks, b.indexes[j]))
		b.columns[j][row] = v
		b.drop(row, ok)
	}
	b.drop(row, absentDrops == 0)
	r.addRest(row, cells)
}

// addRest takes the target and the extras of a row.
func (r *sparseRows) addRest(row int, cells []string) {
	b := r.b
	if b.hasTarget {
		v, ok := b.schema.Target.Cell(cells[b.layout.target], b.marks)
		b.target = append(b.target, v)
		b.drop(row, ok)
	}
	for i, at := range b.layout.extra {
		b.extra[i].add(cells[at], b.marks)
	}
}
