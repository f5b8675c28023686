//go:build !amd64 || noasm

package kernel

// applyVector does nothing here and returns false.
func applyVector(instructions, function, []float32, []float32) bool { return false }

// softmaxVector does nothing here and returns false.
func softmaxVector(instructions, []float32, []float32, int) bool { return false }

// applyDoubleVector does nothing here and returns false.
func applyDoubleVector(instructions, function, []float64, []float64) bool { return false }
