package train

import "math"

// weight returns the factor that brings a gradient of this norm to the clipping norm: 1
// if it is within, 0 for a norm that is not a number. It is a proposal; the sum verifies
// the bound.
func (c Clipping) weight(norm float64) float64 {
	if c.Mode == ClipExample {
		return 1
	}
	if !(norm <= math.MaxFloat64) {
		return 0
	}
	return min(1, c.Norm/norm)
}
