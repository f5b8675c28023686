package special

import "math"

// BisectLog returns where the predicate turns from true to false on positive numbers. It requires
// low < high, ok(low) true and ok(high) false. It halves the interval in log space until high/low -
// 1 ≤ tolerance. It returns the end at which the predicate is true.
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

// Crossing returns where f turns from at most 0, as at inside, to above 0, as at outside. At the
// returned point f is at most 0, and within tolerance of it, or next to it, f is above 0. The ends
// may be in either order and f may be infinite. Where this surely helps, the next point is the zero
// of the inverse parabola through the last three points. Otherwise it is the middle (Chandrupatla,
// "A New Hybrid Quadratic/Bisection Algorithm for Finding the Zero of a Nonlinear Function",
// Advances in Engineering Software 1997). The first time it is the zero of the secant.
func Crossing(inside, outside, tolerance float64, f func(float64) float64) float64 {
	a, b := inside, outside // the value at a is the latest; c is the point before
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

// parabola returns the share of the way from a to b at which the inverse parabola through three
// points is 0. It returns one half if the parabola might leave the way.
func parabola(a, b, c, fa, fb, fc float64) float64 {
	at, level := (a-b)/(c-b), (fa-fb)/(fc-fb)
	if !(level*level < at && (1-level)*(1-level) < 1-at) {
		return 0.5
	}
	return fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
}

// GoldenSection returns the least value of f that it finds between low and high. In each of steps
// steps it shrinks the interval about the lesser of two inner points. For a function that falls and
// then rises it converges to the minimum.
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
