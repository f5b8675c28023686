//go:build amd64 && !noasm

package kernel

// recordGroup is the number of records that the kernels below take together. Portable code takes
// the rest.
const recordGroup = 16

// recordsOf returns how many of n records the kernels of a set take.
func recordsOf(set instructions, n int) int {
	if set >= avx512 {
		return n &^ (recordGroup - 1)
	}
	return 0
}

// lessLabelsVector is LessLabels for the first records. It returns their number.
func lessLabelsVector(set instructions, dst []float64, p, labels []float32) (done int) {
	if done = recordsOf(set, len(dst)); done > 0 {
		lessLabelsAVX512(&dst[0], &p[0], &labels[0], done)
	}
	return done
}

// multiplyVector is Multiply for the first records. It returns their number.
func multiplyVector(set instructions, dst, a, b []float32) (done int) {
	if done = recordsOf(set, len(dst)); done > 0 {
		multiplyAVX512(&dst[0], &a[0], &b[0], done)
	}
	return done
}

// The kernels take a positive multiple of 16 records.
//
//go:noescape
func lessLabelsAVX512(dst *float64, p, labels *float32, n int)

//go:noescape
func multiplyAVX512(dst, a, b *float32, n int)
