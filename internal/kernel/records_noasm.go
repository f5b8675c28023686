//go:build !amd64 || noasm

package kernel

// The next functions do nothing here and return 0.

func roundBoundedVector(instructions, []float64, []float64, []float64, []int64, float64, float64) (all bool, done int) {
	return true, 0
}

func shortenVector(instructions, []float64, []float64, float64) (done int) { return 0 }

func measureUnitsVector(instructions, []int64, []float32, []int32, UnitRows) (done int) { return 0 }

func rootsTimesVector(instructions, []float64, []int64, []float32) (done int) { return 0 }

func widenVector(instructions, []float64, []float32, float64) (done int) { return 0 }

func interceptScoresVector(instructions, []float32, []float32, []float32, float64, AffineTerms) (done int) {
	return 0
}

func dotRoundedVector(instructions, []float64, []int32) (sum int64, done int) { return 0, 0 }

func lessLabelsVector(instructions, []float64, []float32, []float32) (done int) { return 0 }

func multiplyVector(instructions, []float32, []float32, []float32) (done int) { return 0 }
