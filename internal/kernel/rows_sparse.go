package kernel

// SparseRows are rows with only some entries stored, the others being zero. Row i has the entries
// Start[i] to Start[i+1]-1 of Index and Value. Slicing Start alone gives a part of a longer matrix.
type SparseRows struct {
	// Start has one number more than there are rows, ascending.
	Start []int
	// Index is the coordinate of each entry, ascending within a row, none twice.
	Index []uint32
	// Value is each entry, or nil if all are 1.
	Value []int16
}

// Rows returns the number of rows, 0 if Start is empty.
func (x SparseRows) Rows() int { return max(len(x.Start)-1, 0) }

// MarginsSparse writes the products of sparse rows and columns to dst, of shape [rows, columns],
// row-major: dst[i*columns+k] is Σ_j x_ij·w[j*columns+k]. Unlike in Margins, w has shape [dim,
// columns], row-major, so that the numbers of one coordinate are adjacent.
//
// A product is defined as follows. The sum starts at +0. In float64 and in the order of the
// entries, it adds their products with the weights, which are exact in float64 (16 and 24 bits).
// Fusing would therefore change nothing. The sum is rounded to float32. It has the same bits
// whatever other rows and columns there are, and on every processor. In the range of float32 it
// differs from the exact sum S by at most 2^-24·|S| + 2^-149 + n·2^-53·Σ|x·w|·(1 + 2^-24), for n
// entries with n < 2^20.
//
// The call panics, and writes nothing, unless four conditions hold. len(dst) is rows·columns,
// len(w) is a multiple of columns, Start ascends within Index and Value, and the last index of
// every row is within w. An earlier index beyond w, which is not ascending, panics too. dst must
// not overlap w.
func MarginsSparse(dst []float32, x SparseRows, w []float32, columns int) {
	rows := rowsOf(len(dst), columns)
	x.check(rows, rowsOf(len(w), columns))
	for i := range rows {
		from, to := x.Start[i], x.Start[i+1]
		out := dst[i*columns : (i+1)*columns]
		k := 0
		for ; k+4 <= columns; k += 4 {
			out[k], out[k+1], out[k+2], out[k+3] = x.margins4(from, to, w, k, columns)
		}
		for ; k < columns; k++ {
			out[k] = x.margin(from, to, w, k, columns)
		}
	}
}

// margin returns the product of one row with column k.
func (x SparseRows) margin(from, to int, w []float32, k, columns int) float32 {
	sum, index := 0.0, x.Index[from:to]
	if x.Value == nil {
		for _, j := range index {
			sum += float64(w[int(j)*columns+k])
		}
		return float32(sum)
	}
	value := x.Value[from:to][:len(index)]
	for e, j := range index {
		sum += float64(value[e]) * float64(w[int(j)*columns+k])
	}
	return float32(sum)
}

// margins4 is margin for column k and the three after it.
func (x SparseRows) margins4(from, to int, w []float32, k, columns int) (a, b, c, d float32) {
	var s0, s1, s2, s3 float64
	index, value := x.Index[from:to], x.Value
	if value != nil {
		value = value[from:to][:len(index)]
	}
	for e, j := range index {
		v := 1.0
		if value != nil {
			v = float64(value[e])
		}
		weights := w[int(j)*columns+k:]
		weights = weights[:4:4]
		s0 += v * float64(weights[0])
		s1 += v * float64(weights[1])
		s2 += v * float64(weights[2])
		s3 += v * float64(weights[3])
	}
	return float32(s0), float32(s1), float32(s2), float32(s3)
}

// AddIntSparse is AddInt for sparse rows: dst[j*columns+k] += Σ_i q[i*columns+k]·x_ij, under its
// conditions. Unlike in AddInt, dst has shape [dim, columns], row-major, like the weights of
// MarginsSparse. It panics as MarginsSparse does, with q for dst and dst for w.
func AddIntSparse(dst []float64, x SparseRows, q []float64, columns int) {
	rows := rowsOf(len(q), columns)
	x.check(rows, rowsOf(len(dst), columns))
	for i := range rows {
		from, to := x.Start[i], x.Start[i+1]
		if columns == 1 {
			x.addWhole(dst, from, to, q[i])
			continue
		}
		c := q[i*columns : (i+1)*columns]
		for e := from; e < to; e++ {
			v := 1.0
			if x.Value != nil {
				v = float64(x.Value[e])
			}
			at := int(x.Index[e]) * columns
			sum := dst[at : at+columns][:len(c)]
			for k, number := range c {
				sum[k] += number * v
			}
		}
	}
}

// addWhole adds one row to a single column of sums.
func (x SparseRows) addWhole(dst []float64, from, to int, q float64) {
	index := x.Index[from:to]
	if x.Value == nil {
		for _, j := range index {
			dst[j] += q
		}
		return
	}
	value := x.Value[from:to][:len(index)]
	for e, j := range index {
		dst[j] += q * float64(value[e])
	}
}

// check panics unless x has this number of rows, with all their entries and with last indices below
// dim.
func (x SparseRows) check(rows, dim int) {
	if x.Rows() != rows {
		panic("kernel: the sparse rows are not as many as the other arguments ask for")
	}
	if x.Value != nil && len(x.Value) != len(x.Index) {
		panic("kernel: the sparse rows have not one value an index")
	}
	for i := range rows {
		from, to := x.Start[i], x.Start[i+1]
		if from < 0 || to < from || to > len(x.Index) {
			panic("kernel: the starts of the sparse rows do not ascend within their entries")
		}
		if to > from && int64(x.Index[to-1]) >= int64(dim) {
			panic("kernel: a sparse row has an index beyond the other arguments")
		}
	}
}
