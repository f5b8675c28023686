//go:build !amd64 || noasm

package linalg

// available is the set that AddScaled and AddScaled4 use.
const available = portable

// addScaledVector does nothing of the sum here, and says so.
func addScaledVector(instructions, []int64, int64, []int16) (done int) { return 0 }

// addScaled4Vector does nothing of the sum here, and says so.
func addScaled4Vector(_ instructions, _ []int64, _ *[4]int64, _, _, _, _ []int16) (done int) {
	return 0
}
