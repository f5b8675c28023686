package kernel_test

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Two rows of three scores become probabilities, in place.
func ExampleSoftmax() {
	scores := []float32{0, 0, 0, 0, math.Ln2, float32(math.Inf(-1))}
	kernel.Softmax(scores, scores, 3)
	fmt.Printf("%.4f\n", scores)
	// Output: [0.3333 0.3333 0.3333 0.3333 0.6667 0.0000]
}

func ExampleSigmoid() {
	margins := []float32{-1000, 0, 2}
	kernel.Sigmoid(margins, margins)
	fmt.Printf("%.4f\n", margins)
	// Output: [0.0000 0.5000 0.8808]
}
