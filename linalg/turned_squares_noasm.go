//go:build !amd64 || noasm

package linalg

// hasTurned says that no kernel measures rows by panels of a matrix here.
const hasTurned = false

func (t *Turn) squaresVector([]float64, []int16, []float64) {}
