//go:build !amd64 || noasm

package kernel

func rowProductsVector(_ instructions, _, _ []float64, _ int, _ []float64) (rows, columns int) {
	return 0, 0
}

func addRowProductsVector(_ instructions, _, _ []float64, _ int, _ []float64) int { return 0 }
