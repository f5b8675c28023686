package release

import "fmt"

// Scaled returns the released numbers, with each number multiplied by the factor in by at the same
// index. It panics if by has another length.
func (n Noisy) Scaled(by []float64) Noisy {
	if len(by) != len(n.values) {
		panic(fmt.Sprintf("release: Scaled: %d factors for %d numbers", len(by), len(n.values)))
	}
	values := make([]float64, len(by))
	for j, v := range n.values {
		values[j] = v * by[j]
	}
	return Noisy{values}
}
