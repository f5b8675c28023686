package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// turnShapes are shapes with and without whole groups of columns.
var turnShapes = [][2]int{{0, 0}, {0, 5}, {3, 0}, {1, 1}, {5, 15}, {4, 16}, {7, 31}, {3, 32}, {9, 33}, {6, 100}}

// shorts returns entries of all magnitudes, the ends of the range among them.
func shorts(r *rand.Rand, n int) []int16 {
	x := make([]int16, n)
	for j := range x {
		if x[j] = int16(r.IntN(1 << 16)); r.IntN(4) == 0 {
			x[j] = extremeEntries[r.IntN(len(extremeEntries))]
		}
	}
	return x
}

// TestMulInt compares every set of instructions with sums modulo 2^64.
func TestMulInt(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(12, 1))
		for _, shape := range turnShapes {
			rows, n := shape[0], shape[1]
			matrix, v, got, want := shorts(r, rows*n), make([]int64, n), make([]int64, rows), make([]int64, rows)
			for j := range v {
				v[j] = int64(r.Uint64()) >> r.IntN(64)
				for i := range want {
					want[i] += int64(matrix[i*n+j]) * v[j]
				}
			}
			for i := range got {
				got[i] = 7 // is written over
			}
			if turnWhole(set, got, matrix, v); !slices.Equal(got, want) {
				t.Fatalf("%d × %d: got %v, want %v", rows, n, got, want)
			}
		}
	})
}

// TestTurnBack compares every set of instructions with the definition, bit by bit.
func TestTurnBack(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(12, 2))
		for _, shape := range turnShapes {
			rows, n := shape[0], shape[1]
			matrix, w, got, want := shorts(r, rows*n), make([]float64, rows), make([]float32, n), make([]float32, n)
			for i := range w {
				w[i] = r.NormFloat64()
			}
			for j := range want {
				sum := 0.0
				for i, v := range w {
					sum += float64(float32(v)) * float64(matrix[i*n+j])
				}
				got[j], want[j] = 7, float32(sum)
			}
			if turnBack(set, got, matrix, w); !slices.Equal(got, want) {
				t.Fatalf("%d × %d: got %v, want %v", rows, n, got, want)
			}
		}
	})
}

// TestTurnsOfOtherShapesPanic holds that nothing is written where shapes do not fit.
func TestTurnsOfOtherShapesPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"TurnWhole": func() { MulInt(make([]int64, 2), make([]int16, 5), make([]int64, 3)) },
		"TurnBack":  func() { MulIntT(make([]float32, 2), make([]int16, 5), make([]float64, 3)) },
		"NewTurn":   func() { NewTurn(make([]int16, 5), make([]float64, 2), 1) },
		"rows": func() {
			NewTurn(make([]int16, 4), make([]float64, 2), 1).Squares(make([]float64, 2), make([]int32, 32), make([]int16, 3), make([]float64, 2))
		},
		"factors": func() {
			NewTurn(make([]int16, 4), make([]float64, 2), 1).Squares(make([]float64, 2), make([]int32, 32), make([]int16, 4), make([]float64, 1))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes lengths that do not fit", name)
				}
			}()
			call()
		}()
	}
}
