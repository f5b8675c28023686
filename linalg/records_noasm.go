//go:build !amd64 || noasm

package linalg

// What follows does nothing here, and says so.

func roundWithinVector(instructions, []float64, []float64, []float64, []float64) (within bool, done int) {
	return true, 0
}

func divideByRootsVector(instructions, []float64, []int64, float64) (done int) { return 0 }

func lessLabelsVector(instructions, []float64, []float32, []float32) (done int) { return 0 }

func multiplyVector(instructions, []float32, []float32, []float32) (done int) { return 0 }
