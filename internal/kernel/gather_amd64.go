//go:build amd64 && !noasm

package kernel

// fetchRow prefetches the memory of a positive number of bytes, and changes nothing.
//
//go:noescape
func fetchRow(row *byte, n int)
