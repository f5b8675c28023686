package linalg

// packB brings the entries from ≤ k < to of all columns of b into panels of two vectors, or
// of one for a last panel of so few columns; lanes beyond the last column are 0.
func (g *gemmProduct[T]) packB(w *gemmWorkspace[T], from, to int) {
	lanes, depth := g.shape.lanes, to-from
	w.b = grown(w.b, (g.b.Columns+lanes-1)/lanes*lanes*depth)
	for j := 0; j < g.b.Columns; j += 2 * lanes {
		columns := min(2*lanes, g.b.Columns-j)
		width := (columns + lanes - 1) / lanes * lanes
		packPanel(g.set, w.b[j*depth:(j+width)*depth], width, g.b, from, depth, j, columns)
	}
}

// packPanel writes columns j and on, rows from and on of b to dst, row after row of the given
// width.
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

// packRows copies entries from ≤ k < to of rows of a, whose columns are contiguous, and returns
// them as a matrix with contiguous columns.
func (g *gemmProduct[T]) packRows(w *gemmWorkspace[T], i, rows, from, to int) Matrix[T] {
	pitch := rows + gemmPadding/g.shape.elements
	w.a = grown(w.a, pitch*(to-from))
	for k := from; k < to; k++ {
		start := i + k*g.a.ColumnStride
		copy(w.a[(k-from)*pitch:], g.a.Data[start:start+rows])
	}
	return Matrix[T]{Data: w.a, Rows: rows, Columns: to - from, RowStride: 1, ColumnStride: pitch}
}
