//go:build linux

package kernel

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestVectorFunctionsStayInside puts the ends of dst and x before an unreadable page: a
// kernel that reads or writes an entry too many faults.
func TestVectorFunctionsStayInside(t *testing.T) {
	const most = 80
	dst := unsafe.Slice((*float32)(unsafe.Pointer(&beforeGap(t, 4*most)[0])), most)
	x := unsafe.Slice((*float32)(unsafe.Pointer(&beforeGap(t, 4*most)[0])), most)
	doubles := unsafe.Slice((*float64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for n := 1; n <= most; n++ {
			for _, f := range vectorFunctions {
				apply(set, f.f, dst[most-n:], x[most-n:])
			}
			for _, f := range []function{exponential, sigmoid} {
				applyDouble(set, f, doubles[most-n:], doubles[most-n:])
			}
			softmax(set, dst[most-n:], x[most-n:], n)
			for _, columns := range []int{1, 3, 10} {
				m := n / columns * columns
				softmax(set, dst[most-m:], x[most-m:], columns)
			}
		}
	})
}
