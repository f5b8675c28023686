//go:build !amd64 || noasm

package kernel

func turnVector(_ instructions, _ []int64, _ []int16, _ []int64) int { return 0 }

func turnBackVector(_ instructions, _ []float32, _ []int16, _ []float64) int { return 0 }
