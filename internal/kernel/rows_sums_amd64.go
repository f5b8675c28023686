//go:build amd64 && !noasm

package kernel

// sumGroup is the number of coordinates that a kernel of sums takes together. Sets without masks
// leave the coordinates after the last multiple of it.
const sumGroup = 8

// addWhole is AddInt with a set of instructions that the processor has; there is at
// least one row and one entry.
func addWhole[T IntEntry](set instructions, dst []float64, x []T, dim int, q []float64, columns int) {
	if set == portable {
		addWholePortable(dst, x, dim, q, columns)
		return
	}
	stride := strideOf[T](dim)
	most, limbs := blockRows(stride), mostLimbRows[T](set, dim)
	if limbs > 0 {
		most = min(most, limbs)
	}
	rows := len(q) / columns
	most = evenRows(rows, most)
	ahead := aheadOf(x, rows, most, stride)
	if limbs > 0 && columns >= spreadColumns {
		ahead = 0 // products prefetched it
	}
	for rows > 0 {
		n := min(rows, most)
		done := 0
		if limbs > 0 {
			done = addLimbs(dst, x, q, n, dim, columns, ahead)
		}
		if done < n {
			addWholeBlock(set, dst, x[done*dim:], q[done*columns:], n-done, dim, columns, stride, ahead)
		}
		if set == avx2 {
			addWholeFrom(dst, x, q[:n*columns], dim&^(sumGroup-1), dim, columns)
		}
		if rows -= n; rows > 0 {
			q, x = q[n*columns:], x[n*dim:]
		}
	}
}

// addWholeBlock adds the first rows.
func addWholeBlock[T IntEntry](set instructions, dst []float64, x []T, q []float64, rows, dim, columns, stride, ahead int) {
	mask := lowMask(dim, sumGroup)
	switch x := any(x).(type) {
	case []int16:
		if set >= avx512 {
			addWholeShortAVX512(&dst[0], &x[0], &q[0], rows, dim, columns, stride, ahead, mask)
		} else {
			addWholeShortAVX2(&dst[0], &x[0], &q[0], rows, dim, columns, stride, ahead, mask)
		}
	case []uint8:
		if set >= avx512 {
			addWholeByteAVX512(&dst[0], &x[0], &q[0], rows, dim, columns, stride, ahead, mask)
		} else {
			addWholeByteAVX2(&dst[0], &x[0], &q[0], rows, dim, columns, stride, ahead, mask)
		}
	}
}

// addWholeFrom adds the coordinates from a given one on.
func addWholeFrom[T IntEntry](dst []float64, x []T, q []float64, from, dim, columns int) {
	if from == dim {
		return
	}
	for i := range len(q) / columns {
		row := x[i*dim+from : (i+1)*dim]
		for k, c := range q[i*columns : (i+1)*columns] {
			sum := dst[k*dim+from : (k+1)*dim]
			for j, v := range row {
				sum[j] += c * float64(v)
			}
		}
	}
}

// addWholeBits is AddIntBits with a set of instructions that the processor has; there is
// at least one row and one entry.
func addWholeBits(set instructions, dst []float64, x []uint64, dim int, q []float64, columns int) {
	if set == portable {
		addWholeBitsPortable(dst, x, dim, q, columns)
		return
	}
	words := BitWords(dim)
	most := blockRows(8 * words)
	rows, mask := len(q)/columns, lowMask(dim, sumGroup)
	for ahead := aheadOf(x, rows, most, 8*words); rows > 0; {
		n := min(rows, most)
		if set >= avx512 {
			addWholeBitAVX512(&dst[0], &x[0], &q[0], n, dim, columns, 8*words, ahead, mask)
		} else {
			addWholeBitAVX2(&dst[0], &x[0], &q[0], n, dim, columns, 8*words, ahead, mask)
			addWholeBitsFrom(dst, x, q[:n*columns], dim&^(sumGroup-1), dim, columns)
		}
		if rows -= n; rows > 0 {
			q, x = q[n*columns:], x[n*words:]
		}
	}
}

// addWholeBitsFrom adds the coordinates from a given one on, which are all in the last word of a
// row.
func addWholeBitsFrom(dst []float64, x []uint64, q []float64, from, dim, columns int) {
	if from == dim {
		return
	}
	words := BitWords(dim)
	for i := range len(q) / columns {
		last := x[(i+1)*words-1]
		for j := from; j < dim; j++ {
			if last>>(j%64)&1 == 1 {
				for k, c := range q[i*columns : (i+1)*columns] {
					dst[k*dim+j] += c
				}
			}
		}
	}
}

// flushWhole is FlushInt with a set of instructions that the processor has, for the first entries.
// It returns their number.
func flushWhole(set instructions, dst []int64, src []float64) (done int) {
	if set >= avx512 && len(src) >= sumGroup {
		done = len(src) &^ (sumGroup - 1)
		flushWholeAVX512(&dst[0], &src[0], done)
	}
	return done
}

// largestWhole returns the bits of the largest magnitude of the first numbers, and their number.
func largestWhole(set instructions, q []float64) (most uint64, done int) {
	if set >= avx512 && len(q) >= sumGroup {
		done = len(q) &^ (sumGroup - 1)
		most = largestWholeAVX512(&q[0], done)
	}
	return most, done
}

// largestWholeAVX512 takes a positive multiple of 8 numbers.
//
//go:noescape
func largestWholeAVX512(src *float64, n int) uint64

// flushWholeAVX512 computes a positive multiple of 8 entries.
//
//go:noescape
func flushWholeAVX512(dst *int64, src *float64, n int)

// The next functions add rows that are stride bytes apart, at least one row, one entry and one
// column. Bit j of mask is set for each entry j of the last dim%8. While a row is added, the memory
// ahead bytes after it is prefetched.

//go:noescape
func addWholeShortAVX512(dst *float64, x *int16, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addWholeByteAVX512(dst *float64, x *uint8, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addWholeBitAVX512(dst *float64, x *uint64, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)

// The next functions do the same, except for the last dim%8 entries, which they leave.

//go:noescape
func addWholeShortAVX2(dst *float64, x *int16, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addWholeByteAVX2(dst *float64, x *uint8, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addWholeBitAVX2(dst *float64, x *uint64, factors *float64, rows, dim, columns, stride, ahead int, mask uint64)
