//go:build long

package kernel

import (
	"flag"
	"testing"
)

// doubleArguments is how many arguments TestDoubleFunctionsKeepTheirBounds takes.
const doubleArguments = 1 << 21

// shapeDims is how many dimensions rowShapes takes one after the other: more than three times what kernels take
// together.
const shapeDims = 201

// gemmRounds is how many cases of a size gemm is compared in, and gemmCases of how many sizes.
const gemmRounds, gemmCases = 3, 600

// argumentStride is the distance of the arguments that TestVectorFunctionsOfAllArguments takes; it is odd,
// so that every exponent and the last bits of the significand occur.
var argumentStride = flag.Uint64("argument-stride", 31, "distance of the arguments of float32 functions; 1 takes all, for minutes")

// TestVectorFunctionsOfAllArguments takes every 31st of the 2^32 arguments, or all of them with
// -argument-stride 1.
func TestVectorFunctionsOfAllArguments(t *testing.T) {
	const parts = 16
	for _, f := range vectorFunctions {
		for part := range uint64(parts) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				scanVectorFunctions(t, f, part<<32/parts, (part+1)<<32/parts, *argumentStride)
			})
		}
	}
}
