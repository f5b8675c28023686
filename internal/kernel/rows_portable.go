package kernel

import "math/bits"

// The next functions are the definition that the other kernels are tested against. They run if
// there is no other kernel.

// marginsPortable is Margins; there is at least one row.
func marginsPortable[T Entry](dst []float32, x []T, dim int, w []float32, columns int) {
	for i := range len(dst) / columns {
		row := x[i*dim : (i+1)*dim]
		for k := range columns {
			dst[i*columns+k] = marginPortable(row, w[k*dim:(k+1)*dim])
		}
	}
}

// marginPortable returns the product of a row and a column. Four partial sums at a time stay in
// registers.
func marginPortable[T Entry](x []T, w []float32) float32 {
	w = w[:len(x)]
	var sums [lanes]float32
	for l := 0; l < lanes; l += 4 {
		var s0, s1, s2, s3 float32
		j := l
		for ; j+3 < len(x); j += lanes {
			s0 += float32(float32(x[j]) * w[j])
			s1 += float32(float32(x[j+1]) * w[j+1])
			s2 += float32(float32(x[j+2]) * w[j+2])
			s3 += float32(float32(x[j+3]) * w[j+3])
		}
		sums[l], sums[l+1], sums[l+2], sums[l+3] = s0, s1, s2, s3
		for ; j < len(x) && j%lanes < l+4; j++ {
			sums[j%lanes] += float32(float32(x[j]) * w[j])
		}
	}
	return sumLanes(&sums)
}

// sumLanes returns the sum of the partial sums.
func sumLanes(s *[lanes]float32) float32 {
	for width := lanes / 2; width > 0; width /= 2 {
		for l := range width {
			s[l] += s[l+width]
		}
	}
	return s[0]
}

// marginsBitsPortable is MarginsBits; there is at least one row.
func marginsBitsPortable(dst []float32, x []uint64, dim int, w []float32, columns int) {
	words := BitWords(dim)
	for i := range len(dst) / columns {
		row := x[i*words : (i+1)*words]
		for k := range columns {
			var sums [lanes]float32
			column := w[k*dim : (k+1)*dim]
			for at, word := range row {
				for word = withinRow(word, at, dim); word != 0; word &= word - 1 {
					j := 64*at + bits.TrailingZeros64(word)
					sums[j%lanes] += column[j]
				}
			}
			dst[i*columns+k] = sumLanes(&sums)
		}
	}
}

// withinRow clears the bits beyond dim in word number at of a row.
func withinRow(word uint64, at, dim int) uint64 {
	if left := dim - 64*at; left < 64 {
		word &= 1<<left - 1
	}
	return word
}

// addWholePortable is AddInt; there is at least one row and one entry.
func addWholePortable[T IntEntry](dst []float64, x []T, dim int, q []float64, columns int) {
	rows := len(q) / columns
	for k := range columns {
		sum := dst[k*dim : (k+1)*dim]
		i := 0
		for ; i+4 <= rows; i += 4 {
			addWhole4Portable(sum, x[i*dim:(i+4)*dim], q[i*columns+k], q[(i+1)*columns+k], q[(i+2)*columns+k], q[(i+3)*columns+k])
		}
		for ; i < rows; i++ {
			c := q[i*columns+k]
			for j, v := range x[i*dim : (i+1)*dim] {
				sum[j] += c * float64(v)
			}
		}
	}
}

// addWhole4Portable adds four rows, so that dst is loaded and stored once.
func addWhole4Portable[T IntEntry](dst []float64, x []T, q0, q1, q2, q3 float64) {
	dim := len(dst)
	x0, x1, x2, x3 := x[:dim], x[dim:2*dim], x[2*dim:3*dim], x[3*dim:4*dim]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	dst = dst[:len(x0)]
	for j, v := range x0 {
		dst[j] += (q0*float64(v) + q1*float64(x1[j])) + (q2*float64(x2[j]) + q3*float64(x3[j]))
	}
}

// addWholeBitsPortable is AddIntBits; there is at least one row and one entry.
func addWholeBitsPortable(dst []float64, x []uint64, dim int, q []float64, columns int) {
	words := BitWords(dim)
	for i := range len(q) / columns {
		row := x[i*words : (i+1)*words]
		for k, c := range q[i*columns : (i+1)*columns] {
			sum := dst[k*dim : (k+1)*dim]
			for at, word := range row {
				for word = withinRow(word, at, dim); word != 0; word &= word - 1 {
					sum[64*at+bits.TrailingZeros64(word)] += c
				}
			}
		}
	}
}

// addScaledRowsPortable is AddScaledRows; there is at least one row and one entry.
func addScaledRowsPortable[T Entry](dst []float32, x []T, dim int, r []float32, columns int) {
	for i := range len(r) / columns {
		row := x[i*dim : (i+1)*dim]
		for k, c := range r[i*columns : (i+1)*columns] {
			sum := dst[k*dim : (k+1)*dim]
			for j, v := range row {
				sum[j] += c * float32(v)
			}
		}
	}
}

// flushWholePortable is FlushInt for slices of one length.
func flushWholePortable(dst []int64, src []float64) {
	for j, v := range src {
		dst[j] += int64(v)
		src[j] = 0
	}
}
