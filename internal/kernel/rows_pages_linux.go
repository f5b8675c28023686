package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page in bytes.
const hugePage = 2 << 20

// HugePages advises the operating system to hold a part of s in huge pages, from its first to its
// last multiple of 2 MiB. This makes reading long slices in order faster. s must be new, with
// nothing written to it. Nothing depends on whether the system follows the advice. For short
// slices, and on systems without such advice, the call does nothing.
func HugePages[T any](s []T) {
	if len(s) == 0 {
		return
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	bytes := uintptr(len(s)) * unsafe.Sizeof(s[0])
	from, to := (begin+hugePage-1)&^(hugePage-1), (begin+bytes)&^(hugePage-1)
	if from >= to {
		return
	}
	inside := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), from-begin)), to-from)
	_ = unix.Madvise(inside, unix.MADV_HUGEPAGE) // a refused advice changes no result
}
