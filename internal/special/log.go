package special

import "math"

// Log returns the natural logarithm of x, also of subnormal numbers. math.Log gives about -709 for
// all of these on amd64, where that of the least is -744.4.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}
