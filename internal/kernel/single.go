package kernel

import "fmt"

// singleLanes is how many partial sums a sum of squares has: that of entry j is the one of j modulo singleLanes.
const singleLanes = 16

// MoveInt writes x[j]·scale - center[j] to dst, each product and difference rounded to float32, and returns the sum of
// their squares, correct to 2^-40 of itself below 2^1000. The sum has the same bits on every processor and in every build. The
// three must have one length; the call panics, and writes nothing, when they have not. dst must not overlap the others.
func MoveInt(dst []float32, x []int16, scale float32, center []float32) (square float64) {
	if len(dst) != len(x) || len(center) != len(x) {
		panic(fmt.Sprintf("kernel: MoveInt: lengths are %d, %d and %d, want one", len(dst), len(x), len(center)))
	}
	return moveWhole(available, dst, x, scale, center)
}

// moveWhole is MoveInt with a set of instructions that the processor has.
func moveWhole(set instructions, dst []float32, x []int16, scale float32, center []float32) float64 {
	var lanes [singleLanes]float64
	done := moveVector(set, dst, x, scale, center, &lanes)
	for j := done; j < len(x); j++ {
		v := float32(float32(x[j])*scale) - center[j]
		dst[j] = v
		lanes[j%singleLanes] += float64(v) * float64(v)
	}
	return addLanes(&lanes)
}

// SingleInt writes x[j], rounded to float32, to dst, and returns the sum of the squares of what it
// writes, as MoveInt does. dst must be as long as x. The call panics, and writes nothing, when it
// is not.
func SingleInt(dst []float32, x []int64) (square float64) {
	if len(dst) != len(x) {
		panic(fmt.Sprintf("kernel: SingleInt: lengths are %d and %d, want one", len(dst), len(x)))
	}
	return singleWhole(available, dst, x)
}

// singleWhole is SingleInt with a set of instructions that the processor has.
func singleWhole(set instructions, dst []float32, x []int64) float64 {
	var lanes [singleLanes]float64
	for j := singleVector(set, dst, x, &lanes); j < len(x); j++ {
		v := float32(x[j])
		dst[j] = v
		lanes[j%singleLanes] += float64(v) * float64(v)
	}
	return addLanes(&lanes)
}

// LargestShort returns the largest magnitude of an entry of x, and 0 of none.
func LargestShort(x []int16) int { return largestShort(available, x) }

// largestShort is LargestShort with a set of instructions that the processor has.
func largestShort(set instructions, x []int16) int {
	most, done := largestShortVector(set, x)
	for _, v := range x[done:] {
		most = max(most, int(v), -int(v))
	}
	return most
}

// addLanes adds up partial sums, always in one order.
func addLanes(lanes *[singleLanes]float64) float64 {
	for half := singleLanes / 2; half > 0; half /= 2 {
		for l := range half {
			lanes[l] += lanes[l+half]
		}
	}
	return lanes[0]
}
