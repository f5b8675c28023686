package evaluate

import (
	"cmp"
	"slices"
)

// auc returns the area under the curve of the given records, which are of two
// levels: the number of pairs (one record of each level) in which level 1
// scores higher, ties counted 1/2, over the number of pairs. It is undefined
// when a level is absent.
//
// Pairs are counted in integers, doubled so that a tie is 1, which is exact
// below 2^31 records; only the division rounds. Time O(n log n).
func (s *scores) auc(records []int) Measure {
	sorted := slices.Clone(records)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(s.second(a), s.second(b)) })
	var below, doubled int64 // records of level 0 that score lower; twice the pairs won
	var total [2]int64
	for start := 0; start < len(sorted); {
		end := start
		var tied [2]int64
		for end < len(sorted) && s.second(sorted[end]) == s.second(sorted[start]) {
			tied[s.labels[sorted[end]]]++
			end++
		}
		doubled += tied[1] * (2*below + tied[0])
		below += tied[0]
		total[0] += tied[0]
		total[1] += tied[1]
		start = end
	}
	if total[0] == 0 || total[1] == 0 {
		return Undefined()
	}
	return Measure(float64(doubled) / (2 * float64(total[0]) * float64(total[1])))
}
