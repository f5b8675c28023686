package kernel_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// The gradient of half the squared error of two rows: each row counts by how far its margin
// is from its label.
func ExampleAddRowsByMargin() {
	rows := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	weights, labels := []float32{1, 0, 1}, []float32{3, 12}
	gradient, errors := make([]float32, 3), make([]float32, 2)
	kernel.AddRowsByMargin(gradient, rows, 3, weights, errors, func(part []float32, first int) {
		for k := range part {
			part[k] -= labels[first+k]
		}
	})
	fmt.Println(errors, gradient)
	// Output: [1 -2] [-7 -8 -9]
}
