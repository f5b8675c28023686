//go:build !amd64 || noasm

package kernel

func addRowsByMargin(set instructions, dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
	addRowsTwice(set, dst, x, dim, w, margins, factors, 0)
}
