package kernel

// The next functions work on one number of each of many records. An entry of dst depends on the
// entries of its own record only, and has the same bits on every processor and in every build. dst
// may be one of the other slices, and must not overlap them otherwise. The calls panic, and write
// nothing, unless all slices have one length.

// LessLabels writes p[i] - labels[i] in float64 to dst. It writes 0 for a NaN label.
func LessLabels(dst []float64, p, labels []float32) {
	sameLengths(len(dst), len(p), len(labels), len(dst))
	done := lessLabelsVector(available, dst, p, labels)
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
	done := multiplyVector(available, dst, a, b)
	for i := done; i < len(dst); i++ {
		dst[i] = a[i] * b[i]
	}
}

// sameLengths panics unless all lengths are equal.
func sameLengths(a, b, c, d int) {
	if a != b || a != c || a != d {
		panic("kernel: the slices are not of one length")
	}
}

// Transpose writes src, of shape [rows, columns] and row-major, to dst column after column. The
// call panics, and writes nothing, unless both have rows·columns entries. They must not overlap.
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
