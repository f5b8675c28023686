//go:build amd64 && !noasm

package kernel

// readSingles reads all numbers, adds all but the last 127 up with vectors, and returns a sum of some.
func readSingles(x []float32) float32 {
	switch n := len(x) &^ 127; {
	case available == portable || n == 0:
		return readSinglesPortable(x)
	case available == avx2:
		return readSinglesAVX2(&x[0], n)
	default:
		return readSinglesAVX512(&x[0], n)
	}
}
