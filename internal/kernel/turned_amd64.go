//go:build amd64 && !noasm

package kernel

// turnVector adds the first columns of MulInt that the set takes, and returns their number.
func turnVector(set instructions, dst []int64, matrix []int16, v []int64) int {
	n := len(v) &^ 15
	if set < avx512 || n == 0 || len(dst) == 0 {
		return 0
	}
	turnWholeAVX512(&dst[0], &matrix[0], &v[0], len(dst), 2*len(v), n)
	return n
}

// turnBackVector computes the first columns of MulIntT that the set takes, and returns their
// number.
func turnBackVector(set instructions, dst []float32, matrix []int16, w []float64) int {
	n := len(dst) &^ 31
	if set < avx512 || len(w) == 0 {
		return 0
	}
	for j := 0; j < n; j += 32 {
		turnBackAVX512(&dst[j], &matrix[j], &w[0], len(w), 2*len(dst))
	}
	return n
}

// turnWholeAVX512 adds a positive multiple of 16 columns of at least one row. The stride of rows is
// in bytes.
//
//go:noescape
func turnWholeAVX512(dst *int64, matrix *int16, v *int64, rows, stride, columns int)

// turnBackAVX512 computes 32 columns of at least one row. The stride of rows is in bytes.
//
//go:noescape
func turnBackAVX512(dst *float32, matrix *int16, w *float64, rows, stride int)
