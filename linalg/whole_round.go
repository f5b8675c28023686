package linalg

import (
	"fmt"
	"math"
)

// RoundWhole writes the entries of src, times scale, as whole numbers to dst: the product is rounded to float32,
// then to the nearest whole number, halves to the even one, and what lies beyond limit or below -limit becomes
// limit or -limit. A product that is not a number becomes 0; an infinite one becomes limit or -limit.
//
// It returns whether scale and all entries of src are finite. A product of finite numbers that passes float32
// counts as finite, and becomes limit or -limit like others.
//
// The result has the same bits on every processor and in every build, and an entry depends on its entry of src, on
// scale and limit only. The call panics, and writes nothing, when dst is shorter than src or limit is negative; it
// leaves what dst has beyond. Of no entries it returns whether scale is finite.
func RoundWhole(dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	return roundWhole(available, dst, src, scale, limit)
}

// roundWhole is RoundWhole with a set of instructions that the processor has.
func roundWhole(set instructions, dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	if limit < 0 {
		panic(fmt.Sprintf("linalg: RoundWhole: limit is %d, want at least 0", limit))
	}
	if len(dst) < len(src) {
		panic(fmt.Sprintf("linalg: RoundWhole: dst has %d entries, want at least %d", len(dst), len(src)))
	}
	return roundWholePortable(dst, src, scale, limit) && isFinite(scale)
}

// roundWholePortable is the definition of RoundWhole, except that it does not look whether scale is finite.
func roundWholePortable(dst []int16, src []float32, scale float32, limit int16) (finite bool) {
	high, worst := float32(limit), uint32(0)
	for j, x := range src {
		worst = max(worst, math.Float32bits(x)&^signBit)
		p := float32(x * scale)
		if p != p {
			p = 0
		}
		p = min(max(p, -high), high)
		dst[j] = int16(math.Float32bits(p+roundShift) - roundShiftBits)
	}
	return worst < infiniteBits
}

// infiniteBits are those of +Inf; numbers that are not have more, but for the sign.
const infiniteBits = 0x7f800000

func isFinite(x float32) bool { return math.Float32bits(x)&^signBit < infiniteBits }

// Largest returns the largest magnitude of an entry of x, and 0 of none. It is +Inf when an entry is infinite, and
// NaN, with the bits 0x7fc00000, when one is NaN.
func Largest(x []float32) float32 { return largest(available, x) }

// largest is Largest with a set of instructions that the processor has.
func largest(set instructions, x []float32) float32 {
	bits := largestPortable(x)
	if bits > infiniteBits {
		bits = nanBits
	}
	return math.Float32frombits(bits)
}

// largestPortable returns the largest of the bits without signs. They are in the order of the magnitudes, and NaN
// comes last.
func largestPortable(x []float32) (bits uint32) {
	for _, v := range x {
		bits = max(bits, math.Float32bits(v)&^signBit)
	}
	return bits
}
