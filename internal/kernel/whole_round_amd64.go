//go:build amd64 && !noasm

package kernel

// roundVector rounds the first entries of src that the set takes. It returns their number and the
// largest of their bits without signs.
func roundVector(set instructions, dst []int16, src []float32, scale, limit float32, nearest bool) (worst uint32, done int) {
	n := vectorEntries(set, len(src))
	switch {
	case n == 0:
		return 0, 0
	case set >= avx512 && nearest:
		worst = roundWholeAVX512(&dst[0], &src[0], n, scale, limit)
	case set >= avx512:
		worst = truncateWholeAVX512(&dst[0], &src[0], n, scale, limit)
	case nearest:
		worst = roundWholeAVX2(&dst[0], &src[0], n, scale, limit)
	default:
		worst = truncateWholeAVX2(&dst[0], &src[0], n, scale, limit)
	}
	return worst, n
}

// largestVector returns the largest bits without signs of the first entries, and their number.
func largestVector(set instructions, x []float32) (bits uint32, done int) {
	n := vectorEntries(set, len(x))
	switch {
	case n == 0:
	case set >= avx512:
		bits = largestAVX512(&x[0], n)
	default:
		bits = largestAVX2(&x[0], n)
	}
	return bits, n
}

// vectorEntries returns how many of n entries the kernels of a set take.
func vectorEntries(set instructions, n int) int {
	switch set {
	case avx512, avx512VNNI:
		return n
	case avx2:
		return n &^ 7
	}
	return 0
}

// The kernels of AVX-512 take any positive number of entries, and the kernels of AVX2 a positive
// multiple of 8. They return the largest bits of an entry without its sign.
//
//go:noescape
func roundWholeAVX512(dst *int16, src *float32, n int, scale, limit float32) (worst uint32)

//go:noescape
func truncateWholeAVX512(dst *int16, src *float32, n int, scale, limit float32) (worst uint32)

//go:noescape
func largestAVX512(src *float32, n int) (worst uint32)

//go:noescape
func roundWholeAVX2(dst *int16, src *float32, n int, scale, limit float32) (worst uint32)

//go:noescape
func truncateWholeAVX2(dst *int16, src *float32, n int, scale, limit float32) (worst uint32)

//go:noescape
func largestAVX2(src *float32, n int) (worst uint32)
