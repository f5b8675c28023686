//go:build amd64 && !noasm

package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSquaresOfBytesByEveryKernel compares the kernels for bytes that one processor may have two of, up to the longest
// rows of the largest entries.
func TestSquaresOfBytesByEveryKernel(t *testing.T) {
	if available < avx512 {
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
		if available >= avx512VNNI {
			clear(got)
			squareRowsByteVNNI(&got[0], &x[0], rows, dim/64, dim%64, lowMask(dim, 64))
			if !slices.Equal(got, want) {
				t.Errorf("%d entries: %v, want %v", dim, got, want)
			}
		}
	}
}

// TestSquaresOfLongShorts takes rows beside the longest that are added four at a time, of pairs whose sums of squares have the
// largest lower halves: there the two sums of 32 bits that tell the squares are nearest to telling another.
func TestSquaresOfLongShorts(t *testing.T) {
	var a, b int64 = 1, 2
	for v := int64(1); v < 1<<15; v++ {
		for _, w := range []int64{2, 6, 302} {
			if (v*v+w*w)%(1<<16) > (a*a+b*b)%(1<<16) {
				a, b = v, w
			}
		}
	}
	if low := (a*a + b*b) % (1 << 16); low < 1<<16-8 {
		t.Fatalf("%d and %d: the lower half is %d, want one near 2^16", a, b, low)
	}
	for _, dim := range []int{maxSquareFour, maxSquareFour + 64} {
		x, got := make([]int16, 4*dim), make([]int64, 4)
		for j := range x {
			x[j] = int16([]int64{a, b}[j%2])
		}
		SquareRows(got, x, dim)
		for i, v := range got {
			if want := int64(dim/2) * (a*a + b*b); v != want {
				t.Errorf("row %d of %d entries: got %d, want %d", i, dim, v, want)
			}
		}
	}
}
