//go:build !amd64 || noasm

package kernel

func rotateVector(_ instructions, _ []float64, _ []Rotation) bool { return false }
