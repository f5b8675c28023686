package kernel

import (
	"fmt"
	"slices"
	"unsafe"
)

// rowsAhead is the number of rows by which AppendRows prefetches memory. Rows that are far apart
// would otherwise arrive one by one, each after a wait.
const rowsAhead = 8

// AppendRows appends the listed rows of a matrix to dst, one after the other: row i is x[i*dim :
// (i+1)*dim]. It panics if x lacks a row, and may have written to dst by then.
func AppendRows[T uint8 | int16 | uint64](dst, x []T, dim int, rows []int) []T {
	if dim < 1 {
		panic(fmt.Sprintf("kernel: AppendRows: dim is %d, want at least 1", dim))
	}
	dst = slices.Grow(dst, len(rows)*dim)
	for _, i := range rows[:min(rowsAhead, len(rows))] {
		fetch(x[i*dim : (i+1)*dim])
	}
	for k, i := range rows {
		if ahead := k + rowsAhead; ahead < len(rows) {
			fetch(x[rows[ahead]*dim : (rows[ahead]+1)*dim])
		}
		dst = append(dst, x[i*dim:(i+1)*dim]...)
	}
	return dst
}

// Fetch prefetches the memory of listed entries, and reads none of them. The entries of x are those
// with the numbers first, first+1, …; others are skipped.
func Fetch[T any](x []T, listed []int, first int) {
	for _, i := range listed {
		if at := i - first; uint(at) < uint(len(x)) {
			fetchRow((*byte)(unsafe.Pointer(&x[at])), 1)
		}
	}
}

// fetch prefetches the memory of a row, at least one entry.
func fetch[T uint8 | int16 | uint64](row []T) {
	fetchRow((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*int(unsafe.Sizeof(row[0])))
}
