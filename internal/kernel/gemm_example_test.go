package kernel_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// A layer of two outputs over three inputs: the forward pass of two records, and the gradient
// by the weights, which is added to what is there.
func ExampleGemm() {
	x := kernel.NewMatrix([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	weights := kernel.NewMatrix([]float32{1, 0, -1, 0.5, 0.5, 0.5}, 2, 3)
	y := kernel.NewMatrix(make([]float32, 4), 2, 2)
	kernel.Gemm(y, 1, x, weights.Transposed(), 0)
	fmt.Println(y.Data)

	gradient := kernel.NewMatrix([]float32{100, 100, 100, 100, 100, 100}, 2, 3)
	kernel.Gemm(gradient, 1, y.Transposed(), x, 1)
	fmt.Println(gradient.Data)
	// Output:
	// [-2 3 -2 7.5]
	// [90 86 82 133 143.5 154]
}
