//go:build amd64 && !noasm

package kernel

// rowProductsVector computes the first rows and columns of RowProducts that the set takes, and
// returns their numbers.
func rowProductsVector(set instructions, dst, matrix []float64, stride int, v []float64) (rows, columns int) {
	rows, columns = len(dst)&^3, len(v)&^15
	if set < avx512 || rows == 0 || columns == 0 {
		return 0, 0
	}
	for i := 0; i < rows; i += 4 {
		rowProductsAVX512(&dst[i], &matrix[i*stride], 8*stride, &v[0], columns)
	}
	return rows, columns
}

// addRowProductsVector computes the first columns of AddRowProducts that the set takes, and returns
// their number.
func addRowProductsVector(set instructions, dst, matrix []float64, stride int, w []float64) int {
	n := len(dst) &^ 63
	if set < avx512 || len(w) == 0 {
		return 0
	}
	for j := 0; j < n; j += 64 {
		addRowProductsAVX512(&dst[j], &matrix[j], 8*stride, &w[0], len(w))
	}
	return n
}

// rowProductsAVX512 computes four rows with a positive multiple of 16 columns. The stride of rows
// is in bytes.
//
//go:noescape
func rowProductsAVX512(dst, matrix *float64, stride int, v *float64, columns int)

// addRowProductsAVX512 adds at least one row to 64 columns. The stride of rows is in bytes.
//
//go:noescape
func addRowProductsAVX512(dst, matrix *float64, stride int, w *float64, rows int)
