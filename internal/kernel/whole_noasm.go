//go:build !amd64 || noasm

package kernel

// dotVector does nothing of the sum here and returns 0.
func dotVector[T IntEntry](instructions, []T, []int16) (sum int64, done int) { return 0, 0 }

// squareVector does nothing of the sum here and returns 0.
func squareVector[T IntEntry](instructions, []T) (sum int64, done int) { return 0, 0 }

// dotRowsVector computes none of the rows here and returns 0.
func dotRowsVector[T IntEntry](instructions, []int64, []T, []int16) (done int) { return 0 }

// squareRowsVector computes none of the rows here and returns 0.
func squareRowsVector[T IntEntry](instructions, []int64, []T, int) (done int) { return 0 }
