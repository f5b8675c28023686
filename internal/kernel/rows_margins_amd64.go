//go:build amd64 && !noasm

package kernel

// margins is Margins with a set of instructions that the processor has; there is at
// least one row.
func margins[T Entry](set instructions, dst []float32, x []T, dim int, w []float32, columns int) {
	if set == portable || dim == 0 {
		marginsPortable(dst, x, dim, w, columns)
		return
	}
	stride, most := strideOf[T](dim), blockRows(strideOf[T](dim))
	if set == avx2 {
		most = min(most, tailRows)
	}
	rows := len(dst) / columns
	for ahead := aheadOf(x, rows, most, stride); rows > 0; {
		n := min(rows, most)
		if set >= avx512 {
			marginsAVX512(dst, x, w, n, dim, columns, stride, ahead)
		} else {
			marginsAVX2(dst, x, w, n, dim, columns, stride, ahead)
		}
		if rows -= n; rows > 0 {
			dst, x = dst[n*columns:], x[n*dim:]
		}
	}
}

// marginsAVX512 computes the products of the first rows.
func marginsAVX512[T Entry](dst []float32, x []T, w []float32, rows, dim, columns, stride, ahead int) {
	mask := lowMask(dim, lanes)
	switch x := any(x).(type) {
	case []float32:
		marginsSingleAVX512(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask)
	case []int16:
		marginsShortAVX512(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask)
	case []uint8:
		marginsByteAVX512(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask)
	}
}

// tailRows and tailColumns bound the tails of rows and columns on the stack.
const tailRows, tailColumns = 64, 32

// marginsAVX2 computes the products of the first rows, at most tailRows. Its instructions cannot
// load a part of a register, so they read copies of the tails of rows and columns, filled with
// zeros. A product of zeros is +0 and leaves every partial sum unchanged, because none is -0: it
// starts at +0, and a sum is -0 only if both its terms are.
func marginsAVX2[T Entry](dst []float32, x []T, w []float32, rows, dim, columns, stride, ahead int) {
	var xTails [lanes * tailRows]T
	var room [lanes * tailColumns]float32
	wTails := weightTails(room[:], w, columns, dim)
	mask := lowMask(dim, lanes)
	if mask != 0 {
		copyTails(xTails[:], x, rows, dim)
	}
	switch x := any(x).(type) {
	case []float32:
		tails := any(&xTails).(*[lanes * tailRows]float32)
		marginsSingleAVX2(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask, &tails[0], &wTails[0])
	case []int16:
		tails := any(&xTails).(*[lanes * tailRows]int16)
		marginsShortAVX2(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask, &tails[0], &wTails[0])
	case []uint8:
		tails := any(&xTails).(*[lanes * tailRows]uint8)
		marginsByteAVX2(&dst[0], &x[0], &w[0], rows, dim, columns, stride, ahead, mask, &tails[0], &wTails[0])
	}
}

// weightTails returns the tails of the columns, in room, which is all zeros, if they fit.
func weightTails(room, w []float32, columns, dim int) []float32 {
	if dim%lanes == 0 {
		return room
	}
	if columns > tailColumns {
		room = make([]float32, lanes*columns)
	}
	copyTails(room, w, columns, dim)
	return room
}

// copyTails copies the last dim%16 entries of each row to the start of each 16 of dst.
func copyTails[T Entry](dst, x []T, rows, dim int) {
	for i := range rows {
		copy(dst[i*lanes:(i+1)*lanes], x[i*dim+dim/lanes*lanes:(i+1)*dim])
	}
}

// marginsBits is MarginsBits with a set of instructions that the processor has. There is at least
// one row. The comments on margins also apply to a block of bits.
func marginsBits(set instructions, dst []float32, x []uint64, dim int, w []float32, columns int) {
	if set == portable || dim == 0 {
		marginsBitsPortable(dst, x, dim, w, columns)
		return
	}
	words := BitWords(dim)
	mask, most := lowMask(dim, lanes), blockRows(8*words)
	var room [lanes * tailColumns]float32
	tails := room[:]
	if set == avx2 {
		tails = weightTails(tails, w, columns, dim)
	}
	rows := len(dst) / columns
	for ahead := aheadOf(x, rows, most, 8*words); rows > 0; {
		n := min(rows, most)
		if set >= avx512 {
			marginsBitAVX512(&dst[0], &x[0], &w[0], n, dim, columns, 8*words, ahead, mask)
		} else {
			marginsBitAVX2(&dst[0], &x[0], &w[0], n, dim, columns, 8*words, ahead, mask, nil, &tails[0])
		}
		if rows -= n; rows > 0 {
			dst, x = dst[n*columns:], x[n*words:]
		}
	}
}

// The next functions compute products of rows that are stride bytes apart, at least one row, one
// entry and one column. Bit j of mask is set for each entry j of the last dim%16. While a row is
// read, the memory ahead bytes after it may be prefetched.

//go:noescape
func marginsSingleAVX512(dst *float32, x *float32, w *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func marginsShortAVX512(dst *float32, x *int16, w *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func marginsByteAVX512(dst *float32, x *uint8, w *float32, rows, dim, columns, stride, ahead int, mask uint64)

//go:noescape
func marginsBitAVX512(dst *float32, x *uint64, w *float32, rows, dim, columns, stride, ahead int, mask uint64)

// The next functions do the same. xTail and wTail point to the last dim%16 entries of each row and
// column, 16 places apart and filled with zeros, if there are any. Rows of bits have no xTail.

//go:noescape
func marginsSingleAVX2(dst *float32, x *float32, w *float32, rows, dim, columns, stride, ahead int, mask uint64, xTail *float32, wTail *float32)

//go:noescape
func marginsShortAVX2(dst *float32, x *int16, w *float32, rows, dim, columns, stride, ahead int, mask uint64, xTail *int16, wTail *float32)

//go:noescape
func marginsByteAVX2(dst *float32, x *uint8, w *float32, rows, dim, columns, stride, ahead int, mask uint64, xTail *uint8, wTail *float32)

//go:noescape
func marginsBitAVX2(dst *float32, x *uint64, w *float32, rows, dim, columns, stride, ahead int, mask uint64, xTail *uint64, wTail *float32)
