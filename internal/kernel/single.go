package kernel

import "fmt"

// singleLanes is the number of partial sums of a sum of squares. Entry j belongs to partial sum j
// modulo singleLanes.
const singleLanes = 16

// MoveInt writes x[j]·scale - center[j] to dst, with each product and difference rounded to
// float32. It returns the sum of the squares of dst, correct to 2^-40 of itself below 2^1000. The
// sum has the same bits on every processor and in every build. The call panics, and writes nothing,
// unless the three have one length. dst must not overlap the others.
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

// SingleInt writes x[j], rounded to float32, to dst, and returns the sum of squares of dst as
// MoveInt does. The call panics, and writes nothing, unless dst is as long as x.
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

// LargestShort returns the largest magnitude of an entry of x, or 0 for none.
func LargestShort(x []int16) int { return largestShort(available, x) }

// largestShort is LargestShort with a set of instructions that the processor has.
func largestShort(set instructions, x []int16) int {
	most, done := largestShortVector(set, x)
	for _, v := range x[done:] {
		most = max(most, int(v), -int(v))
	}
	return most
}

// addLanes returns the sum of the partial sums, always in one order.
func addLanes(lanes *[singleLanes]float64) float64 {
	for half := singleLanes / 2; half > 0; half /= 2 {
		for l := range half {
			lanes[l] += lanes[l+half]
		}
	}
	return lanes[0]
}
