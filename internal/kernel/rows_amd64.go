//go:build amd64 && !noasm

package kernel

// blockBytes is the part of x that a kernel passes through at a time. The memory that the first
// columns read is then in the second cache for the other columns.
const blockBytes = 1 << 17

// blockRows returns how many rows are worked on together.
func blockRows(stride int) int { return max(blockBytes/max(stride, 1)&^7, 8) }

// evenRows returns how many of this number of rows to take at a time, at most most, which is a
// multiple of 8. So no part is much shorter than the others.
func evenRows(rows, most int) int {
	parts := (rows + most - 1) / most
	return min(most, ((rows+parts-1)/parts+7)&^7)
}

// aheadOf returns how far after a row a kernel prefetches memory, if it is called for n of this
// number of rows. The first of the following rows then come to the second cache, as far as it has
// room. A pass through a long matrix in blocks will need them next. The capacity of x says whether
// there is more of it. Prefetching memory that does not exist does nothing.
func aheadOf[T Entry | uint64](x []T, rows, n, stride int) int {
	switch {
	case rows*stride > 4*blockBytes:
		return n * stride
	case cap(x) == len(x):
		return 0
	}
	return rows * stride
}

// lowMask returns a mask with one low bit for each entry of the last, incomplete group of a row.
func lowMask(dim, group int) uint64 { return 1<<(dim%group) - 1 }

// readSinglesAVX512 returns a sum of one in sixteen of n numbers, a positive multiple of 128, and
// reads all of them. Benchmarks measure reading by it.
//
//go:noescape
func readSinglesAVX512(x *float32, n int) float32

// readSinglesAVX2 is readSinglesAVX512 with one in eight.
//
//go:noescape
func readSinglesAVX2(x *float32, n int) float32
