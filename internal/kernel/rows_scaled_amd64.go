//go:build amd64 && !noasm

package kernel

// addScaledRows is AddScaledRows with a set of instructions that the processor has; there
// is at least one row and one entry.
func addScaledRows[T Entry](set instructions, dst []float32, x []T, dim int, r []float32, columns int) {
	if set == portable {
		addScaledRowsPortable(dst, x, dim, r, columns)
		return
	}
	stride := strideOf[T](dim)
	most := blockRows(stride)
	rows := len(r) / columns
	for ahead := aheadOf(x, rows, most, stride); rows > 0; {
		n := min(rows, most)
		if set >= avx512 {
			addScaledRowsAVX512(dst, x, r, n, dim, columns, stride, ahead)
		} else {
			addScaledRowsAVX2(dst, x, r, n, dim, columns, stride, ahead)
			addScaledRowsFrom(dst, x, r[:n*columns], dim&^(sumGroup-1), dim, columns)
		}
		if rows -= n; rows > 0 {
			r, x = r[n*columns:], x[n*dim:]
		}
	}
}

// addScaledRowsAVX512 adds the first rows.
func addScaledRowsAVX512[T Entry](dst []float32, x []T, r []float32, rows, dim, columns, stride, ahead int) {
	mask := lowMask(dim, lanes)
	switch x := any(x).(type) {
	case []float32:
		addScaledRowsSingleAVX512(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, mask)
	case []int16:
		addScaledRowsShortAVX512(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, mask)
	case []uint8:
		addScaledRowsByteAVX512(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, mask)
	}
}

// addScaledRowsAVX2 adds the first dim-dim%8 coordinates of the first rows.
func addScaledRowsAVX2[T Entry](dst []float32, x []T, r []float32, rows, dim, columns, stride, ahead int) {
	switch x := any(x).(type) {
	case []float32:
		addScaledRowsSingleAVX2(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, 0)
	case []int16:
		addScaledRowsShortAVX2(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, 0)
	case []uint8:
		addScaledRowsByteAVX2(&dst[0], &x[0], &r[0], rows, dim, columns, stride, ahead, 0)
	}
}

// addScaledRowsFrom adds the coordinates from a given one on.
func addScaledRowsFrom[T Entry](dst []float32, x []T, r []float32, from, dim, columns int) {
	if from == dim {
		return
	}
	for i := range len(r) / columns {
		row := x[i*dim+from : (i+1)*dim]
		for k, c := range r[i*columns : (i+1)*columns] {
			sum := dst[k*dim+from : (k+1)*dim]
			for j, v := range row {
				sum[j] += c * float32(v)
			}
		}
	}
}

// The next functions add rows as the kernels of AddInt do; mask is for the last dim%16.

//go:noescape
func addScaledRowsSingleAVX512(dst *float32, x *float32, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addScaledRowsShortAVX512(dst *float32, x *int16, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addScaledRowsByteAVX512(dst *float32, x *uint8, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)

// The next functions do the same, except for the last dim%8 entries, which they leave.

//go:noescape
func addScaledRowsSingleAVX2(dst *float32, x *float32, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addScaledRowsShortAVX2(dst *float32, x *int16, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func addScaledRowsByteAVX2(dst *float32, x *uint8, factors *float32, rows, dim, columns, stride, ahead int, mask uint64)
