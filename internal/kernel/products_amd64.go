//go:build amd64 && !noasm

package kernel

import "sync"

// packChunk divides the length of packed columns, which are filled with zeros.
const packChunk = 64

// packedColumns are the limbs of the weights in the orders that the kernels read.
type packedColumns[T IntEntry] struct {
	limbs   func() packedLimbs // of all columns, written at first use
	unsplit func() []int16     // weights for bytes, where no instruction takes their limbs
	panels  packedPanels
	rest    *IntColumns[T] // the columns after whole panels
}

// packedLimbs are the limbs of the weights, the higher before the lower. Column follows column,
// with zeros up to a multiple of packChunk.
type packedLimbs struct {
	bytes  []int8  // of weights for bytes
	shorts []int16 // of weights for 16 bits
}

// pack writes panels if there are any.
func (c *IntColumns[T]) pack() packedColumns[T] {
	p := packedColumns[T]{limbs: sync.OnceValue(c.packLimbs), unsplit: sync.OnceValue(c.packUnsplit)}
	done := c.columns / panelColumns * panelColumns
	if available < avx512VNNI || done == 0 || c.dim < limbDim {
		return p
	}
	if p.panels = c.packPanels(); done < c.columns {
		p.rest = &IntColumns[T]{dim: c.dim, columns: c.columns - done, whole: c.whole[done*c.dim:], units: c.units[done:]}
		p.rest.packed = p.rest.pack()
	}
	return p
}

// packLimbs writes the limbs that split weights.
func (c *IntColumns[T]) packLimbs() (p packedLimbs) {
	apart := c.apart()
	if strideOf[T](1) == 1 {
		p.bytes = make([]int8, 2*apart*c.columns)
	} else {
		p.shorts = make([]int16, 2*apart*c.columns)
	}
	for k := range c.columns {
		column, at := c.whole[k*c.dim:(k+1)*c.dim], 2*k*apart
		if p.bytes == nil {
			high, low := p.shorts[at:at+len(column)], p.shorts[at+apart:at+apart+len(column)]
			for j, v := range column {
				high[j], low[j] = shortLimbs(v)
			}
			continue
		}
		high, low := p.bytes[at:at+len(column)], p.bytes[at+apart:at+apart+len(column)]
		for j, v := range column {
			high[j], low[j] = byteLimbs(v)
		}
	}
	return p
}

// packUnsplit writes unsplit weights for bytes.
func (c *IntColumns[T]) packUnsplit() []int16 {
	apart := c.apart()
	out := make([]int16, apart*c.columns)
	for k := range c.columns {
		copy(out[k*apart:], c.whole[k*c.dim:(k+1)*c.dim])
	}
	return out
}

// byteLimbs returns the higher and the lower limb of a weight for bytes.
func byteLimbs(v int16) (high, low int8) {
	low = int8(v)
	return int8((int32(v) - int32(low)) >> 8), low
}

// shortLimbs returns the higher and the lower limb of a weight for 16 bits.
func shortLimbs(v int16) (high, low int16) {
	high = (v + 1<<(shortShift-1)) >> shortShift
	return high, v - high<<shortShift
}

// apart returns the distance of the limbs of a column, in entries.
func (c *IntColumns[T]) apart() int { return (c.dim + packChunk - 1) &^ (packChunk - 1) }

// products is Products with a set of instructions that the processor has; there is at least one
// row.
func (c *IntColumns[T]) products(set instructions, dst []float32, x []T) {
	if set == portable {
		c.productsPortable(dst, x)
		return
	}
	stride, rows := strideOf[T](c.dim), len(dst)/c.columns
	most := evenRows(rows, blockRows(stride))
	for ahead := aheadOf(x, rows, most, stride); rows > 0; {
		n := min(rows, most)
		if set >= avx512VNNI {
			c.productsVNNI(dst, x, productsCall{rows: n, stride: stride, distance: 4 * c.columns, ahead: ahead})
		} else {
			c.productsAVX2(dst, x, n)
		}
		if rows -= n; rows > 0 {
			dst, x = dst[n*c.columns:], x[n*c.dim:]
		}
	}
}

// productsByColumn is ProductsByColumn with a set of instructions that the processor has; there is
// at least one row.
func (c *IntColumns[T]) productsByColumn(set instructions, dst []float32, x []T) {
	if set < avx512VNNI {
		c.turnProducts(set, dst, x)
		return
	}
	stride, rows := strideOf[T](c.dim), len(dst)/c.columns
	if done := c.panelProducts(dst, x, rows); done > 0 {
		if rest := c.packed.rest; rest != nil {
			rest.productsByColumn(set, dst[done*rows:], x[:len(x):len(x)])
		}
		return
	}
	most, distance := evenRows(rows, c.nearRows(stride)), 4*rows
	for ahead := aheadOf(x, rows, most, stride); rows > 0; {
		n := min(rows, most)
		c.productsVNNI(dst, x, productsCall{byColumn: true, rows: n, stride: stride, distance: distance, ahead: ahead})
		if rows -= n; rows > 0 {
			dst, x = dst[n:], x[n*c.dim:]
		}
	}
}

// nearBytes is the size of the rows that stay in the first cache while many columns pass from the
// second cache. With a whole block the rows would come from there, although each two columns read
// more of them.
const nearBytes = 24 << 10

// nearRows returns how many rows to multiply by all columns at a time.
func (c *IntColumns[T]) nearRows(stride int) int {
	if c.columns < spreadColumns {
		return blockRows(stride)
	}
	return max(nearBytes/max(stride, 1)&^7, 16)
}

// productsCall has the number of rows to multiply and their distance. It also has the distance of
// the rows or columns of dst, and the place of the memory to prefetch. Distances are in bytes.
type productsCall struct {
	byColumn                      bool
	rows, stride, distance, ahead int
}

// spreadColumns is the least number of columns whose products prefetch all memory ahead, a little
// at a time. With fewer columns, reading the rows prefetches one half, and sums prefetch the other.
// Prefetching faster than memory arrives delays later requests.
const spreadColumns = 8

// productsVNNI computes the products of the first rows.
func (c *IntColumns[T]) productsVNNI(dst []float32, x []T, a productsCall) {
	next, lines := a.ahead, 0
	if c.columns >= spreadColumns && a.ahead > 0 { // two columns of four rows prefetch this number of lines of 64 bytes
		a.ahead, lines = 0, (4*a.stride+32*c.columns-1)/(32*c.columns)
	}
	limbs := c.packed.limbs()
	switch x := any(x).(type) {
	case []uint8:
		kernel := productsByteVNNI
		if a.byColumn {
			kernel = columnProductsByteVNNI
		}
		kernel(&dst[0], &x[0], &limbs.bytes[0], &c.units[0], a.rows, c.dim/64, c.columns, a.stride, c.apart(), a.distance, a.ahead, next, lines, lowMask(c.dim, 64))
	case []int16:
		kernel := productsShortVNNI
		if a.byColumn {
			kernel = columnProductsShortVNNI
		}
		kernel(&dst[0], &x[0], &limbs.shorts[0], &c.units[0], a.rows, c.dim/32, c.columns, a.stride, 2*c.apart(), a.distance, a.ahead, next, lines, lowMask(c.dim, 32))
	}
}

// narrowChunk is the number of entries that the kernels without masks read together, to the end of
// the last chunk.
const narrowChunk = 16

// productsAVX2 computes the products of the first rows. The last rows of x, after which a whole
// chunk cannot be read, are copied.
func (c *IntColumns[T]) productsAVX2(dst []float32, x []T, rows int) {
	chunks := (c.dim + narrowChunk - 1) / narrowChunk
	within := 0
	if long := narrowChunk * chunks; len(x) >= long {
		within = min(rows, (len(x)-long)/c.dim+1)
		c.productsNarrow(dst, x, within, chunks)
	}
	var last [mostProductBytes + narrowChunk]T
	for i := within; i < rows; i++ {
		copy(last[:], x[i*c.dim:(i+1)*c.dim])
		c.productsNarrow(dst[i*c.columns:], last[:], 1, chunks)
	}
}

// productsNarrow computes the products of the first rows of whole chunks. There is at least one
// chunk.
func (c *IntColumns[T]) productsNarrow(dst []float32, x []T, rows, chunks int) {
	stride := strideOf[T](c.dim)
	switch x := any(x).(type) {
	case []uint8:
		productsByteAVX2(&dst[0], &x[0], &c.packed.unsplit()[0], &c.units[0], rows, chunks, c.columns, stride, 2*c.apart(), 4*c.columns, 0, 0, 0, 0)
	case []int16:
		productsShortAVX2(&dst[0], &x[0], &c.packed.limbs().shorts[0], &c.units[0], rows, chunks, c.columns, stride, 2*c.apart(), 4*c.columns, 0, 0, 0, 0)
	}
}

// The next functions compute products of at least one row, entry and column. Rows are stride bytes
// apart, and a column's limbs are apart bytes apart. The rows of dst, or by column its columns, are
// distance bytes apart. The argument chunks counts whole chunks of 64 bytes. Bit j of mask is set
// for each entry j of an incomplete chunk. While a row is read, the memory ahead bytes after it is
// prefetched. From next bytes after x on, each four rows and two columns prefetch this number of
// lines of 64 bytes.

//go:noescape
func productsByteVNNI(dst *float32, x *uint8, w *int8, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)

//go:noescape
func productsShortVNNI(dst *float32, x *int16, w *int16, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)

//go:noescape
func columnProductsByteVNNI(dst *float32, x *uint8, w *int8, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)

//go:noescape
func columnProductsShortVNNI(dst *float32, x *int16, w *int16, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)

// The next function does the same in chunks of 16 entries, and reads the last chunk to its end. It
// prefetches nothing and has no mask.

//go:noescape
func productsByteAVX2(dst *float32, x *uint8, w *int16, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)

//go:noescape
func productsShortAVX2(dst *float32, x *int16, w *int16, units *float32, rows, chunks, columns, stride, apart, distance, ahead, next, lines int, mask uint64)
