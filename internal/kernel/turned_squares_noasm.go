//go:build !amd64 || noasm

package kernel

// squaresVector is never called here: no matrix has panels.
func (t *Turn) squaresVector([]float64, []int32, []int16, []float64) {}
