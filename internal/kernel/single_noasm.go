//go:build !amd64 || noasm

package kernel

func moveVector(_ instructions, _ []float32, _ []int16, _ float32, _ []float32, _ *[singleLanes]float64) int {
	return 0
}

func singleVector(_ instructions, _ []float32, _ []int64, _ *[singleLanes]float64) int { return 0 }

func largestShortVector(_ instructions, _ []int16) (most, done int) { return 0, 0 }
