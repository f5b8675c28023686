package linalg

import "math"

// What follows works on one number of each of many records. An entry of dst depends on the entries of its own number
// only, and has the same bits on every processor and in every build. dst may be one of the other slices, and must not
// overlap them otherwise. The calls panic, and write nothing, unless all slices have one length.

// RoundWithin writes the products v[i]·scale[i], rounded to float64 and then to the nearest whole number, the even one
// of two, to dst, and returns whether |dst[i]| ≤ most[i] holds for every i. It holds for no NaN.
//
// What is rounded is exact up to magnitudes of 2^51; of a larger product, dst has a whole number of magnitude at least
// 2^51, an infinity, or NaN. A zero in dst has no sign, since rounding adds 1.5·2^52 and takes it off.
func RoundWithin(dst, v, scale, most []float64) (within bool) {
	sameLengths(len(dst), len(v), len(scale), len(most))
	within, done := roundWithinVector(rowsAvailable, dst, v, scale, most)
	return roundWithinPortable(dst[done:], v[done:], scale[done:], most[done:]) && within
}

// roundWithinPortable is RoundWithin.
func roundWithinPortable(dst, v, scale, most []float64) (within bool) {
	const shift = 3 << 51 // floats beside it are 1 apart
	within = true
	v, scale, most = v[:len(dst)], scale[:len(dst)], most[:len(dst)]
	for i := range dst {
		f := float64(float64(v[i]*scale[i])+shift) - shift
		dst[i] = f
		if !(-most[i] <= f && f <= most[i]) {
			within = false
		}
	}
	return within
}

// DivideByRoots writes bound/√n2[i], made less by a part in 2^50 and rounded toward zero, to dst. Four roundings err by less
// than that, so that for n2[i] ≥ 1 and a finite bound of 0 or more dst[i] is a whole number of at most bound/√n2[i], and in
// most cases the largest. What is written for a smaller n2[i] has no meaning.
func DivideByRoots(dst []float64, n2 []int64, bound float64) {
	sameLengths(len(dst), len(n2), len(dst), len(dst))
	done := divideByRootsVector(rowsAvailable, dst, n2, bound)
	divideByRootsPortable(dst[done:], n2[done:], bound)
}

// divideByRootsPortable is DivideByRoots.
func divideByRootsPortable(dst []float64, n2 []int64, bound float64) {
	for i, v := range n2[:len(dst)] {
		dst[i] = math.Trunc(float64(bound/math.Sqrt(float64(v))) * (1 - 0x1p-50))
	}
}

// LessLabels writes p[i] - labels[i] in float64 to dst, and 0 where a label is NaN.
func LessLabels(dst []float64, p, labels []float32) {
	sameLengths(len(dst), len(p), len(labels), len(dst))
	done := lessLabelsVector(rowsAvailable, dst, p, labels)
	lessLabelsPortable(dst[done:], p[done:], labels[done:])
}

// lessLabelsPortable is LessLabels.
func lessLabelsPortable(dst []float64, p, labels []float32) {
	p, labels = p[:len(dst)], labels[:len(dst)]
	for i, label := range labels {
		dst[i] = 0
		if label == label {
			dst[i] = float64(p[i]) - float64(label)
		}
	}
}

// Multiply writes the products a[i]·b[i] to dst.
func Multiply(dst, a, b []float32) {
	sameLengths(len(dst), len(a), len(b), len(dst))
	done := multiplyVector(rowsAvailable, dst, a, b)
	for i := done; i < len(dst); i++ {
		dst[i] = a[i] * b[i]
	}
}

// sameLengths panics unless lengths are the same.
func sameLengths(a, b, c, d int) {
	if a != b || a != c || a != d {
		panic("linalg: the slices are not of one length")
	}
}

// Transpose writes src, of shape [rows, columns] and row-major, to dst column after column. The call panics, and writes
// nothing, unless both have rows·columns entries; they must not overlap.
func Transpose[T any](dst, src []T, rows, columns int) {
	wantLength("src", len(src), rows, columns)
	wantLength("dst", len(dst), rows, columns)
	for k := range columns {
		column := dst[k*rows : (k+1)*rows]
		for i := range column {
			column[i] = src[i*columns+k]
		}
	}
}
