//go:build amd64 && !noasm

package kernel

import "math"

// vectorConstants64 is for Exp64 and Sigmoid64 what vectorConstants is for the others. The
// last two rows are a mask of 8 ones and 8 zeros.
var vectorConstants64 = tabulate64(
	math.Float64bits(log2E64), math.Float64bits(roundShift64), math.Float64bits(ln2High64), math.Float64bits(ln2Low64),
	math.Float64bits(expPolynomial64[0]), math.Float64bits(expPolynomial64[1]), math.Float64bits(expPolynomial64[2]),
	math.Float64bits(expPolynomial64[3]), math.Float64bits(expPolynomial64[4]), math.Float64bits(expPolynomial64[5]),
	math.Float64bits(expPolynomial64[6]), math.Float64bits(expPolynomial64[7]), math.Float64bits(expPolynomial64[8]),
	math.Float64bits(expPolynomial64[9]),
	oneBits64, math.Float64bits(expLow64), math.Float64bits(expHigh64), nanBits64, signBit64, halfBias, halfBias/2,
	math.MaxUint64, 0,
)

func tabulate64(constants ...uint64) *[23][8]uint64 {
	var table [23][8]uint64
	for i, c := range constants {
		for l := range table[i] {
			table[i][l] = c
		}
	}
	return &table
}

// applyDoubleVector writes a function of x to dst, and reports whether the set has kernels.
// dst is as long as x, which is not empty.
func applyDoubleVector(set instructions, f function, dst, x []float64) bool {
	switch {
	case set >= avx512 && f == exponential:
		exp64AVX512(&dst[0], &x[0], len(x), vectorConstants64)
	case set >= avx512:
		sigmoid64AVX512(&dst[0], &x[0], len(x), vectorConstants64)
	case set == avx2 && f == exponential:
		exp64AVX2(&dst[0], &x[0], len(x), vectorConstants64)
	case set == avx2:
		sigmoid64AVX2(&dst[0], &x[0], len(x), vectorConstants64)
	}
	return set != portable
}

// The kernels write a function of the n entries of x to dst; n is positive.
//
//go:noescape
func exp64AVX512(dst, x *float64, n int, table *[23][8]uint64)

//go:noescape
func sigmoid64AVX512(dst, x *float64, n int, table *[23][8]uint64)

//go:noescape
func exp64AVX2(dst, x *float64, n int, table *[23][8]uint64)

//go:noescape
func sigmoid64AVX2(dst, x *float64, n int, table *[23][8]uint64)
