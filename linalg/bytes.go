package linalg

import "unsafe"

// Bytes returns the memory of s as bytes, in the processor's order. It shares memory with s.
func Bytes[T uint8 | int16 | uint32 | uint64 | float32 | float64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(s[0]))
}
