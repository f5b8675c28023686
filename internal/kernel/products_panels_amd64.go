//go:build amd64 && !noasm

package kernel

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
func (c *IntColumns[T]) packPanels() (p packedPanels) {
	size := c.columns / panelColumns * c.panelEntries()
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
func (c *IntColumns[T]) panelEntries() int {
	entries := panelWord / strideOf[T](1)
	return (c.dim + entries - 1) / entries * entries * 2 * panelColumns
}

// packPanels writes the limbs of weights that stand column after column.
func packPanels[L int8 | int16](dst []L, whole []int16, dim int, limbs func(v int16) (high, low L)) {
	entries := panelWord / int(unsafe.Sizeof(dst[0]))
	words := (dim + entries - 1) / entries
	for k := range len(dst) / (2 * words * entries) {
		column := dst[k/panelColumns*panelColumns*2*words*entries+k%panelColumns*entries:]
		for word := range words {
			at := word * 2 * panelColumns * entries
			high, low := column[at:at+entries], column[at+panelColumns*entries:]
			first := min(word*entries, dim-entries) // of the last word, in the one before it
			for j, v := range whole[k*dim+first : k*dim+first+entries] {
				if first+j >= word*entries {
					high[j], low[j] = limbs(v)
				}
			}
		}
	}
}

// panelProducts makes the products of whole panels by column and returns how many columns they are, or does none.
func (c *IntColumns[T]) panelProducts(dst []float32, x []T, rows int) (done int) {
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

// panelCall says how many rows to multiply and how many whole words they have. It says by how many
// bytes the last word begins before the end of the one before it, and how far apart rows and
// columns of dst are. Memory is asked for from this many bytes after x on, and this many bytes
// further each turn.
type panelCall struct {
	rows, turns, tail, stride, distance, next, step int
}

// panel makes the products of the columns of panel p.
func (c *IntColumns[T]) panel(dst []float32, x []T, p int, a panelCall) {
	units, first := &c.units[p*panelColumns], p*c.panelEntries()
	switch x := any(x).(type) {
	case []uint8:
		panelProductsByteVNNI(&dst[0], &x[0], &c.packed.panels.bytes[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	case []int16:
		panelProductsShortVNNI(&dst[0], &x[0], &c.packed.panels.shorts[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	}
}

// What follows makes the products of sixteen columns, at least twelve rows and one turn, as panelCall says.
//
//go:noescape
func panelProductsByteVNNI(dst *float32, x *uint8, w *int8, units *float32, rows, turns, tail, stride, distance, next, step int)

//go:noescape
func panelProductsShortVNNI(dst *float32, x *int16, w *int16, units *float32, rows, turns, tail, stride, distance, next, step int)
