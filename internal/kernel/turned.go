package kernel

import "fmt"

// MulInt writes the product of a matrix of integers with the vector v to dst, modulo 2^64. The
// matrix has shape len(dst) × len(v), row after row. The call panics, and writes nothing, if the
// matrix has another shape. dst must not overlap v.
func MulInt(dst []int64, matrix []int16, v []int64) {
	checkTurn("TurnWhole", len(matrix), len(dst), len(v))
	turnWhole(available, dst, matrix, v)
}

// turnWhole is MulInt with a set of instructions that the processor has.
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

// MulIntT writes the product of the transpose of a matrix of integers with the vector w to dst. The
// matrix has shape len(w) × len(dst), row after row. Entries of w are rounded to float32 first.
// Products are then exact and are added in float64 in ascending order, and the sum is rounded to
// float32. The result has the same bits on every processor and in every build. The call panics, and
// writes nothing, if the matrix has another shape.
func MulIntT(dst []float32, matrix []int16, w []float64) {
	checkTurn("TurnBack", len(matrix), len(w), len(dst))
	turnBack(available, dst, matrix, w)
}

// turnBack is MulIntT with a set of instructions that the processor has.
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
		panic(fmt.Sprintf("kernel: %s: matrix has %d entries, want %d × %d", name, matrix, rows, columns))
	}
}
