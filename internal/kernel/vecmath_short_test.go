//go:build !long

package kernel

// doubleArguments is how many arguments TestDoubleFunctionsKeepTheirBounds takes.
const doubleArguments = 4000

// shapeDims is how many dimensions rowShapes takes one after the other: more than two times what kernels take together.
const shapeDims = 137

// gemmRounds is how many cases of a size gemm is compared in, and gemmCases of how many sizes.
const gemmRounds, gemmCases = 1, 200
