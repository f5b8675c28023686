//go:build !amd64 || noasm

package kernel

// addLongVector does nothing here and returns 0.
func addLongVector(instructions, []int64, []int64) (done int) { return 0 }

// squareLongVector does nothing here and returns 0.
func squareLongVector(instructions, []int64) (high, low uint64, done int) { return 0, 0, 0 }
