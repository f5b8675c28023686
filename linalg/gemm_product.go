package linalg

import (
	"sync"
	"unsafe"
)

// The sizes of blocks. Those of the depth decide the bits of a product, the others its speed
// only.
const (
	gemmDepth   = 320     // most entries of a row of a that are added up at once
	gemmRows    = 144     // rows of a at a time, a multiple of 12
	gemmBytes   = 1 << 21 // most bytes of b at a time
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
	scratch bool // the columns of c are contiguous: tiles go by way of the workspace
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

// gemmOf chooses the orientation.
func gemmOf[T Float](set instructions, c Matrix[T], alpha T, a, b Matrix[T], add bool) gemmProduct[T] {
	c, a, b = c.normal(), a.normal(), b.normal()
	if c.ColumnStride != 1 {
		c, a, b = c.Transposed().normal(), b.Transposed().normal(), a.Transposed().normal()
	}
	g := gemmProduct[T]{set: set, shape: shapeOf[T](set), alpha: alpha, add: add}
	if a.ColumnStride != 1 && c.Columns <= narrowColumns && c.Rows >= 2*c.Columns {
		c, a, b = c.Transposed(), b.Transposed().normal(), a.Transposed().normal()
		g.scratch = c.ColumnStride != 1
	}
	g.c, g.a, g.b = c, a, b
	return g
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
	most := max(gemmBytes/(depth*g.shape.elements)/panel*panel, panel)
	for j := columns[0]; j < columns[1]; j += most {
		strip := g.strip(rows, [2]int{j, min(j+most, columns[1])})
		if g.scratch {
			strip.throughScratch(w, depth)
			continue
		}
		strip.blocks(w, depth)
	}
}

// strip is the part of a product with some rows and columns of c.
func (g *gemmProduct[T]) strip(rows, columns [2]int) gemmProduct[T] {
	s := *g
	s.a, s.b = g.a.Slice(rows[0], rows[1]), g.b.Transposed().Slice(columns[0], columns[1]).Transposed()
	s.c = g.c.Slice(rows[0], rows[1]).Transposed().Slice(columns[0], columns[1]).Transposed()
	return s
}

// throughScratch does a strip whose c is column-wise in a row-wise copy.
func (g *gemmProduct[T]) throughScratch(w *gemmWorkspace[T], depth int) {
	target := g.c
	w.c = grown(w.c, target.Rows*target.Columns)
	g.c = NewMatrix(w.c, target.Rows, target.Columns)
	if g.add {
		g.c.copyFrom(target)
	}
	g.blocks(w, depth)
	target.copyFrom(g.c)
}

// copyFrom sets m, of few rows or row-wise, to the numbers of a matrix of the same shape.
func (m Matrix[T]) copyFrom(from Matrix[T]) {
	for i := range m.Rows {
		for j := range m.Columns {
			m.Data[i*m.RowStride+j*m.ColumnStride] = from.Data[i*from.RowStride+j*from.ColumnStride]
		}
	}
}

// blocks adds up the blocks of k of a strip.
func (g *gemmProduct[T]) blocks(w *gemmWorkspace[T], depth int) {
	for k := 0; k < g.a.Columns; k += depth {
		g.block(w, k, min(k+depth, g.a.Columns), g.add || k > 0)
	}
}

// block adds the products of the entries from ≤ k < to, or writes them.
func (g *gemmProduct[T]) block(w *gemmWorkspace[T], from, to int, add bool) {
	t := gemmTile{depth: to - from, cRow: g.c.RowStride * g.shape.elements}
	*(*T)(unsafe.Pointer(&t.alpha)) = g.alpha
	if add {
		t.add = 1
	}
	inPlace := g.bInPlace()
	if !inPlace {
		g.packB(w, from, to)
	}
	packA := g.packsA()
	for i := 0; i < g.a.Rows; i += gemmRows {
		rows := min(gemmRows, g.a.Rows-i)
		a, start := g.a, g.a.Data[i*g.a.RowStride+from*g.a.ColumnStride:]
		if packA {
			a = g.packRows(w, i, rows, from, to)
			start = a.Data
		}
		t.aRow, t.aDepth = a.RowStride*g.shape.elements, a.ColumnStride*g.shape.elements
		for j := 0; j < g.c.Columns; j += 2 * g.shape.lanes {
			g.setPanel(w, &t, inPlace, j, from)
			g.panel(&t, unsafe.Pointer(&start[0]), i, j, rows)
		}
	}
}

// bInPlace tells whether b is read where it stands: when its rows are contiguous and each entry is
// used a few times only.
func (g *gemmProduct[T]) bInPlace() bool {
	return g.b.ColumnStride == 1 && g.a.Rows <= 2*g.shape.rows[2]
}

// packsA tells whether rows of a are packed: when its columns are contiguous and each entry
// is used several times.
func (g *gemmProduct[T]) packsA() bool {
	return g.a.ColumnStride != 1 && g.c.Columns > 2*g.shape.lanes
}

// setPanel sets what a tile says of columns j and on of c and b.
func (g *gemmProduct[T]) setPanel(w *gemmWorkspace[T], t *gemmTile, inPlace bool, j, from int) {
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
		t.b = unsafe.Pointer(&w.b[j*t.depth])
	}
	t.bDepth = width * g.shape.elements
}

// panel does the tiles of rows i and on of a panel. a points to the first of these rows.
func (g *gemmProduct[T]) panel(t *gemmTile, a unsafe.Pointer, i, j, rows int) {
	vectors := 1
	if g.c.Columns-j > g.shape.lanes {
		vectors = 2
	}
	tile := g.shape.rows[vectors]
	whole := rows / tile
	if whole > 0 {
		t.a, t.c, t.rows = a, unsafe.Pointer(&g.c.Data[i*g.c.RowStride+j]), whole
		gemmWhole[T](g.set, vectors, t)
	}
	for r := whole * tile; r < rows; r += gemmEdge {
		t.a, t.rows = unsafe.Add(a, r*t.aRow), min(gemmEdge, rows-r)
		t.c = unsafe.Pointer(&g.c.Data[(i+r)*g.c.RowStride+j])
		gemmLast[T](g.set, vectors, t)
	}
}
