package kernel

import "math/bits"

// longBlock is the number of numbers that SquareLong takes at a time, so that one large number does
// not slow down all.
const longBlock = 1 << 12

// AddLong adds src to dst: dst[j] += src[j] modulo 2^64. dst must be at least as long as src;
// otherwise the call panics and writes nothing. The two are the same or do not overlap.
func AddLong(dst, src []int64) { addLong(available, dst, src) }

// addLong is AddLong with a set of instructions that the processor has.
func addLong(set instructions, dst, src []int64) {
	if len(dst) < len(src) {
		panic("kernel: AddLong: dst is shorter than src")
	}
	done := addLongVector(set, dst, src)
	for j, v := range src[done:] {
		dst[done+j] += v
	}
}

// SquareLong returns Σ x[j]², which is high·2^64 + low, exactly below 2^128 and modulo 2^128
// beyond. The sum of fewer than 2^32 numbers of magnitude below 2^48 stays below. It is faster if
// all numbers are below 2^31.
func SquareLong(x []int64) (high, low uint64) { return squareLong(available, x) }

// squareLong is SquareLong with a set of instructions that the processor has.
func squareLong(set instructions, x []int64) (high, low uint64) {
	for len(x) > 0 {
		block := x[:min(longBlock, len(x))]
		x = x[len(block):]
		upper, lower, done := squareLongVector(set, block)
		var carry uint64
		low, carry = bits.Add64(low, lower, 0)
		high += upper + carry
		for _, v := range block[done:] {
			u := uint64(max(v, -v)) // 2^63 for the least number, too
			upper, lower = bits.Mul64(u, u)
			low, carry = bits.Add64(low, lower, 0)
			high += upper + carry
		}
	}
	return high, low
}
