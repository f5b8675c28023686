//go:build long

package linalg

import "testing"

// doubleArguments is how many arguments the tests of the functions of float64 take.
const doubleArguments = 1 << 21

// TestVectorFunctionsOfAllArguments takes all 2^32 arguments. It runs for minutes.
func TestVectorFunctionsOfAllArguments(t *testing.T) {
	const parts = 16
	for _, f := range vectorFunctions {
		for part := range uint64(parts) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				scanVectorFunctions(t, f, part<<32/parts, (part+1)<<32/parts, 1)
			})
		}
	}
}
