package evaluate

import (
	"math"
	"slices"
)

// auc returns the area under the curve of the given records, which have two levels. It is the
// number of pairs (one record of each level) in which level 1 scores higher, ties counted 1/2, over
// the number of pairs. It is undefined when a level is absent.
//
// Pairs are counted in integers, doubled so that a tie is 1. That is exact below 2^31 records; only
// the division rounds. Time O(n log n).
func (s *scores) auc(records []int) Measure {
	var of [2][]uint64 // scores of each level, ascending
	for _, i := range records {
		of[s.labels[i]] = append(of[s.labels[i]], sortable(s.second(i)))
	}
	slices.Sort(of[0])
	slices.Sort(of[1])
	var doubled int64 // twice the pairs won
	below, upTo := 0, 0
	for _, v := range of[1] {
		for below < len(of[0]) && of[0][below] < v {
			below++
		}
		for upTo < len(of[0]) && of[0][upTo] <= v {
			upTo++
		}
		doubled += int64(below) + int64(upTo)
	}
	if len(of[0]) == 0 || len(of[1]) == 0 {
		return noMeasure()
	}
	return Measure(float64(doubled) / (2 * float64(len(of[0])) * float64(len(of[1]))))
}

// sortable returns bits in the order of the numbers, which are not NaN. Bits sort faster than
// numbers.
func sortable(v float64) uint64 {
	const sign = 1 << 63
	b := math.Float64bits(v + 0) // of both zeros one
	if b&sign != 0 {
		return ^b
	}
	return b | sign
}
