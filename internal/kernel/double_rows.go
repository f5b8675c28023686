package kernel

import "fmt"

// RowProducts writes the products of rows of numbers with v to dst: dst[i] = Σ_j
// matrix[i·stride+j]·v[j]. Sums are in float64, in an order that depends on the processor. The
// error is at most n·2^-53/(1-n·2^-53) times the sum of magnitudes, where n is len(v)+1. The call
// panics, and writes nothing, unless the matrix has len(dst) rows of len(v) numbers that begin
// stride apart. dst must not overlap the others.
func RowProducts(dst, matrix []float64, stride int, v []float64) {
	checkRows("RowProducts", len(matrix), len(dst), len(v), stride)
	rowProducts(available, dst, matrix, stride, v)
}

// rowProducts is RowProducts with a set of instructions that the processor has.
func rowProducts(set instructions, dst, matrix []float64, stride int, v []float64) {
	rows, columns := rowProductsVector(set, dst, matrix, stride, v)
	for i := range dst {
		sum, from := 0.0, 0
		if i < rows {
			sum, from = dst[i], columns
		}
		for j, m := range matrix[i*stride:][from:len(v)] {
			sum += m * v[from+j]
		}
		dst[i] = sum
	}
}

// AddRowProducts adds a sum of rows to dst: dst[j] += Σ_i w[i]·matrix[i·stride+j]. Errors and
// panics are as for RowProducts, for len(w) rows of len(dst) numbers and n = len(w)+1.
func AddRowProducts(dst, matrix []float64, stride int, w []float64) {
	checkRows("AddRowProducts", len(matrix), len(w), len(dst), stride)
	addRowProducts(available, dst, matrix, stride, w)
}

// addRowProducts is AddRowProducts with a set of instructions that the processor has.
func addRowProducts(set instructions, dst, matrix []float64, stride int, w []float64) {
	done := addRowProductsVector(set, dst, matrix, stride, w)
	if done == len(dst) {
		return
	}
	for i, f := range w {
		for j, m := range matrix[i*stride:][done:len(dst)] {
			dst[done+j] += f * m
		}
	}
}

// checkRows panics unless a matrix of this length has this many rows of columns numbers that begin
// stride apart.
func checkRows(name string, length, rows, columns, stride int) {
	if stride < columns || rows > 0 && (length < columns || (length-columns)/max(stride, 1) < rows-1) {
		panic(fmt.Sprintf("kernel: %s: matrix has %d entries, want %d rows of %d that begin %d apart", name, length, rows, columns, stride))
	}
}
