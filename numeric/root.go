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

// GoldenSection looks for a small value of f between low and high, shrinking the interval about the
// lesser of two inner points steps times, and returns the least value that it met. For a function that
// falls and then rises it closes in on the minimum.
func GoldenSection(low, high float64, steps int, f func(float64) float64) float64 {
	const golden = 0.6180339887498949
	x, y := high-golden*(high-low), low+golden*(high-low)
	vx, vy := f(x), f(y)
	least := min(vx, vy)
	for range steps {
		if vx < vy {
			high, y, vy = y, x, vx
			x = high - golden*(high-low)
			vx = f(x)
		} else {
			low, x, vx = x, y, vy
			y = low + golden*(high-low)
			vy = f(y)
		}
		least = min(least, vx, vy)
	}
	return least
}
