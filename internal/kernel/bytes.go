package kernel

import "unsafe"

// Bytes returns the memory of s as bytes, in the processor's order. It shares memory with s.
func Bytes[T uint8 | int16 | uint32 | uint64 | float32 | float64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(s[0]))
}

// View returns n entries of another type, stored in bytes from one offset, in the processor's
// order. It shares memory with bytes. It panics unless the entries are inside and the first one's
// address is a multiple of their size.
func View[T uint8 | int16 | uint32 | uint64](bytes []byte, at, n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	if at < 0 || n < 0 || at > len(bytes) || n > (len(bytes)-at)/size {
		panic("kernel: the view is outside its bytes, want its entries inside")
	}
	if n == 0 {
		return nil
	}
	first := unsafe.Pointer(&bytes[at])
	if uintptr(first)%uintptr(size) != 0 {
		panic("kernel: the view's entries are not at multiples of their size, want memory that is aligned for them")
	}
	return unsafe.Slice((*T)(first), n)
}

// strideOf returns the distance of rows of x in bytes.
func strideOf[T Entry](dim int) int {
	var entry T
	return dim * int(unsafe.Sizeof(entry))
}
