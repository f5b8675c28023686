package linalg

import "fmt"

// TurnWhole writes the product of a matrix of whole numbers, of shape len(dst) × len(v), row after row, with the vector v
// to dst, modulo 2^64. The call panics, and writes nothing, when the matrix is not of that shape. dst must not overlap v.
func TurnWhole(dst []int64, matrix []int16, v []int64) {
	checkTurn("TurnWhole", len(matrix), len(dst), len(v))
	turnWhole(available, dst, matrix, v)
}

// turnWhole is TurnWhole with a set of instructions that the processor has.
func turnWhole(set instructions, dst []int64, matrix []int16, v []int64) {
	n := len(v)
	clear(dst)
	done := turnVector(set, dst, matrix, v)
	if done == n {
		return
	}
	for i := range dst {
		sum := dst[i]
		for j, m := range matrix[i*n+done : (i+1)*n] {
			sum += int64(m) * v[done+j]
		}
		dst[i] = sum
	}
}

// TurnBack writes the product of the transpose of a matrix of whole numbers, of shape len(w) × len(dst), row after row, with
// the vector w to dst. Entries of w are rounded to float32 first; then products are exact, and are added in float64 in
// ascending order, and the sum is rounded to float32: the result has the same bits on every processor and in every
// build. The call panics, and writes nothing, when the matrix is not of that shape.
func TurnBack(dst []float32, matrix []int16, w []float64) {
	checkTurn("TurnBack", len(matrix), len(w), len(dst))
	turnBack(available, dst, matrix, w)
}

// turnBack is TurnBack with a set of instructions that the processor has.
func turnBack(set instructions, dst []float32, matrix []int16, w []float64) {
	short := make([]float64, len(w))
	for i, v := range w {
		short[i] = float64(float32(v))
	}
	done := turnBackVector(set, dst, matrix, short)
	if done == len(dst) {
		return
	}
	sums := make([]float64, len(dst)-done)
	for i, v := range short {
		for j, m := range matrix[i*len(dst)+done : (i+1)*len(dst)] {
			sums[j] += v * float64(m) // exact, fused or not
		}
	}
	for j, v := range sums {
		dst[done+j] = float32(v)
	}
}

func checkTurn(name string, matrix, rows, columns int) {
	if matrix != rows*columns {
		panic(fmt.Sprintf("linalg: %s: matrix has %d entries, want %d × %d", name, matrix, rows, columns))
	}
}

// movedLanes is how many partial sums MovedSquares has: that of entry j is the one of j modulo movedLanes.
const movedLanes = 32

// MovedSquares returns Σ (scale·x[j] - factor·center[j])². Where scale is a power of two, products and differences are whole
// numbers below 2^53 and x is too, all but the squares and their sums is exact, and for n entries the result errs by less than
// (n+2)·2^-52 of itself. It has the same bits on every processor and in every build. x and center must have one length; the call panics
// when they have not.
func MovedSquares(x []int64, center []float64, scale, factor float64) float64 {
	if len(center) != len(x) {
		panic(fmt.Sprintf("linalg: MovedSquares: lengths are %d and %d, want one", len(x), len(center)))
	}
	return movedSquares(available, x, center, scale, factor)
}

// movedSquares is MovedSquares with a set of instructions that the processor has.
func movedSquares(set instructions, x []int64, center []float64, scale, factor float64) float64 {
	var lanes [movedLanes]float64
	for j := movedVector(set, x, center, scale, factor, &lanes); j < len(x); j++ {
		y := float64(float64(x[j])*scale) - float64(center[j]*factor)
		lanes[j%movedLanes] += float64(y * y)
	}
	sum := 0.0
	for _, v := range lanes {
		sum += v
	}
	return sum
}
