//go:build 386 || arm || mips || mipsle

package kernel

// Dither needs a system of 64 bits: bounds of sums, counts of records and sizes are ints far above 2^32, and that
// none of them overflows is proved for 64 bits alone. Elsewhere this line stops the build.
var _ = ditherNeedsASystemOf64Bits
