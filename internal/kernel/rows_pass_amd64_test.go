//go:build amd64 && !noasm

package kernel

// passOnce goes through rows in one pass by parts of so many, where there are any.
func passOnce(set instructions, rows int) passes {
	if set == portable {
		return chosenPass(set)
	}
	return func(dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
		if len(margins) < rows || dim == 0 {
			addRowsTwice(set, dst, x, dim, w, margins, factors, 0)
			return
		}
		addRowsOnce(set, rows, dst, x, dim, w, margins, factors)
	}
}
