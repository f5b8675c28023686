//go:build amd64 && !noasm

package linalg

import "unsafe"

const (
	// panelRows and panelColumns are the least numbers of rows and columns that the kernels of panels take.
	panelRows, panelColumns = 12, 16
	// panelWord is how many bytes of a row are multiplied together.
	panelWord = 4
)

// packedPanels are the limbs of the weights of sixteen columns after the other: of each word of a row the higher limbs of
// sixteen columns, as many each as the word has entries, and then the lower. A last word that is not complete ends where the
// row ends, with zeros for what the one before it has.
type packedPanels struct {
	bytes  []int8
	shorts []int16
}

// packPanels writes the limbs of as many whole panels as there are.
func (c *WholeColumns[T]) packPanels() (p packedPanels) {
	panels := c.columns / panelColumns
	if productsAvailable != avx512 || panels == 0 || c.dim < limbDim {
		return p
	}
	size := panels * c.panelEntries()
	if strideOf[T](1) == 1 {
		p.bytes = make([]int8, size)
		packPanels(p.bytes, c.whole, c.dim, byteLimbs)
	} else {
		p.shorts = make([]int16, size)
		packPanels(p.shorts, c.whole, c.dim, shortLimbs)
	}
	return p
}

// panelEntries is how many limbs a panel has.
func (c *WholeColumns[T]) panelEntries() int {
	entries := panelWord / strideOf[T](1)
	return (c.dim + entries - 1) / entries * entries * 2 * panelColumns
}

// packPanels writes the limbs of weights that stand column after column.
func packPanels[L int8 | int16](dst []L, whole []int16, dim int, limbs func(v int16) (high, low L)) {
	entries := panelWord / int(unsafe.Sizeof(dst[0]))
	words := (dim + entries - 1) / entries
	for at := range len(dst) / (2 * panelColumns * words * entries) {
		panel := dst[at*2*panelColumns*words*entries:]
		for k := range panelColumns {
			for j, v := range whole[(at*panelColumns+k)*dim:][:dim] {
				word, place := j/entries, j%entries
				if left := dim % entries; j >= dim-left {
					place += entries - left
				}
				to := (2*word*panelColumns+k)*entries + place
				panel[to], panel[to+panelColumns*entries] = limbs(v)
			}
		}
	}
}

// panelProducts makes the products of whole panels by column and returns how many columns they are, or does none.
func (c *WholeColumns[T]) panelProducts(dst []float32, x []T, rows int) (done int) {
	panels, stride := c.columns/panelColumns, strideOf[T](c.dim)
	if rows < panelRows || c.dim < limbDim || panels == 0 {
		return 0
	}
	turns, left := stride/panelWord, stride%panelWord
	a := panelCall{rows: rows, turns: turns, stride: stride, distance: 4 * rows}
	if left > 0 {
		a.tail = panelWord - left
	}
	if a.next = aheadOf(x, rows, rows, stride); a.next > 0 {
		a.step = (panelRows*stride + panels*turns - 1) / (panels * turns)
	}
	for p := range panels {
		c.panel(dst[p*panelColumns*rows:], x, p, a)
		a.next += rows * stride / panels
	}
	return panels * panelColumns
}

// panelCall says how many rows to multiply and how many whole words they have, by how many bytes the last word begins before
// the end of the one before it, how far apart rows and columns of dst are, and from how many bytes behind x on to
// ask for memory, so many bytes further each turn.
type panelCall struct {
	rows, turns, tail, stride, distance, next, step int
}

// panel makes the products of the columns of panel p.
func (c *WholeColumns[T]) panel(dst []float32, x []T, p int, a panelCall) {
	units, first := &c.units[p*panelColumns], p*c.panelEntries()
	switch x := any(x).(type) {
	case []uint8:
		panelProductsByteVNNI(&dst[0], &x[0], &c.packed.panels.bytes[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	case []int16:
		panelProductsShortVNNI(&dst[0], &x[0], &c.packed.panels.shorts[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	}
}

// rest is the columns behind the first.
func (c *WholeColumns[T]) rest(first int) *WholeColumns[T] {
	r := &WholeColumns[T]{dim: c.dim, columns: c.columns - first, whole: c.whole[first*c.dim:], units: c.units[first:], packed: c.packed}
	if at := 2 * first * c.apart(); strideOf[T](1) == 1 {
		r.packed.bytes = c.packed.bytes[at:]
	} else {
		r.packed.shorts = c.packed.shorts[at:]
	}
	return r
}

// What follows makes the products of sixteen columns, at least twelve rows and one turn, as panelCall says.
//
//go:noescape
func panelProductsByteVNNI(dst *float32, x *uint8, w *int8, units *float32, rows, turns, tail, stride, distance, next, step int)

//go:noescape
func panelProductsShortVNNI(dst *float32, x *int16, w *int16, units *float32, rows, turns, tail, stride, distance, next, step int)
