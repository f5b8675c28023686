//go:build !amd64 || noasm

package kernel

// roundVector does nothing here and returns 0.
func roundVector(instructions, []int16, []float32, float32, float32, bool) (worst uint32, done int) {
	return 0, 0
}

// largestVector does nothing here and returns 0.
func largestVector(instructions, []float32) (bits uint32, done int) { return 0, 0 }
