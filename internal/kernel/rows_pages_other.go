//go:build !linux

package kernel

// HugePages advises the operating system to hold s in huge pages. On this system it does
// nothing.
func HugePages[T any](s []T) {}
