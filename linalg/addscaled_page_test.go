//go:build linux

package linalg

import (
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// beforeGap returns memory that ends where an unreadable page begins.
func beforeGap(t *testing.T, bytes int) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	size := (bytes + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("map memory: %v", err)
	}
	t.Cleanup(func() {
		if unmap := syscall.Munmap(memory); unmap != nil {
			t.Errorf("unmap memory: %v", unmap)
		}
	})
	if err = syscall.Mprotect(memory[size:], syscall.PROT_NONE); err != nil {
		t.Fatalf("protect a page: %v", err)
	}
	return memory[size-bytes : size]
}

// TestAddScaledStaysInside puts the ends of dst and of each row before an unreadable
// page: a kernel that reads or writes an entry too many faults.
func TestAddScaledStaysInside(t *testing.T) {
	const most = 100
	sums := unsafe.Slice((*int64)(unsafe.Pointer(&beforeGap(t, 8*most)[0])), most)
	var ends [4][]int16
	r := rand.New(rand.NewPCG(9, 9))
	for k := range ends {
		ends[k] = unsafe.Slice((*int16)(unsafe.Pointer(&beforeGap(t, 2*most)[0])), most)
		copy(ends[k], anyRow(r, most))
	}
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		for n := range most + 1 {
			from := most - n
			addScaled(set, sums[from:], 3, ends[0][from:])
			addScaled4(set, sums[from:], [4]int64{1, 2, 3, 4}, ends[0][from:], ends[1][from:], ends[2][from:], ends[3][from:])
		}
	})
}
