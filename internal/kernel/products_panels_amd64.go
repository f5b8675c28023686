//go:build amd64 && !noasm

package kernel

import "unsafe"

const (
	// panelRows and panelColumns are the least numbers of rows and columns that the kernels of
	// panels take.
	panelRows, panelColumns = 12, 16
	// panelWord is the number of bytes of a row that are multiplied together.
	panelWord = 4
)

// packedPanels are the limbs of the weights in panels of sixteen columns. A panel has, for each
// word of a row, the higher limbs of sixteen columns and then the lower limbs. Each column has one
// limb for each entry of the word. An incomplete last word ends where the row ends, with zeros for
// the entries of the word before it.
type packedPanels struct {
	bytes  []int8
	shorts []int16
}

// packPanels writes the limbs of all whole panels.
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

// panelEntries returns how many limbs a panel has.
func (c *IntColumns[T]) panelEntries() int {
	entries := panelWord / strideOf[T](1)
	return (c.dim + entries - 1) / entries * entries * 2 * panelColumns
}

// packPanels writes the limbs of weights that are stored column after column.
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

// panelProducts computes the products of whole panels by column and returns their number of
// columns, which may be 0.
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

// panelCall has the number of rows to multiply and of their whole words. It has the bytes by which
// the last word overlaps the word before it, and the distances of rows and of columns of dst.
// Memory is prefetched from next bytes after x, and step bytes further each turn.
type panelCall struct {
	rows, turns, tail, stride, distance, next, step int
}

// panel computes the products of the columns of panel p.
func (c *IntColumns[T]) panel(dst []float32, x []T, p int, a panelCall) {
	units, first := &c.units[p*panelColumns], p*c.panelEntries()
	switch x := any(x).(type) {
	case []uint8:
		panelProductsByteVNNI(&dst[0], &x[0], &c.packed.panels.bytes[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	case []int16:
		panelProductsShortVNNI(&dst[0], &x[0], &c.packed.panels.shorts[first], units, a.rows, a.turns, a.tail, a.stride, a.distance, a.next, a.step)
	}
}

// The next functions compute products of sixteen columns, at least twelve rows and one turn, as in
// panelCall.
//
//go:noescape
func panelProductsByteVNNI(dst *float32, x *uint8, w *int8, units *float32, rows, turns, tail, stride, distance, next, step int)

//go:noescape
func panelProductsShortVNNI(dst *float32, x *int16, w *int16, units *float32, rows, turns, tail, stride, distance, next, step int)
