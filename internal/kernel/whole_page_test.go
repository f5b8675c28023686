//go:build linux

package kernel

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestAddProductIntStaysInside puts the ends of the three matrices before an unreadable page: a kernel that
// reads or writes an entry too many faults.
func TestAddProductIntStaysInside(t *testing.T) {
	const most = 1 << 14
	dst := unsafe.Slice((*int64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	a := unsafe.Slice((*int16)(unsafe.Pointer(&beforeGap(t, 2*most)[0])), most)
	b := unsafe.Slice((*int16)(unsafe.Pointer(&beforeGap(t, 2*most)[0])), most)
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		r := rand.New(rand.NewPCG(37, 1))
		for range 1000 {
			s := IntShape{Rows: 1 + r.IntN(60), Left: 1 + r.IntN(100), Right: 1 + r.IntN(120), Group: 1 + r.IntN(70)}
			addProductWhole(set, 1, dst[most-s.Left*s.Right:], a[most-s.Rows*s.Left:], b[most-s.Rows*s.Right:], s)
		}
	})
}

// TestRoundIntStaysInside does so with rows of singles and of integers.
func TestRoundIntStaysInside(t *testing.T) {
	const most = 100
	src := unsafe.Slice((*float32)(unsafe.Pointer(&beforeGap(t, 4*most)[0])), most)
	dst := unsafe.Slice((*int16)(unsafe.Pointer(&beforeGap(t, 2*most)[0])), most)
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for n := range most + 1 {
			roundWhole(set, dst[most-n:], src[most-n:], 1, 5, n%2 == 0)
			largest(set, src[most-n:])
		}
	})
}

// TestLongStaysInside does so with numbers of 64 bits.
func TestLongStaysInside(t *testing.T) {
	const most = 40
	src := unsafe.Slice((*int64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	dst := unsafe.Slice((*int64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for n := range most + 1 {
			addLong(set, dst[most-n:], src[most-n:])
			squareLong(set, src[most-n:])
		}
	})
}

// TestSinglesStayInside does so with the rows of MoveInt and SingleInt.
func TestSinglesStayInside(t *testing.T) {
	const most = 100
	x := unsafe.Slice((*int16)(unsafe.Pointer(&beforeGap(t, 2*most)[0])), most)
	long := unsafe.Slice((*int64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	center := unsafe.Slice((*float32)(unsafe.Pointer(&beforeGap(t, 4*most)[0])), most)
	dst := unsafe.Slice((*float32)(unsafe.Pointer(&beforeGap(t, 4*most)[0])), most)
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for n := range most + 1 {
			moveWhole(set, dst[most-n:], x[most-n:], 1, center[most-n:])
			singleWhole(set, dst[most-n:], long[most-n:])
			largestShort(set, x[most-n:])
		}
	})
}
