package kernel

// packB packs the entries from ≤ k < to of all columns of b into panels of two vectors. A last
// panel of few columns has one vector. Lanes beyond the last column are 0.
func (g *gemmProduct[T]) packB(dst []T, from, to int) {
	lanes, depth := g.shape.lanes, to-from
	for j := 0; j < g.b.Columns; j += 2 * lanes {
		columns := min(2*lanes, g.b.Columns-j)
		width := (columns + lanes - 1) / lanes * lanes
		packPanel(g.set, dst[j*depth:(j+width)*depth], width, g.b, from, depth, j, columns)
	}
}

// packPanel writes rows from from and columns from j of b to dst, row after row of the given width.
func packPanel[T Float](set instructions, dst []T, width int, b Matrix[T], from, depth, j, columns int) {
	if columns < width {
		clear(dst[:depth*width])
	}
	if b.ColumnStride == 1 {
		if columns == width && copyVector(set, dst, width, b.Data[from*b.RowStride+j:], b.RowStride, depth) {
			return
		}
		for k := range depth {
			start := (from+k)*b.RowStride + j
			copy(dst[k*width:k*width+columns], b.Data[start:start+columns])
		}
		return
	}
	for c := 0; c < columns; {
		source := b.Data[(j+c)*b.ColumnStride+from:]
		done, some := transposeVector(set, dst[c:], width, source, b.ColumnStride, depth, columns-c)
		for x := range some {
			for k, v := range source[x*b.ColumnStride+done : x*b.ColumnStride+depth] {
				dst[c+x+(done+k)*width] = v
			}
		}
		c += some
	}
}

// packRows copies entries from ≤ k < to of rows of a and returns them as a matrix. Rows of 0 below
// fill the matrix up to padded rows.
func (g *gemmProduct[T]) packRows(w *gemmWorkspace[T], i, rows, padded, from, to int) Matrix[T] {
	space := gemmPadding / g.shape.elements
	if g.a.RowStride == 1 {
		p := Matrix[T]{Rows: padded, Columns: to - from, RowStride: 1, ColumnStride: padded + space}
		w.a = grown(w.a, p.Columns*p.ColumnStride)
		for k := range p.Columns {
			column := w.a[k*p.ColumnStride : k*p.ColumnStride+padded]
			start := i + (from+k)*g.a.ColumnStride
			clear(column[copy(column, g.a.Data[start:start+rows]):])
		}
		p.Data = w.a
		return p
	}
	p := Matrix[T]{Rows: padded, Columns: to - from, RowStride: to - from + space, ColumnStride: 1}
	w.a = grown(w.a, p.Rows*p.RowStride)
	for r := range padded {
		row := w.a[r*p.RowStride : r*p.RowStride+p.Columns]
		if r >= rows {
			clear(row)
			continue
		}
		copy(row, g.a.Data[(i+r)*g.a.RowStride+from:])
	}
	p.Data = w.a
	return p
}
