package kernel

import "unsafe"

// gemmTile is the argument of a kernel. The kernel adds up the products of some rows of A, one
// below the other, with the columns of a panel of B. It then writes alpha times the sums to C or
// adds them to it. The fields have the order of kernel/internal/asm/gemm.go.
type gemmTile struct {
	a, b, c                    unsafe.Pointer
	aRow, aDepth, bDepth, cRow int     // bytes from a row, or an entry of a row, to the next
	depth                      int     // entries of a row of A
	rows                       int     // whole tiles, or rows of the last tile
	add                        int     // 0: write
	alpha                      [8]byte // float32 or float64
	mask                       uint64  // the lanes of the last vector that C has, one bit each
	window                     unsafe.Pointer
	partial                    int // 0: C has all lanes
	ahead                      int // bytes from a (whole tiles) or b (last rows) to the prefetched address
	step                       int // bytes that the address moves with an entry of a row of A (whole tiles), or another entry (last rows)
}

// gemmShape is the shape of the tiles of C.
type gemmShape struct {
	lanes    int    // entries in a vector
	rows     [3]int // rows of a whole tile of one or two vectors
	maskedB  bool   // the kernels do not read the lanes of B that C lacks
	elements int    // bytes of an entry
}

// shapeOf returns the shape for a set of instructions.
func shapeOf[T Float](set instructions) gemmShape {
	size := int(unsafe.Sizeof(T(0)))
	switch set {
	case avx512, avx512VNNI:
		return gemmShape{lanes: 64 / size, rows: [3]int{1: 12, 2: 12}, maskedB: true, elements: size}
	case avx2:
		return gemmShape{lanes: 32 / size, rows: [3]int{1: 12, 2: 6}, elements: size}
	}
	return gemmShape{lanes: 2, rows: [3]int{1: gemmEdge, 2: gemmEdge}, elements: size}
}

// bInPlace reports whether b is read in place. It is if its rows are contiguous and each entry is
// used only a few times.
func (g *gemmProduct[T]) bInPlace() bool {
	return g.b.ColumnStride == 1 && g.a.Rows <= 2*g.shape.rows[2]
}

// packsA reports whether rows of a are packed. They are if each entry is used several times, and
// either columns are contiguous or rows map to the same cache sets.
func (g *gemmProduct[T]) packsA() bool {
	if g.c.Columns <= 4*g.shape.lanes {
		return g.a.ColumnStride != 1 && g.c.Columns > 2*g.shape.lanes
	}
	return g.a.ColumnStride != 1 || g.a.RowStride*g.shape.elements%2048 == 0
}

// setPanel sets the fields of a tile for columns from j of c and b.
func (g *gemmProduct[T]) setPanel(w *gemmWorkspace[T], t *gemmTile, inPlace bool, j, from, place int) {
	lanes := g.shape.lanes
	columns := min(2*lanes, g.c.Columns-j)
	last := (columns-1)%lanes + 1 // of the last vector
	t.mask, t.partial = 1<<last-1, lanes-last
	t.window = laneWindow(last * g.shape.elements)
	if inPlace && (t.partial == 0 || g.shape.maskedB) {
		t.b = unsafe.Pointer(&g.b.Data[from*g.b.RowStride+j])
		t.bDepth = g.b.RowStride * g.shape.elements
		return
	}
	width := (columns + lanes - 1) / lanes * lanes
	if inPlace {
		w.b = grown(w.b, width*t.depth)
		packPanel(g.set, w.b, width, g.b, from, t.depth, j, columns)
		t.b = unsafe.Pointer(&w.b[0])
	} else {
		t.b = unsafe.Pointer(&w.b[place+j*t.depth])
	}
	t.bDepth = width * g.shape.elements
}

// panel computes the tiles of rows from i of a panel. a points to the first of these rows.
func (g *gemmProduct[T]) panel(t *gemmTile, a unsafe.Pointer, i, j, rows, from int) {
	vectors := 1
	if g.c.Columns-j > g.shape.lanes {
		vectors = 2
	}
	tile := g.shape.rows[vectors]
	whole := rows / tile
	if whole > 0 {
		t.a, t.c, t.rows = a, unsafe.Pointer(&g.c.Data[i*g.c.RowStride+j]), whole
		g.fetchRows(t, tile, j, from)
		gemmWhole[T](g.set, vectors, t)
	}
	for r := whole * tile; r < rows; r += gemmEdge {
		t.a, t.rows = unsafe.Add(a, r*t.aRow), min(gemmEdge, rows-r)
		g.fetchPanel(t, r, rows, j)
		t.c = unsafe.Pointer(&g.c.Data[(i+r)*g.c.RowStride+j])
		gemmLast[T](g.set, vectors, t)
	}
}

// fetchRows sets the memory to prefetch during whole tiles. During the first panel it is the next
// group of rows of a, evenly over the entries. If b is read in place it is the next panel instead.
func (g *gemmProduct[T]) fetchRows(t *gemmTile, tile, j, from int) {
	row := g.a.RowStride * g.shape.elements
	t.ahead, t.step = 0, 0
	if g.bInPlace() {
		t.ahead, t.step = int(uintptr(t.b)-uintptr(t.a))+g.nextPanel(j, t.depth), t.bDepth
		return
	}
	step := tile * row / g.a.Columns
	if j == 0 && g.a.ColumnStride == 1 && step <= 2*tile*g.shape.elements {
		t.ahead, t.step = g.groupRows()*row-from*g.shape.elements+step*from*t.rows, step
	}
}

// fetchPanel sets the memory to prefetch during the last rows from row r, if b is read in place:
// the next panel. Several such rows share it.
func (g *gemmProduct[T]) fetchPanel(t *gemmTile, r, rows, j int) {
	t.ahead, t.step = 0, 0
	if !g.bInPlace() {
		return
	}
	const line = 64
	next := g.nextPanel(j, t.depth)
	switch {
	case rows <= gemmEdge:
		t.ahead, t.step = next, next+line
	case r < 2*gemmEdge:
		t.ahead = next + r/gemmEdge*line
	}
}

// nextPanel returns the bytes from a panel of b, which is read in place, to the next panel. After
// the last panel it is the first panel of the next block.
func (g *gemmProduct[T]) nextPanel(j, depth int) int {
	if next := 2 * g.shape.lanes; j+next < g.c.Columns {
		return next * g.shape.elements
	}
	return (depth*g.b.RowStride - j) * g.shape.elements
}
