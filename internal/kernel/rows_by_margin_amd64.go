//go:build amd64 && !noasm

package kernel

// leastPassDim and mostPassDim are the shortest and the longest row for which the kernel pays off.
// Four longer rows do not fit in the first cache.
const leastPassDim, mostPassDim = lanes, 2048

// partOf returns the number of rows of a part. The kernel takes two rows at a time. A part has the
// rows that fit in 8 KiB, but at least two and at most 64. The rows of two parts then stay in the
// first cache together with dst and w.
func partOf(dim int) int { return min(max(1<<11/dim&^1, 2), 64) }

// addRowsByMargin is AddRowsByMargin with a set of instructions that the processor has. The kernel
// measures a part while it adds the one before. The remaining rows take two passes.
func addRowsByMargin(set instructions, dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
	if set == portable || dim < leastPassDim || dim > mostPassDim || len(margins) < 2*partOf(dim) {
		addRowsTwice(set, dst, x, dim, w, margins, factors, 0)
		return
	}
	addRowsOnce(set, partOf(dim), dst, x, dim, w, margins, factors)
}

// addRowsOnce is AddRowsByMargin by parts of this number of rows, which is even. There is at least
// one part and one entry.
func addRowsOnce(set instructions, rows int, dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
	measure(set, margins[:rows], x[:rows*dim], dim, w)
	factors(margins[:rows], 0)
	at := rows
	for ; at+rows <= len(margins); at += rows {
		next, last := x[at*dim:(at+rows)*dim], x[(at-rows)*dim:at*dim]
		part, before := margins[at:at+rows], margins[at-rows:at]
		if set >= avx512 {
			byMarginSingleAVX512(&part[0], &next[0], &dst[0], &last[0], &before[0], rows/2, dim, &w[0], lowMask(dim, lanes))
		} else {
			byMarginSingleAVX2(&part[0], &next[0], &dst[0], &last[0], &before[0], rows/2, dim, &w[0], lowMask(dim, lanes))
		}
		factors(part, at)
	}
	addFactored(set, dst, x[(at-rows)*dim:at*dim], dim, margins[at-rows:at])
	addRowsTwice(set, dst, x, dim, w, margins, factors, at)
}

// The next function writes the margins of two rows for each turn; these rows are stored from next
// on. It also adds two rows for each turn, stored from last on and scaled by the factors, to dst.
// There is at least one turn and one entry. Bit j of mask is set for each entry j of the last
// dim%16. While a row is read, the memory after it may be prefetched.

//go:noescape
func byMarginSingleAVX512(margins, next, dst, last, factors *float32, turns, dim int, w *float32, mask uint64)

//go:noescape
func byMarginSingleAVX2(margins, next, dst, last, factors *float32, turns, dim int, w *float32, mask uint64)
