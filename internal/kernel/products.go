package kernel

import "math"

// IntColumns are columns of weights, each rounded to integers of its own unit, for products with
// rows of integers. They are immutable and safe for concurrent use.
type IntColumns[T IntEntry] struct {
	dim, columns int
	whole        []int16   // column after column
	units        []float32 // one for each column
	packed       packedColumns[T]
}

const (
	// mostProductBytes and mostProductShorts are the longest rows of bytes and of 16 bits.
	mostProductBytes, mostProductShorts = 4096, 2047

	// A weight for bytes is high·2^8 + low with limbs of 8 bits, and a sum of products has 32 bits.
	byteWeight, byteWeights = 127*256 + 127, math.MaxInt32 / math.MaxUint8

	// A weight for 16 bits is high·2^6 + low with -32 ≤ low < 32. Both limbs' sums of products have
	// 32 bits: 2^15·32·2047 < 2^31, and the sum of |high| is at most that of |weight|/64 + 1/2.
	shortShift, shortWeight = 6, math.MaxInt16 - 1<<(shortShift-1)
	shortWeights            = (1<<16 - 1 - mostProductShorts/2 - 1) << shortShift
)

// HasIntColumns reports whether rows of this number of entries can be multiplied by IntColumns: 1
// to 4096 bytes or 1 to 2047 entries of 16 bits. The result is the same on every processor and in
// every build.
func HasIntColumns[T IntEntry](dim int) bool {
	if strideOf[T](1) == 1 {
		return 1 <= dim && dim <= mostProductBytes
	}
	return 1 <= dim && dim <= mostProductShorts
}

// RoundColumns rounds weights to the nearest integer multiples of their column's unit. The weights
// are column after column, each dim long. The unit is about the larger of max_j |w_j|/2^15 and Σ_j
// |w_j|/2^23, or for entries of 16 bits Σ_j |w_j|/2^22. A column with a weight that is NaN or
// infinite has the unit NaN. The call panics unless HasIntColumns holds and len(w) is dim·columns.
func RoundColumns[T IntEntry](w []float32, dim, columns int) *IntColumns[T] {
	if !HasIntColumns[T](dim) {
		panic("kernel: rows are too long for whole columns, or have no entries")
	}
	wantLength("w", len(w), columns, dim)
	c := &IntColumns[T]{dim: dim, columns: columns, whole: make([]int16, len(w)), units: make([]float32, columns)}
	for k := range columns {
		c.units[k] = roundColumn[T](c.whole[k*dim:(k+1)*dim], w[k*dim:(k+1)*dim])
	}
	c.packed = c.pack()
	return c
}

// roundColumn writes the integers of a column and returns their unit.
func roundColumn[T IntEntry](dst []int16, w []float32) float32 {
	largest, all := float64(byteWeight), float64(byteWeights)
	if strideOf[T](1) == 2 {
		largest, all = shortWeight, shortWeights
	}
	sum := sumOfMagnitudes(w)
	if !(sum <= math.MaxFloat32) {
		return float32(math.NaN())
	}
	most := float64(Largest(w))
	all -= float64(len(w))                                             // rounding adds at most half of it
	unit := float32(max(most/largest, sum/all, 0x1p-126) * (1 + 1e-6)) // the rounding of the unit is smaller
	times, dst := 1/float64(unit), dst[:len(w)]
	for j, v := range w {
		const shift = 3 << 51 // from 2^52 on numbers are integers, and so end in the bits of q
		dst[j] = int16(math.Float64bits(float64(float64(v)*times) + shift))
	}
	return unit
}

// sumOfMagnitudes returns Σ |w_j|, by four sums that do not wait for one another.
func sumOfMagnitudes(w []float32) float64 {
	var a, b, c, d float64
	for ; len(w) >= 4; w = w[4:] {
		a += math.Abs(float64(w[0]))
		b += math.Abs(float64(w[1]))
		c += math.Abs(float64(w[2]))
		d += math.Abs(float64(w[3]))
	}
	for _, v := range w {
		a += math.Abs(float64(v))
	}
	return a + b + (c + d)
}

// Unit returns the unit of column k. Each weight of the column is rounded by at most half of it, up
// to the rounding of a quotient in float64.
func (c *IntColumns[T]) Unit(k int) float32 { return c.units[k] }

// Products writes the products of rows and columns to dst. The entry dst[i·columns+k] is Σ_j
// x[i·dim+j]·v[k·dim+j] with integers v of units. The sum is exact; it is rounded to float32 and
// then multiplied by the unit of the column in float32. It has the same bits whatever other rows
// and columns there are, on every processor and in every build. It differs from the product with
// the unrounded weights by at most Σ_j |x[j]|·unit/2 and twice the rounding of float32.
//
// The call panics, and writes nothing, unless len(dst) is rows·columns and len(x) rows·dim for one
// number of rows. Like Margins, it prefetches the memory after x if there is more of it.
func (c *IntColumns[T]) Products(dst []float32, x []T) {
	rows := rowsOf(len(dst), c.columns)
	wantLength("x", len(x), rows, c.dim)
	if rows > 0 {
		c.products(available, dst, x)
	}
}

// ProductsAlone is Products for one row, in portable code. It has the same bits.
func (c *IntColumns[T]) ProductsAlone(dst []float32, x []T) {
	wantLength("dst", len(dst), 1, c.columns)
	wantLength("x", len(x), 1, c.dim)
	c.productsPortable(dst, x)
}

// ProductsByColumn is Products with the products of each column together: dst[k·rows+i] is the
// product of row i and column k.
func (c *IntColumns[T]) ProductsByColumn(dst []float32, x []T) {
	rows := rowsOf(len(dst), c.columns)
	wantLength("x", len(x), rows, c.dim)
	if rows > 0 {
		c.productsByColumn(available, dst, x)
	}
}

// turnProducts computes the products by rows and then transposes them.
func (c *IntColumns[T]) turnProducts(set instructions, dst []float32, x []T) {
	byRow := make([]float32, len(dst))
	c.products(set, byRow, x)
	Transpose(dst, byRow, len(dst)/c.columns, c.columns)
}

// productsPortable is Products.
func (c *IntColumns[T]) productsPortable(dst []float32, x []T) {
	for i := range len(dst) / c.columns {
		row := x[i*c.dim : (i+1)*c.dim]
		for k := range c.columns {
			column := c.whole[k*c.dim : (k+1)*c.dim]
			column = column[:len(row)]
			sum := int64(0)
			for j, v := range row {
				sum += int64(v) * int64(column[j])
			}
			dst[i*c.columns+k] = float32(sum) * c.units[k]
		}
	}
}
