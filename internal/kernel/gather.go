package kernel

import (
	"fmt"
	"slices"
	"unsafe"
)

// rowsAhead is how far ahead of the row that is copied AppendRows asks for memory: rows that lie apart come one by one
// otherwise, each after a wait.
const rowsAhead = 8

// AppendRows appends the rows of a matrix that are listed to dst, one after the other: row i is x[i*dim : (i+1)*dim]. It
// panics on a row that x does not have, and may have written to dst by then.
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

// fetch asks for the memory of a row, at least one entry.
func fetch[T uint8 | int16 | uint64](row []T) {
	fetchRow((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*int(unsafe.Sizeof(row[0])))
}
