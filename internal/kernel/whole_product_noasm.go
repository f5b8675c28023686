//go:build !amd64 || noasm

package kernel

// addProductVector does nothing here, and says so.
func addProductVector(instructions, []int64, []int16, []int16, IntShape, [2]int) bool { return false }

// addGramVector does nothing here, and says so.
func addGramVector(instructions, []int64, []int16, IntShape) bool { return false }
