//go:build 386 || arm || mips || mipsle

package kernel

// Dither needs a system of 64 bits. Bounds of sums, counts of records and sizes are ints far above
// 2^32, and only for 64 bits is it proved that none overflows. On other systems this line stops the
// build.
var _ = ditherNeedsASystemOf64Bits
