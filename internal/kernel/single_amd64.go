//go:build amd64 && !noasm

package kernel

// moveVector computes the first entries of MoveInt that the set takes, and returns their number.
func moveVector(set instructions, dst []float32, x []int16, scale float32, center []float32, lanes *[singleLanes]float64) int {
	if set < avx512 || len(x) == 0 {
		return 0
	}
	moveWholeAVX512(&dst[0], &x[0], &center[0], len(x)/singleLanes, scale, lowMask(len(x), singleLanes), lanes)
	return len(x)
}

// singleVector computes the first entries of SingleInt that the set takes, and returns their
// number.
func singleVector(set instructions, dst []float32, x []int64, lanes *[singleLanes]float64) int {
	n := len(x) &^ (singleLanes - 1)
	if set < avx512 || n == 0 {
		return 0
	}
	singleWholeAVX512(&dst[0], &x[0], n, lanes)
	return n
}

// largestShortVector computes the first entries of LargestShort that the set takes, and returns
// their number.
func largestShortVector(set instructions, x []int16) (most, done int) {
	done = len(x) &^ 31
	if set < avx512 || done == 0 {
		return 0, 0
	}
	return int(largestShortAVX512(&x[0], done)), done
}

// moveWholeAVX512 takes groups of 16 entries and then the entries of the mask, at least one entry
// in all. The kernels write the lanes.
//
//go:noescape
func moveWholeAVX512(dst *float32, x *int16, center *float32, groups int, scale float32, mask uint64, lanes *[16]float64)

// singleWholeAVX512 takes a positive multiple of 16 entries.
//
//go:noescape
func singleWholeAVX512(dst *float32, x *int64, n int, lanes *[16]float64)

// largestShortAVX512 takes a positive multiple of 32 entries.
//
//go:noescape
func largestShortAVX512(x *int16, n int) (largest uint32)
