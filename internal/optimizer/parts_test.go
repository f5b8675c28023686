package optimizer

import "testing"

// TestEachPartIsEveryNumber wants every number in one part, of few and of many.
func TestEachPartIsEveryNumber(t *testing.T) {
	for _, n := range []int{0, 1, partNumbers, 2 * partNumbers, 7*partNumbers + 3} {
		seen := make([]byte, n)
		EachPart(n, func(from, to int) {
			for j := from; j < to; j++ {
				seen[j]++
			}
		})
		for j, times := range seen {
			if times != 1 {
				t.Fatalf("number %d of %d is in %d parts, want 1", j, n, times)
			}
		}
	}
}
