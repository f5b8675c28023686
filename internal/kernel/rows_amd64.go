//go:build amd64 && !noasm

package kernel

// blockBytes is how much of x a kernel goes through at a time. So what the first columns bring from
// memory is in the second cache for the others.
const blockBytes = 1 << 17

// blockRows returns how many rows are worked on together.
func blockRows(stride int) int { return max(blockBytes/max(stride, 1)&^7, 8) }

// evenRows returns how many of this many rows to take at a time, at most most, which is a multiple
// of 8. So no part is much shorter than the others.
func evenRows(rows, most int) int {
	parts := (rows + most - 1) / most
	return min(most, ((rows+parts-1)/parts+7)&^7)
}

// aheadOf returns how far after a row a kernel that is called for n of this many rows asks for
// memory: the first of the rows that follow come to the second cache, as far as there is room.
// Whoever goes through a long matrix in blocks will need them next: the capacity of x says whether
// there is more of it. Asking for memory that is not there does nothing.
func aheadOf[T Entry | uint64](x []T, rows, n, stride int) int {
	switch {
	case rows*stride > 4*blockBytes:
		return n * stride
	case cap(x) == len(x):
		return 0
	}
	return rows * stride
}

// lowMask has as many low bits set as the last and incomplete group of a row has entries.
func lowMask(dim, group int) uint64 { return 1<<(dim%group) - 1 }

// readSinglesAVX512 returns a sum of one in sixteen of n numbers, a positive multiple of 128, and adds all of
// them up. It is what the benchmarks measure reading by.
//
//go:noescape
func readSinglesAVX512(x *float32, n int) float32

// readSinglesAVX2 is readSinglesAVX512 with one in eight.
//
//go:noescape
func readSinglesAVX2(x *float32, n int) float32
