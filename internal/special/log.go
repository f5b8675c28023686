package special

import "math"

// Log returns the natural logarithm of x, also of subnormal numbers. For all of these math.Log
// returns about -709 on amd64, where the logarithm of the least is -744.4.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}
