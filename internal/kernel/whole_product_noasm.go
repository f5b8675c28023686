//go:build !amd64 || noasm

package kernel

// addProductVector does nothing here and returns false.
func addProductVector(instructions, []int64, []int16, []int16, IntShape, [2]int) bool { return false }

// addGramVector does nothing here and returns false.
func addGramVector(instructions, []int64, []int16, IntShape) bool { return false }
