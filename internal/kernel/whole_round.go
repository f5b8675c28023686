package kernel

import (
	"fmt"
	"math"
)

// RoundInt writes the entries of src, times scale, as integers to dst: the product is rounded to
// float32, then to the nearest integer, halves to the even one, and what lies beyond limit or below
// -limit becomes limit or -limit. A product that is not a number becomes 0; an infinite one becomes
// limit or -limit.
//
// It returns whether scale and all entries of src are finite. A product of finite numbers that passes float32
// counts as finite, and becomes limit or -limit like others.
//
// The result has the same bits on every processor and in every build, and an entry depends on its entry of src, on
// scale and limit only. The call panics, and writes nothing, when dst is shorter than src or limit is negative; it
// leaves what dst has beyond. Of no entries it returns whether scale is finite. dst must not overlap src.
func RoundInt(dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	return roundWhole(available, dst, src, scale, limit, true)
}

// TruncateInt is RoundInt with products rounded toward zero to integers: the magnitude of an entry
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

// infiniteBits are those of +Inf. Without their signs, the bits of numbers are in the order of the magnitudes, and
// those of NaN come last.
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

// Largest returns the largest magnitude of an entry of x, and 0 of none. It is +Inf when an entry is infinite, and
// NaN, with the bits 0x7fc00000, when one is NaN.
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
