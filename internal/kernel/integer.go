package kernel

// gramStripe is the number of columns that AddGram takes at a time. The part of the upper triangle
// that it computes needlessly is that narrow.
const gramStripe = 128

// AddGram adds xᵀx of rows×dim integers (row-major) to the entries on and below the diagonal of the
// dim×dim matrix dst. The entries above the diagonal are unspecified afterwards. The result is
// exact if no entry, of dst or of a sum of magnitudes of products, exceeds 2^53. Then every
// intermediate number is an integer in float64, in any order, with or without fused operations.
func AddGram(dst, x []float64, rows, dim int) {
	if len(dst) != dim*dim || len(x) != rows*dim {
		panic("kernel: AddGram: the lengths are not those of the shapes")
	}
	for from := 0; from < dim && rows > 0; from += gramStripe {
		to := min(from+gramStripe, dim)
		c := Matrix[float64]{Data: dst[from*dim:], Rows: to - from, Columns: to, RowStride: dim, ColumnStride: 1}
		a := Matrix[float64]{Data: x[from:], Rows: to - from, Columns: rows, RowStride: 1, ColumnStride: dim}
		b := Matrix[float64]{Data: x, Rows: rows, Columns: to, RowStride: dim, ColumnStride: 1}
		Gemm(c, 1, a, b, 1)
	}
}
