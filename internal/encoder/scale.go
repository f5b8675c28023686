package encoder

import "math"

// HalfLogarithmic returns the number of a declared range that has a share on the half-logarithmic scale. The scale is
// the mean of the linear share and of log(1 + x - lower) / log(1 + upper - lower). So half of equal steps of the scale
// serve numbers near the lower end, and half of them serve all parts of the range alike. The share is between 0 and 1.
// The lower and the upper end are exact.
func HalfLogarithmic(lower, upper, share float64) float64 {
	width := upper - lower
	switch {
	case share <= 0:
		return lower
	case share >= 1:
		return upper
	}
	low, high := 0.0, 1.0 // shares of the width, with the result between them
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return lower + high*width
		}
		if (middle+math.Log1p(middle*width)/math.Log1p(width))/2 < share {
			low = middle
		} else {
			high = middle
		}
	}
}
