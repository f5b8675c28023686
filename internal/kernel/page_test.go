//go:build linux

package kernel

import (
	"syscall"
	"testing"
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
