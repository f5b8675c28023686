//go:build amd64 && !noasm

package kernel

// addLongVector adds the first numbers and returns their number.
func addLongVector(set instructions, dst, src []int64) (done int) {
	switch {
	case set >= avx512 && len(src) >= 8:
		done = len(src) &^ 7
		addLongAVX512(&dst[0], &src[0], done)
	case set == avx2 && len(src) >= 4:
		done = len(src) &^ 3
		addLongAVX2(&dst[0], &src[0], done)
	}
	return done
}

// squareLongVector returns the sum of squares of the first numbers, at most longBlock, and their
// number. The number is 0 if one of them does not fit in 32 bits.
func squareLongVector(set instructions, x []int64) (high, low uint64, done int) {
	var beyond, upper, lower uint64
	switch {
	case set >= avx512 && len(x) >= 8:
		done = len(x) &^ 7
		lower, upper, beyond = squareLongAVX512(&x[0], done)
	case set == avx2 && len(x) >= 4:
		done = len(x) &^ 3
		lower, upper, beyond = squareLongAVX2(&x[0], done)
	}
	if beyond>>32 != 0 {
		return 0, 0, 0
	}
	// Both sums are below 2^32·longBlock.
	low = lower + upper<<32
	high = upper >> 32
	if low < lower {
		high++
	}
	return high, low, done
}

// addLongAVX512 adds n numbers, a positive multiple of 8.
//
//go:noescape
func addLongAVX512(dst, src *int64, n int)

// addLongAVX2 adds n numbers, a positive multiple of 4.
//
//go:noescape
func addLongAVX2(dst, src *int64, n int)

// squareLongAVX512 returns the sums of the lower and of the upper 32 bits of the squares of n
// numbers. It also returns the disjunction of the numbers plus 2^31. If that is below 2^32, the
// sums are right. n is a positive multiple of 8 and at most longBlock.
//
//go:noescape
func squareLongAVX512(x *int64, n int) (low, high, beyond uint64)

// squareLongAVX2 is squareLongAVX512 for a multiple of 4.
//
//go:noescape
func squareLongAVX2(x *int64, n int) (low, high, beyond uint64)
