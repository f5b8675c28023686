//go:build linux

package kernel

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestGemmStaysInside puts the ends of the three matrices before an unreadable page: a kernel
// that reads or writes an entry too many faults.
func TestGemmStaysInside(t *testing.T) {
	t.Run("float32", testGemmStaysInside[float32])
	t.Run("float64", testGemmStaysInside[float64])
}

func testGemmStaysInside[T Float](t *testing.T) {
	const most = 3 << 15
	size := int(unsafe.Sizeof(T(0)))
	var ends [3][]T
	for i := range ends {
		ends[i] = unsafe.Slice((*T)(unsafe.Pointer(&beforeGap(t, size*most)[0])), most)
	}
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		r := rand.New(rand.NewPCG(45, 45))
		matrix := func(i, rows, columns int) Matrix[T] {
			data := ends[i][most-rows*columns:]
			if r.IntN(2) == 0 {
				return NewMatrix(data, columns, rows).Transposed()
			}
			return NewMatrix(data, rows, columns)
		}
		try := func(m, k, n int) {
			c, a, b := matrix(0, m, n), matrix(1, m, k), matrix(2, k, n)
			gemmChecked(set, 1, c, 1, a, b, T(r.IntN(2)))
		}
		for range 500 {
			try(1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(70))
		}
		for _, s := range gemmSizes {
			for range 4 {
				try(s[0], s[1], s[2])
			}
		}
	})
}
