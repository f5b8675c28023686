//go:build amd64 && !noasm

package kernel

import "math"

// vectorConstants holds the constants of the kernels of the vector functions, by their bits and
// once for each lane of 512 bits. The order is that of the names in kernel/internal/asm/vecmath.go.
// The last two rows are a mask of 16 ones and 16 zeros; a kernel takes a window of it.
var vectorConstants = tabulate(
	float32(log2E), float32(roundShift), float32(ln2High), float32(ln2Low),
	expPolynomial[0], expPolynomial[1], expPolynomial[2], expPolynomial[3], expPolynomial[4],
	float32(1), float32(expLow), float32(expHigh), uint32(nanBits), uint32(signBit),
	float32(2), float32(tanhLow), float32(math.Inf(-1)), float32(math.Inf(1)),
	float32(smallestNormal), float32(0x1p23), float32(-23), uint32(sqrtHalfBits), float32(0.5),
	logPolynomial[0], logPolynomial[1], logPolynomial[2], logPolynomial[3], logPolynomial[4],
	logPolynomial[5], logPolynomial[6], logPolynomial[7], logPolynomial[8],
	^uint32(0), uint32(0),
)

func tabulate(constants ...any) *[34][16]uint32 {
	var table [34][16]uint32
	for i, c := range constants {
		bits, whole := c.(uint32)
		if !whole {
			bits = math.Float32bits(c.(float32))
		}
		for l := range table[i] {
			table[i][l] = bits
		}
	}
	return &table
}

// applyVector writes a function of x to dst, and reports whether the set has kernels. dst
// is as long as x, which is not empty.
func applyVector(set instructions, f function, dst, x []float32) bool {
	switch set {
	case avx512, avx512VNNI:
		applyAVX512(f, &dst[0], &x[0], len(x))
	case avx2:
		applyAVX2(f, &dst[0], &x[0], len(x))
	}
	return set != portable
}

func applyAVX512(f function, dst, x *float32, n int) {
	switch f {
	case exponential:
		expAVX512(dst, x, n, vectorConstants)
	case logarithm:
		logAVX512(dst, x, n, vectorConstants)
	case sigmoid:
		sigmoidAVX512(dst, x, n, vectorConstants)
	case tanh:
		tanhAVX512(dst, x, n, vectorConstants)
	}
}

func applyAVX2(f function, dst, x *float32, n int) {
	switch f {
	case exponential:
		expAVX2(dst, x, n, vectorConstants)
	case logarithm:
		logAVX2(dst, x, n, vectorConstants)
	case sigmoid:
		sigmoidAVX2(dst, x, n, vectorConstants)
	case tanh:
		tanhAVX2(dst, x, n, vectorConstants)
	}
}

// softmaxVector computes the rows of x, and reports whether the set has a kernel. dst is as long as
// x, which is not empty.
func softmaxVector(set instructions, dst, x []float32, columns int) bool {
	switch set {
	case avx512, avx512VNNI:
		softmaxAVX512(&dst[0], &x[0], len(x)/columns, columns, vectorConstants)
	case avx2:
		softmaxAVX2(&dst[0], &x[0], len(x)/columns, columns, vectorConstants)
	}
	return set != portable
}

// The kernels write a function of the n entries of x to dst; n is positive.
//
//go:noescape
func expAVX512(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func logAVX512(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func sigmoidAVX512(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func tanhAVX512(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func expAVX2(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func logAVX2(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func sigmoidAVX2(dst, x *float32, n int, table *[34][16]uint32)

//go:noescape
func tanhAVX2(dst, x *float32, n int, table *[34][16]uint32)

// softmaxAVX512 computes rows of x; rows and columns are positive.
//
//go:noescape
func softmaxAVX512(dst, x *float32, rows, columns int, table *[34][16]uint32)

// softmaxAVX2 computes rows of x; rows and columns are positive.
//
//go:noescape
func softmaxAVX2(dst, x *float32, rows, columns int, table *[34][16]uint32)
