package kernel

import "math"

// limbBits is the number of bits of the lower limb of SplitInt.
const limbBits = 13

// LimbUnit is the ratio of the units of the upper and the lower limb of SplitInt.
const LimbUnit = 1 << limbBits

// CommonUnit returns the largest unit that divides all numbers, each at most most times. Each
// number differs from a multiple by at most tolerance times the largest magnitude. It returns 1 if
// all numbers are zero. It returns 0 if there is no such unit, a number is not finite, or all are
// beyond 2^±900. Quotients are rounded, so that a tolerance below 2^-51 may miss a unit. The time
// is proportional to the count of numbers, and at worst to most times it.
func CommonUnit(x []float64, most int, tolerance float64) float64 {
	largest := MaxAbs(x)
	switch {
	case largest == 0:
		return 1
	case !(largest >= 0x1p-900 && largest <= 0x1p900): // NaN too
		return 0
	}
	last := 0 // what was no multiple of the unit before is seldom one of the next
	for q := 1; q <= most; q++ {
		times, slack := float64(q)/largest, tolerance*float64(q)
		if !nearWhole(x[last]*times, slack) {
			continue
		}
		at := 0
		for at < len(x) && nearWhole(x[at]*times, slack) {
			at++
		}
		if at == len(x) {
			return largest / float64(q)
		}
		last = at
	}
	return 0
}

func nearWhole(v, slack float64) bool { return math.Abs(v-math.RoundToEven(v)) <= slack }

// ToInt writes the nearest integers of a unit to dst, which is as long as x. It reports whether
// each has at most 15 bits and differs from its number by at most tolerance units. If it reports
// false, dst is unspecified.
func ToInt(dst []int16, x []float64, unit, tolerance float64) bool {
	dst, times := dst[:len(x)], 1/unit
	for j, v := range x {
		v *= times
		q := math.RoundToEven(v)
		if !(math.Abs(q) <= math.MaxInt16 && math.Abs(v-q) <= tolerance) {
			return false
		}
		dst[j] = int16(q)
	}
	return true
}

// SplitInt rounds numbers to integer multiples of a unit and writes them in two limbs, each as long
// as x. A multiple is LimbUnit·high + low with |low| ≤ LimbUnit/2. It reports whether all
// magnitudes are at most LimbUnit² units; then |high| is at most LimbUnit. If it reports false,
// both limbs are unspecified.
func SplitInt(high, low []int16, x []float64, unit float64) bool {
	high, low = high[:len(x)], low[:len(x)]
	for j, v := range x {
		q := math.RoundToEven(v / unit)
		if !(math.Abs(q) <= LimbUnit*LimbUnit) {
			return false
		}
		h := math.RoundToEven(q / LimbUnit)
		high[j], low[j] = int16(h), int16(q-h*LimbUnit)
	}
	return true
}

// ProductGroup returns a Group for AddProductInt if a and b keep to these bounds on entries and
// columns. By Cauchy and Schwarz no sum of this number of products exceeds 32 bits.
func ProductGroup(a, b IntExtent) int {
	group := wholeGroup
	for group > 1 && a.norm(group)*b.norm(group) > math.MaxInt32 {
		group /= 2
	}
	return group
}

// wholeGroup is the largest Group that ProductGroup returns. Larger groups gain nothing.
const wholeGroup = 256

// IntExtent bounds columns of integers: the magnitude of an entry, and the squared length of a
// column.
type IntExtent struct{ Entry, Square int64 }

// ExtentOf returns the extent of a column.
func ExtentOf(x []int16) IntExtent { return IntExtent{int64(LargestShort(x)), SquareInt(x)} }

// With returns the least extent that covers both.
func (e IntExtent) With(f IntExtent) IntExtent {
	return IntExtent{max(e.Entry, f.Entry), max(e.Square, f.Square)}
}

// norm bounds the length of a part of a column of this many entries.
func (e IntExtent) norm(entries int) float64 {
	return math.Sqrt(min(float64(e.Square), float64(entries)*float64(e.Entry)*float64(e.Entry))) * (1 + 1e-12)
}
