package train

import (
	"math"
	"slices"

	"github.com/ditherml/dither/internal/pick"
)

const (
	// candidatesOfDouble is the number of candidates for a bound between a magnitude and its
	// double.
	candidatesOfDouble = 8
	// leastCandidate is the base-2 logarithm of the smallest positive magnitude of a candidate.
	leastCandidate = -20
	// evenCandidates is the number of equal steps that divide the declared range in addition.
	evenCandidates = 256
)

// candidates returns the numbers that a bound is chosen from. They are 0, magnitudes of ratio
// 2^(1/8) from 2^-20 on with both signs, and 256 equal steps across the range. All are inside the
// range. Every number has a candidate within 9 %, however wide the declared range is. In a narrow
// range it has one within 1/512 of the range. Each candidate is a float32, as records are. Moving a
// value into the bounds and rounding it may therefore change places. Candidates follow from the
// range alone.
func candidates(lower, upper float64) pick.Grid {
	var all []float64
	put := func(v float64) {
		if v = float64(float32(v)); v >= lower && v <= upper {
			all = append(all, v+0) // no negative zero
		}
	}
	put(0)
	for j := leastCandidate * candidatesOfDouble; ; j++ {
		magnitude := math.Exp2(float64(j) / candidatesOfDouble)
		if magnitude > max(-lower, upper) {
			break
		}
		put(magnitude)
		put(-magnitude)
	}
	for k := range evenCandidates + 1 {
		share := float64(k) / evenCandidates
		put((1-share)*lower + share*upper)
	}
	slices.Sort(all)
	return pick.Grid(slices.Compact(all))
}

// cuts returns chosen candidates as cut points, in ascending order, without cut points that have
// nothing below or above them. A candidate that was chosen several times stands for many records of
// one value. The next candidate is then a cut point too, so that this value has a bin of its own.
// There are never more cut points than chosen candidates.
func cuts(grid pick.Grid, chosen []float64) []float64 {
	count := map[float64]int{}
	for _, v := range chosen {
		count[v]++
	}
	var out []float64
	for k, v := range grid {
		again := k > 0 && count[grid[k-1]] > 1
		if (count[v] > 0 || again) && k > 0 && k < len(grid)-1 {
			out = append(out, v)
		}
	}
	return out
}

// apart returns two chosen candidates in order. If both are equal, it moves the upper one to the
// next candidate, or the lower one back if there is no next. It reads released numbers and the grid
// only.
func apart(grid pick.Grid, lower, upper float64) (float64, float64) {
	if lower < upper {
		return lower, upper
	}
	at, _ := slices.BinarySearch(grid, lower)
	if at+1 < len(grid) {
		return grid[at], grid[at+1]
	}
	return grid[at-1], grid[at]
}
