package kernel

import (
	"sync"
	"unsafe"
)

// These are the sizes of blocks. The sizes of the depth decide the bits of a product; the others
// decide its speed only.
const (
	gemmDepth   = 320     // the most entries of a row of a that are added up at once
	gemmRows    = 144     // rows of a at a time, a multiple of 36
	gemmBytes   = 1 << 22 // the most bytes of b at a time
	gemmColumns = 1 << 13 // the most columns at a time, a multiple of every panel
	gemmEdge    = 4       // rows of the kernels for the last rows
	gemmPadding = 64      // bytes between packed rows of a, so that they fall on different sets of a cache
)

// gemmProduct is a product in the orientation in which it is computed. In it b is row-wise or to be
// packed, alpha is not 0, and nothing is empty.
type gemmProduct[T Float] struct {
	set     instructions
	shape   gemmShape
	c, a, b Matrix[T]
	alpha   T
	add     bool // c is added to; otherwise its old values have no effect
	scratch bool // c is computed in the workspace: it is column-wise, or better done with padded rows
	padding int  // rows below the last for which c has memory
}

// gemmWorkspace holds a worker's packed data. It is kept between calls.
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

// grown returns a slice of the given length. It reuses the old one if that is long enough.
func grown[T any](s []T, length int) []T {
	if cap(s) < length {
		return make([]T, length)
	}
	return s[:length]
}

// narrowColumns is the largest number of columns at which a product with a transposed a is computed
// in the other orientation. Then a is read in place.
const narrowColumns = 24

// turnedDepth is the number of products for each entry from which that pays off.
const turnedDepth = 32

// gemmOf chooses the orientation.
func gemmOf[T Float](set instructions, c Matrix[T], alpha T, a, b Matrix[T], add bool) gemmProduct[T] {
	c, a, b = normal(c), normal(a), normal(b)
	if c.ColumnStride != 1 {
		c, a, b = normal(c.Transposed()), normal(b.Transposed()), normal(a.Transposed())
	}
	g := gemmProduct[T]{set: set, shape: shapeOf[T](set), alpha: alpha, add: add}
	if g.isTurned(c, a, b) {
		c, a, b = normal(c.Transposed()), normal(b.Transposed()), normal(a.Transposed())
		g.scratch = c.ColumnStride != 1
	}
	g.c, g.a, g.b = c, a, b
	if g.bInPlace() && g.missingRows() > 0 && a.Columns >= gemmDepth {
		g.scratch = true
	}
	return g
}

// isTurned reports whether the product is computed as the transpose of the product of the
// transposes. It is if a narrow product has a transposed a, or a product of a few rows has a
// transposed b. The larger matrix is then read in place.
func (g *gemmProduct[T]) isTurned(c, a, b Matrix[T]) bool {
	if a.Columns < turnedDepth {
		return false
	}
	return a.ColumnStride != 1 && c.Columns <= narrowColumns && c.Rows >= 2*c.Columns ||
		b.ColumnStride != 1 && c.Rows <= 2*g.shape.lanes && c.Columns >= 2*c.Rows
}

// normal gives a matrix of one row or one column the strides of a row-wise matrix.
func normal[T Float](m Matrix[T]) Matrix[T] {
	if m.Columns == 1 {
		m.ColumnStride = 1
	} else if m.Rows == 1 && m.ColumnStride == 1 {
		m.RowStride = m.Columns
	}
	return m
}

// depths returns the length of the blocks of k, as equal as possible.
func (g *gemmProduct[T]) depths() int {
	blocks := (g.a.Columns + gemmDepth - 1) / gemmDepth
	return (g.a.Columns + blocks - 1) / blocks
}

// part computes the rows and columns of c from ≤ i < to.
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

// whole computes all rows and columns of c, if there are few enough.
func (g *gemmProduct[T]) whole(w *gemmWorkspace[T], depth int) {
	if g.scratch {
		g.throughScratch(w, depth)
		return
	}
	g.blocks(w, depth)
}

// strip returns the part of a product with some rows and columns of c.
func (g *gemmProduct[T]) strip(rows, columns [2]int) gemmProduct[T] {
	s := *g
	s.a, s.b = g.a.Slice(rows[0], rows[1]), g.b.Transposed().Slice(columns[0], columns[1]).Transposed()
	s.c = g.c.Slice(rows[0], rows[1]).Transposed().Slice(columns[0], columns[1]).Transposed()
	return s
}

// throughScratch computes the same in a row-wise copy of c.
func (g *gemmProduct[T]) throughScratch(w *gemmWorkspace[T], depth int) {
	target := g.c
	g.padding = g.missingRows()
	w.c = grown(w.c, (target.Rows+g.padding)*target.Columns)
	g.c = NewMatrix(w.c, target.Rows, target.Columns)
	if g.add {
		copyMatrix(g.c, target)
	}
	g.blocks(w, depth)
	copyMatrix(target, g.c)
}

// missingRows returns how many rows the row-wise copy of c gets below the last: the rows that a
// whole tile lacks, if they are few.
func (g *gemmProduct[T]) missingRows() int {
	tile := g.shape.rows[2]
	if last := g.c.Rows % tile; last > 2*gemmEdge {
		return tile - last
	}
	return 0
}

// copyMatrix sets m, of few rows or row-wise, to the numbers of a matrix of the same shape.
func copyMatrix[T Float](m, from Matrix[T]) {
	for i := range m.Rows {
		for j := range m.Columns {
			m.Data[i*m.RowStride+j*m.ColumnStride] = from.Data[i*from.RowStride+j*from.ColumnStride]
		}
	}
}

// blocks adds up the blocks of k. If b is small, each group of rows of a passes through all blocks
// before the next group. These rows are then read from end to end.
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

// groupRows returns how many rows of a are computed at a time. They are fewer if each is used only
// once or twice.
func (g *gemmProduct[T]) groupRows() int {
	if g.c.Columns <= 4*g.shape.lanes {
		return gemmRows / 3
	}
	return gemmRows
}

// group adds or writes the products of the entries from ≤ k < to of some rows of a. The panels of b
// are at a place of the workspace, or b is read in place.
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
