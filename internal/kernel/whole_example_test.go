package kernel_test

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// The gradient of a layer's weights is a sum of outer products, over records, of the derivatives by its outputs and
// of its arguments. Rounded to integers first, it is exact.
func ExampleAddProductInt() {
	arguments := []float32{0.5, -1, 0.25, 0.125, 1, 0.5}
	derivatives := []float32{0.75, -0.25, 0.5, 0.5}

	const limit, rows = 255, 2
	a, b := make([]int16, len(arguments)), make([]int16, len(derivatives))
	scale := limit / kernel.Largest(arguments)
	if !kernel.RoundInt(a, arguments, scale, limit) || !kernel.RoundInt(b, derivatives, 1000, limit*100) {
		fmt.Println("a number is infinite or none")
		return
	}
	sum := make([]int64, 2*3)
	kernel.AddProductInt(sum, a, b, kernel.IntShape{Rows: rows, Left: 3, Right: 2, Group: 256})
	fmt.Println(a)
	fmt.Println(b)
	fmt.Println(sum[:3])
	fmt.Println(sum[3:])
	// Output:
	// [128 -255 64 32 255 128]
	// [750 -250 500 500]
	// [112000 -63750 112000]
	// [-16000 191250 48000]
}
