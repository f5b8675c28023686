package numeric

import "math"

// BisectLog finds where the predicate turns from true to false on positive
// numbers: ok(low) must be true and ok(high) false, low < high. It halves the
// interval in log space until high/low - 1 ≤ tolerance and returns the true end,
// so the result always satisfies the predicate.
func BisectLog(low, high, tolerance float64, ok func(float64) bool) float64 {
	for i := 0; i < 400 && high/low-1 > tolerance; i++ {
		mid := math.Sqrt(low) * math.Sqrt(high)
		if !(mid > low && mid < high) {
			break
		}
		if ok(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
