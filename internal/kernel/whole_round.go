package kernel

import (
	"fmt"
	"math"
)

// RoundInt writes the entries of src, times scale, as integers to dst. The product is rounded to
// float32, then to the nearest integer, halves to the even one. An integer beyond limit or below
// -limit becomes limit or -limit. A NaN product becomes 0; an infinite one becomes limit or -limit.
//
// It returns whether scale and all entries of src are finite. A product of finite numbers that
// overflows float32 counts as finite, and becomes limit or -limit like others.
//
// The result has the same bits on every processor and in every build. An entry depends only on its
// entry of src, scale and limit. The call panics, and writes nothing, if dst is shorter than src or
// limit is negative. It leaves the entries of dst beyond src. For no entries it returns whether
// scale is finite. dst must not overlap src.
func RoundInt(dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	return roundWhole(available, dst, src, scale, limit, true)
}

// TruncateInt is RoundInt with products rounded toward zero to integers. The magnitude of an entry
// of dst is at most that of the product in float32.
func TruncateInt(dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	return roundWhole(available, dst, src, scale, limit, false)
}

// roundWhole is RoundInt or TruncateInt with a set of instructions that the processor has.
func roundWhole(set instructions, dst []int16, src []float32, scale float32, limit int16, nearest bool) (finite bool) {
	if limit < 0 {
		panic(fmt.Sprintf("kernel: RoundInt: limit is %d, want at least 0", limit))
	}
	if len(dst) < len(src) {
		panic(fmt.Sprintf("kernel: RoundInt: dst has %d entries, want at least %d", len(dst), len(src)))
	}
	worst, done := roundVector(set, dst, src, scale, float32(limit), nearest)
	for j, x := range src[done:] {
		worst = max(worst, math.Float32bits(x)&^signBit)
		dst[done+j] = roundOne(float32(x*scale), float32(limit), nearest)
	}
	return max(worst, math.Float32bits(scale)&^signBit) < infiniteBits
}

// infiniteBits are the bits of +Inf. Without their signs, the bits of numbers have the order of the
// magnitudes, and the bits of NaN come last.
const infiniteBits = 0x7f800000

// roundOne rounds a number into ±limit.
func roundOne(p, limit float32, nearest bool) int16 {
	if p != p {
		return 0
	}
	p = min(max(p, -limit), limit)
	if nearest {
		return int16(math.Float32bits(p+roundShift) - roundShiftBits)
	}
	return int16(p)
}

// Largest returns the largest magnitude of an entry of x, or 0 for none. It is +Inf if an entry is
// infinite, and NaN, with the bits 0x7fc00000, if one is NaN.
func Largest(x []float32) float32 { return largest(available, x) }

// largest is Largest with a set of instructions that the processor has.
func largest(set instructions, x []float32) float32 {
	bits, done := largestVector(set, x)
	for _, v := range x[done:] {
		bits = max(bits, math.Float32bits(v)&^signBit)
	}
	if bits > infiniteBits {
		bits = nanBits
	}
	return math.Float32frombits(bits)
}
