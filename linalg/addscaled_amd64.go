//go:build amd64 && !noasm

package linalg

import "golang.org/x/sys/cpu"

// available is the set that AddScaled and AddScaled4 use: the best that the processor
// has and the operating system saves. It is found once and never changes.
var available = detect()

func detect() instructions {
	switch {
	case cpu.X86.HasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ:
		return avx512
	case cpu.X86.HasAVX2:
		return avx2
	}
	return portable
}

// addScaledVector does the first entries of the sum, in whole vectors, and returns how
// many they are. dst is as long as x.
func addScaledVector(set instructions, dst []int64, c int64, x []int16) (done int) {
	switch {
	case set == avx512 && len(x) >= 8:
		done = len(x) &^ 7
		addScaledAVX512(&dst[0], c, &x[0], done)
	case set == avx2 && len(x) >= 4:
		done = len(x) &^ 3
		addScaledAVX2(&dst[0], c, &x[0], done)
	}
	return done
}

// addScaled4Vector is addScaledVector for four rows of one length.
func addScaled4Vector(set instructions, dst []int64, c *[4]int64, x0, x1, x2, x3 []int16) (done int) {
	switch {
	case set == avx512 && len(x0) >= 8:
		done = len(x0) &^ 7
		addScaled4AVX512(&dst[0], c, &x0[0], &x1[0], &x2[0], &x3[0], done)
	case set == avx2 && len(x0) >= 4:
		done = len(x0) &^ 3
		addScaled4AVX2(&dst[0], c, &x0[0], &x1[0], &x2[0], &x3[0], done)
	}
	return done
}

// addScaledAVX512 adds c·x to dst. n is a positive multiple of 8.
//
//go:noescape
func addScaledAVX512(dst *int64, c int64, x *int16, n int)

// addScaled4AVX512 adds Σ c[k]·xk to dst. n is a positive multiple of 8.
//
//go:noescape
func addScaled4AVX512(dst *int64, c *[4]int64, x0, x1, x2, x3 *int16, n int)

// addScaledAVX2 adds c·x to dst. n is a positive multiple of 4.
//
//go:noescape
func addScaledAVX2(dst *int64, c int64, x *int16, n int)

// addScaled4AVX2 adds Σ c[k]·xk to dst. n is a positive multiple of 4.
//
//go:noescape
func addScaled4AVX2(dst *int64, c *[4]int64, x0, x1, x2, x3 *int16, n int)
