//go:build !amd64 || noasm

package kernel

// readSingles returns the sum of the numbers.
func readSingles(x []float32) float32 { return readSinglesPortable(x) }
