//go:build !amd64 || noasm

package kernel

// dotVector does nothing of the sum here, and says so.
func dotVector[T IntEntry](instructions, []T, []int16) (sum int64, done int) { return 0, 0 }

// squareVector does nothing of the sum here, and says so.
func squareVector[T IntEntry](instructions, []T) (sum int64, done int) { return 0, 0 }

// dotRowsVector does none of the rows here, and says so.
func dotRowsVector[T IntEntry](instructions, []int64, []T, []int16) (done int) { return 0 }

// squareRowsVector does none of the rows here, and says so.
func squareRowsVector[T IntEntry](instructions, []int64, []T, int) (done int) { return 0 }
