package linalg

import (
	"sync"
	"unsafe"
)

// The sizes of blocks. Those of the depth decide the bits of a product, the others its speed
// only.
const (
	gemmDepth   = 320     // most entries of a row of a that are added up at once
	gemmRows    = 144     // rows of a at a time, a multiple of 36
	gemmBytes   = 1 << 22 // most bytes of b at a time
	gemmColumns = 1 << 13 // most columns at a time, a multiple of every panel
	gemmEdge    = 4       // rows of the kernels for the last rows
	gemmPadding = 64      // bytes between packed rows of a, so that they fall on different sets of a cache
)

// gemmTile is the argument of a kernel: it adds up the products of some rows of A, one
// below the other, with the columns of a panel of B, and writes alpha times the sums to C or
// adds them to it. The order of the fields is that of linalg/internal/asm/gemm.go.
type gemmTile struct {
	a, b, c                    unsafe.Pointer
	aRow, aDepth, bDepth, cRow int     // bytes from a row, or an entry of a row, to the next
	depth                      int     // entries of a row of A
	rows                       int     // whole tiles, or rows of the last tile
	add                        int     // 0: write
	alpha                      [8]byte // float32 or float64
	mask                       uint64  // the lanes of the last vector that C has, a bit each
	window                     unsafe.Pointer
	partial                    int // 0: C has all lanes
	ahead                      int // what is fetched ahead: bytes from a (whole tiles) or b (last rows)
	step                       int // bytes that it moves with an entry of a row of A (whole tiles), or another one (last rows)
}

// gemmShape is the shape of the tiles of C.
type gemmShape struct {
	lanes    int    // entries in a vector
	rows     [3]int // rows of a whole tile of one or two vectors
	maskedB  bool   // the kernels do not read the lanes of B that C does not have
	elements int    // bytes of an entry
}

// shapeOf returns the shape for a set of instructions.
func shapeOf[T Float](set instructions) gemmShape {
	size := int(unsafe.Sizeof(T(0)))
	switch set {
	case avx512:
		return gemmShape{lanes: 64 / size, rows: [3]int{1: 12, 2: 12}, maskedB: true, elements: size}
	case avx2:
		return gemmShape{lanes: 32 / size, rows: [3]int{1: 12, 2: 6}, elements: size}
	}
	return gemmShape{lanes: 2, rows: [3]int{1: gemmEdge, 2: gemmEdge}, elements: size}
}

// gemmProduct is a product in the orientation in which it is done: b row-wise or to be
// packed, alpha not 0, nothing empty.
type gemmProduct[T Float] struct {
	set     instructions
	shape   gemmShape
	c, a, b Matrix[T]
	alpha   T
	add     bool // c is added to; otherwise what it holds does not matter
	scratch bool // c goes by way of the workspace: it is column-wise, or better done with padded rows
	padding int  // rows that c has room for below the last
}

// gemmWorkspace holds what a worker packs. It is kept from call to call.
type gemmWorkspace[T Float] struct{ a, b, c []T }

var gemmWorkspaces [2]sync.Pool // of float32, of float64

func workspaceOf[T Float]() *gemmWorkspace[T] {
	if w, kept := gemmWorkspaces[poolIndex[T]()].Get().(*gemmWorkspace[T]); kept {
		return w
	}
	return new(gemmWorkspace[T])
}

func (w *gemmWorkspace[T]) release() { gemmWorkspaces[poolIndex[T]()].Put(w) }

func poolIndex[T Float]() int { return int(unsafe.Sizeof(T(0)) / 8) }

// grown returns a slice of the given length, the old one where it is long enough.
func grown[T Float](s []T, length int) []T {
	if cap(s) < length {
		return make([]T, length)
	}
	return s[:length]
}

// narrowColumns is up to how many columns a product with a transposed a is done in the other
// orientation, so that a is read where it stands.
const narrowColumns = 24

// turnedDepth is from how many products an entry on that pays.
const turnedDepth = 32

// gemmOf chooses the orientation.
func gemmOf[T Float](set instructions, c Matrix[T], alpha T, a, b Matrix[T], add bool) gemmProduct[T] {
	c, a, b = c.normal(), a.normal(), b.normal()
	if c.ColumnStride != 1 {
		c, a, b = c.Transposed().normal(), b.Transposed().normal(), a.Transposed().normal()
	}
	g := gemmProduct[T]{set: set, shape: shapeOf[T](set), alpha: alpha, add: add}
	if g.isTurned(c, a, b) {
		c, a, b = c.Transposed().normal(), b.Transposed().normal(), a.Transposed().normal()
		g.scratch = c.ColumnStride != 1
	}
	g.c, g.a, g.b = c, a, b
	if g.bInPlace() && g.missingRows() > 0 && a.Columns >= gemmDepth {
		g.scratch = true
	}
	return g
}

// isTurned tells whether the product is done as the transpose of that of the transposes: when
// a narrow product has a transposed a, and when one of a few rows has a transposed b. Then the
// larger matrix is read where it stands.
func (g *gemmProduct[T]) isTurned(c, a, b Matrix[T]) bool {
	if a.Columns < turnedDepth {
		return false
	}
	return a.ColumnStride != 1 && c.Columns <= narrowColumns && c.Rows >= 2*c.Columns ||
		b.ColumnStride != 1 && c.Rows <= 2*g.shape.lanes && c.Columns >= 2*c.Rows
}

// normal gives a matrix of one row or one column the strides of a row-wise matrix.
func (m Matrix[T]) normal() Matrix[T] {
	if m.Columns == 1 {
		m.ColumnStride = 1
	} else if m.Rows == 1 && m.ColumnStride == 1 {
		m.RowStride = m.Columns
	}
	return m
}

// depths returns how long the blocks of k are: as equal as can be.
func (g *gemmProduct[T]) depths() int {
	blocks := (g.a.Columns + gemmDepth - 1) / gemmDepth
	return (g.a.Columns + blocks - 1) / blocks
}

// part does the rows and columns of c from ≤ i < to.
func (g *gemmProduct[T]) part(w *gemmWorkspace[T], rows, columns [2]int) {
	panel := 2 * g.shape.lanes
	depth := g.depths()
	most := min(max(gemmBytes/(depth*g.shape.elements)/panel*panel, panel), gemmColumns)
	if rows[1]-rows[0] == g.c.Rows && g.c.Columns <= min(most, columns[1]-columns[0]) {
		g.whole(w, depth)
		return
	}
	for j := columns[0]; j < columns[1]; j += most {
		strip := g.strip(rows, [2]int{j, min(j+most, columns[1])})
		strip.whole(w, depth)
	}
}

// whole does all rows and columns of c, of which there are few enough.
func (g *gemmProduct[T]) whole(w *gemmWorkspace[T], depth int) {
	if g.scratch {
		g.throughScratch(w, depth)
		return
	}
	g.blocks(w, depth)
}

// strip is the part of a product with some rows and columns of c.
func (g *gemmProduct[T]) strip(rows, columns [2]int) gemmProduct[T] {
	s := *g
	s.a, s.b = g.a.Slice(rows[0], rows[1]), g.b.Transposed().Slice(columns[0], columns[1]).Transposed()
	s.c = g.c.Slice(rows[0], rows[1]).Transposed().Slice(columns[0], columns[1]).Transposed()
	return s
}

// throughScratch does the same in a row-wise copy of c.
func (g *gemmProduct[T]) throughScratch(w *gemmWorkspace[T], depth int) {
	target := g.c
	g.padding = g.missingRows()
	w.c = grown(w.c, (target.Rows+g.padding)*target.Columns)
	g.c = NewMatrix(w.c, target.Rows, target.Columns)
	if g.add {
		g.c.copyFrom(target)
	}
	g.blocks(w, depth)
	target.copyFrom(g.c)
}

// missingRows is how many rows the row-wise copy of c gets below the last: those that are
// missing from a whole tile, if they are few.
func (g *gemmProduct[T]) missingRows() int {
	tile := g.shape.rows[2]
	if last := g.c.Rows % tile; last > 2*gemmEdge {
		return tile - last
	}
	return 0
}

// copyFrom sets m, of few rows or row-wise, to the numbers of a matrix of the same shape.
func (m Matrix[T]) copyFrom(from Matrix[T]) {
	for i := range m.Rows {
		for j := range m.Columns {
			m.Data[i*m.RowStride+j*m.ColumnStride] = from.Data[i*from.RowStride+j*from.ColumnStride]
		}
	}
}

// blocks adds up the blocks of k. When b is small, each group of rows of a goes
// through all of them before the next, so that these rows are read from end to end.
func (g *gemmProduct[T]) blocks(w *gemmWorkspace[T], depth int) {
	panels := (g.b.Columns + g.shape.lanes - 1) / g.shape.lanes * g.shape.lanes
	inPlace := g.bInPlace()
	small := inPlace || panels*g.b.Rows*g.shape.elements <= gemmBytes
	length := depth
	if small {
		length = g.b.Rows
	}
	if !inPlace {
		w.b = grown(w.b, panels*length)
	}
	for first := 0; first < g.b.Rows; first += length {
		last := min(first+length, g.b.Rows)
		if !inPlace {
			for k := first; k < last; k += depth {
				g.packB(w.b[(k-first)*panels:], k, min(k+depth, last))
			}
		}
		for i := 0; i < g.a.Rows; i += g.groupRows() {
			for k := first; k < last; k += depth {
				g.group(w, i, k, min(k+depth, last), (k-first)*panels)
			}
		}
	}
}

// groupRows is how many rows of a are done at a time: fewer when each is used once or twice.
func (g *gemmProduct[T]) groupRows() int {
	if g.c.Columns <= 4*g.shape.lanes {
		return gemmRows / 3
	}
	return gemmRows
}

// group adds the products of the entries from ≤ k < to of some rows of a, or writes them. The
// panels of b are at a place of the workspace, or b is read where it stands.
func (g *gemmProduct[T]) group(w *gemmWorkspace[T], i, from, to, place int) {
	size := g.shape.elements
	t := gemmTile{depth: to - from, cRow: g.c.RowStride * size}
	*(*T)(unsafe.Pointer(&t.alpha)) = g.alpha
	if g.add || from > 0 {
		t.add = 1
	}
	rows := min(g.groupRows(), g.a.Rows-i)
	padded := rows
	if i+rows == g.a.Rows {
		padded += g.padding
	}
	a := Matrix[T]{Data: g.a.Data[i*g.a.RowStride+from*g.a.ColumnStride:], RowStride: g.a.RowStride, ColumnStride: g.a.ColumnStride}
	if g.packsA() || padded > rows {
		a = g.packRows(w, i, rows, padded, from, to)
	}
	t.aRow, t.aDepth = a.RowStride*size, a.ColumnStride*size
	inPlace := g.bInPlace()
	for j := 0; j < g.c.Columns; j += 2 * g.shape.lanes {
		g.setPanel(w, &t, inPlace, j, from, place)
		g.panel(&t, unsafe.Pointer(&a.Data[0]), i, j, padded, from)
	}
}

// bInPlace tells whether b is read where it stands: when its rows are contiguous and each entry is
// used a few times only.
func (g *gemmProduct[T]) bInPlace() bool {
	return g.b.ColumnStride == 1 && g.a.Rows <= 2*g.shape.rows[2]
}

// packsA tells whether rows of a are packed: when each entry is used several times and its
// columns are contiguous, or its rows fall on the same sets of a cache.
func (g *gemmProduct[T]) packsA() bool {
	if g.c.Columns <= 4*g.shape.lanes {
		return g.a.ColumnStride != 1 && g.c.Columns > 2*g.shape.lanes
	}
	return g.a.ColumnStride != 1 || g.a.RowStride*g.shape.elements%2048 == 0
}

// setPanel sets what a tile says of columns j and on of c and b.
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

// panel does the tiles of rows i and on of a panel. a points to the first of these rows.
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

// fetchRows says what to fetch ahead while whole tiles are done. While the first panel is
// done it is the next group of rows of a, evenly over the entries. When b is read where it
// stands it is the next panel instead.
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

// fetchPanel says what to fetch ahead while the last rows are done from row r on, when b is read
// where it stands: the next panel. If there are more such rows they share in it.
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

// nextPanel returns the bytes from a panel of b, which is read where it stands, to the next
// one, or to the first one of the next block.
func (g *gemmProduct[T]) nextPanel(j, depth int) int {
	if next := 2 * g.shape.lanes; j+next < g.c.Columns {
		return next * g.shape.elements
	}
	return (depth*g.b.RowStride - j) * g.shape.elements
}
