package sample

import "slices"

// Subset returns k different indices below n, ascending, every set of that size with equal
// probability; 0 ≤ k ≤ n. (Floyd's method: Bentley & Floyd, "A Sample of Brilliance",
// Communications of the ACM 30(9), 1987, https://doi.org/10.1145/30401.315746.)
func (s *Stream) Subset(n, k int) []int {
	taken := make(map[int]struct{}, k)
	indices := make([]int, 0, k)
	for j := n - k; j < n; j++ {
		i := int(s.Below(uint64(j) + 1))
		if _, twice := taken[i]; twice {
			i = j
		}
		taken[i] = struct{}{}
		indices = append(indices, i)
	}
	slices.Sort(indices)
	s.forget()
	return indices
}
