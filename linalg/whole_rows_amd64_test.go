//go:build amd64 && !noasm

package linalg

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSquaresOfBytesByEveryKernel compares the kernels for bytes that one processor may have two of, up to the longest
// rows of the largest entries.
func TestSquaresOfBytesByEveryKernel(t *testing.T) {
	if wholeRowsAvailable < avx512 {
		t.Skip("NOT RUN: the processor has no AVX-512")
	}
	r := rand.New(rand.NewPCG(75, 1))
	for _, dim := range []int{1, 31, 32, 63, 64, 65, 127, 128, 784, 4097, maxSquareBytes - 1, maxSquareBytes} {
		const rows = 2
		x, want := make([]uint8, rows*dim), make([]int64, rows)
		for i := range x {
			if x[i] = 255; i < dim && dim < maxSquareBytes-1 {
				x[i] = uint8(r.Uint32())
			}
			want[i/dim] += int64(x[i]) * int64(x[i])
		}
		got := make([]int64, rows)
		squareRowsByteAVX512(&got[0], &x[0], rows, dim/32, dim%32, uint32(lowMask(dim, 32)))
		if !slices.Equal(got, want) {
			t.Errorf("%d entries without VNNI: %v, want %v", dim, got, want)
		}
		if productsAvailable == avx512 {
			clear(got)
			squareRowsByteVNNI(&got[0], &x[0], rows, dim/64, dim%64, lowMask(dim, 64))
			if !slices.Equal(got, want) {
				t.Errorf("%d entries: %v, want %v", dim, got, want)
			}
		}
	}
}
