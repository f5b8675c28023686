package special

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

// Crossing finds where f turns from at most 0, as at inside, to more, as at outside. It returns a
// point with f at most 0 that is within tolerance of one where f is more, or next to it. The ends
// may be in either order and f infinite. The next point is the zero of the inverse parabola through
// the last three points where that surely helps, else the middle (Chandrupatla, "A New Hybrid
// Quadratic/Bisection Algorithm for Finding the Zero of a Nonlinear Function", Advances in
// Engineering Software 1997); the first time that of the secant.
func Crossing(inside, outside, tolerance float64, f func(float64) float64) float64 {
	a, b := inside, outside // of a the value was found last; c is the point before
	fa, fb := f(a), f(b)
	share := fa / (fa - fb)
	for i := 0; i < 200 && math.Abs(b-a) > tolerance; i++ {
		least := tolerance / 2 / math.Abs(b-a)
		if !(share >= 0 && share <= 1) {
			share = 0.5
		}
		x := a + max(least, min(1-least, share))*(b-a)
		if x == a || x == b {
			break
		}
		fx, c, fc := f(x), a, fa
		if (fx <= 0) != (fa <= 0) {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, fx
		share = parabola(a, b, c, fa, fb, fc)
	}
	if fa <= 0 {
		return a
	}
	return b
}

// parabola returns the share of the way from a to b at which the inverse parabola through three points is 0,
// one half where it might leave the way.
func parabola(a, b, c, fa, fb, fc float64) float64 {
	at, level := (a-b)/(c-b), (fa-fb)/(fc-fb)
	if !(level*level < at && (1-level)*(1-level) < 1-at) {
		return 0.5
	}
	return fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
}

// GoldenSection looks for a small value of f between low and high, and returns the least value that
// it met. It shrinks the interval about the lesser of two inner points steps times. For a function
// that falls and then rises it closes in on the minimum.
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
