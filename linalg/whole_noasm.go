//go:build !amd64 || noasm

package linalg

// dotVector does nothing of the sum here, and says so.
func dotVector[T WholeEntry](instructions, []T, []int16) (sum int64, done int) { return 0, 0 }

// squareVector does nothing of the sum here, and says so.
func squareVector[T WholeEntry](instructions, []T) (sum int64, done int) { return 0, 0 }
