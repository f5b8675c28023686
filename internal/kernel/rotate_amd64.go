//go:build amd64 && !noasm

package kernel

// rotateVector computes all rotations, at least one, and reports whether the set has a kernel.
func rotateVector(set instructions, z []float64, rotations []Rotation) bool {
	if set < avx512 {
		return false
	}
	rotateRowsAVX512(&z[0], &rotations[0].C, len(rotations))
	return true
}

// rotateRowsAVX512 computes a positive number of rotations, each a cosine and a sine.
//
//go:noescape
func rotateRowsAVX512(z *float64, rotations *float64, n int)
