//go:build !amd64 || noasm

package kernel

func margins[T Entry](_ instructions, dst []float32, x []T, dim int, w []float32, columns int) {
	marginsPortable(dst, x, dim, w, columns)
}

func marginsBits(_ instructions, dst []float32, x []uint64, dim int, w []float32, columns int) {
	marginsBitsPortable(dst, x, dim, w, columns)
}

func addWhole[T IntEntry](_ instructions, dst []float64, x []T, dim int, q []float64, columns int) {
	addWholePortable(dst, x, dim, q, columns)
}

func addWholeBits(_ instructions, dst []float64, x []uint64, dim int, q []float64, columns int) {
	addWholeBitsPortable(dst, x, dim, q, columns)
}

func addScaledRows[T Entry](_ instructions, dst []float32, x []T, dim int, r []float32, columns int) {
	addScaledRowsPortable(dst, x, dim, r, columns)
}

// largestWhole does nothing of MaxAbs here and returns 0.
func largestWhole(instructions, []float64) (most uint64, done int) { return 0, 0 }

// flushWhole does nothing of FlushInt here and returns 0.
func flushWhole(instructions, []int64, []float64) (done int) { return 0 }

// addColumnLimbs does nothing here and returns 0.
func addColumnLimbs[T IntEntry](_ instructions, _ []float64, _ []T, _ int, _ []float64, _ int) (done int) {
	return 0
}
