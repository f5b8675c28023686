//go:build amd64 && !noasm

package linalg

// readSingles returns a sum of some of the numbers, having read all but the last 127.
func readSingles(x []float32) float32 {
	if rowsAvailable == avx512 && len(x) >= 128 {
		return readSinglesAVX512(&x[0], len(x)&^127)
	}
	return readSinglesPortable(x)
}
