package data

// sparseRows passes rows of few entries to a builder, which keeps the entries. A position without
// an entry has the cell "0", or the level that is this number, and the result is that of
// builder.cells. But the treatment of such a cell is computed once for each column, not once for
// each cell.
type sparseRows struct {
	b        *builder
	most     int       // the number of columns that drop a row without an entry
	declared []*Column // of each feature, one for all features of a range, so that they stay in the cache
}

// newSparseRows makes the builder sparse. The builder has begun and holds no rows.
func newSparseRows(b *builder) *sparseRows {
	b.columns, b.entries = nil, newEntries(b.schema, b.features)
	r := &sparseRows{b: b, declared: make([]*Column, len(b.features))}
	for j := range b.features {
		r.declared[j] = &b.features[j]
		if j > 0 && sameDeclaration(r.declared[j-1], r.declared[j]) {
			r.declared[j] = r.declared[j-1]
		}
	}
	for _, drops := range b.entries.drops {
		if drops {
			r.most++
		}
	}
	return r
}

// add adds a row: all its cells, and the positions of its entries, ascending.
func (r *sparseRows) add(cells []string, entries []int) {
	b, row := r.b, len(r.b.dropped)
	b.dropped = append(b.dropped, false)
	absentDrops := r.most
	for _, at := range entries {
		j := b.byColumn[at]
		if j < 0 {
			continue
		}
		if b.entries.drops[j] {
			absentDrops--
		}
		v, ok := r.value(j, cells[at])
		b.entries.add(j, v)
		b.drop(row, ok)
	}
	b.entries.end()
	b.drop(row, absentDrops == 0)
	r.addRest(row, cells)
}

// value returns the stored value of a cell of a feature, and whether its row is kept.
func (r *sparseRows) value(j int, cell string) (float32, bool) {
	c := counted{r.declared[j], &r.b.clamped[j]}
	if c.Kind == Numeric {
		if v, n := scanDecimal([]byte(cell)); n > 0 && n == len(cell) {
			return c.treat(c.classifyNumber(v, nil))
		}
	}
	return c.treat(c.classify(cell, r.b.marks, r.b.indexes[j]))
}

// addRest adds the target and the extras of a row.
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
