package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMoveInt compares every set of instructions with the definition, bit by bit, and sums of squares with sums in
// ascending order, whose rounding is far below the tolerance.
func TestMoveInt(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(11, 2))
		for n := range 70 {
			x, center, scale := make([]int16, n), make([]float32, n), float32(r.NormFloat64())
			got, want, square := make([]float32, n), make([]float32, n), 0.0
			for j := range x {
				x[j], center[j] = int16(r.IntN(1<<16)-1<<15), float32(1e4*r.NormFloat64())
				want[j] = float32(float32(x[j])*scale) - center[j]
				square += float64(want[j]) * float64(want[j])
			}
			sum := moveWhole(set, got, x, scale, center)
			if !slices.Equal(got, want) || math.Abs(sum-square) > 1e-12*square || sum != moveWhole(portable, got, x, scale, center) {
				t.Fatalf("%d entries: got %v and %v, want %v and %v", n, got, sum, want, square)
			}
			for j := range x {
				x[j] = 1
			}
			if sum = moveWhole(set, got, x, float32(math.Inf(1)), center); n > 0 && !math.IsInf(sum, 1) {
				t.Fatalf("%d entries and an infinite scale: got %v, want +Inf", n, sum)
			}
		}
	})
}

// TestSingleInt does so for numbers of all lengths.
func TestSingleInt(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(11, 3))
		for n := range 70 {
			x, got, want, square := make([]int64, n), make([]float32, n), make([]float32, n), 0.0
			for j := range x {
				x[j] = int64(r.Uint64()) >> r.IntN(64)
				want[j] = float32(x[j])
				square += float64(want[j]) * float64(want[j])
			}
			sum := singleWhole(set, got, x)
			if !slices.Equal(got, want) || math.Abs(sum-square) > 1e-12*square || sum != singleWhole(portable, got, x) {
				t.Fatalf("%d entries: got %v and %v, want %v and %v", n, got, sum, want, square)
			}
		}
	})
}

// TestLargestShort puts the largest entry at every place among smaller ones, with both signs, and the least of all.
func TestLargestShort(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(11, 4))
		for n := range 150 {
			x := make([]int16, n)
			for j := range x {
				x[j] = int16(r.IntN(201) - 100)
			}
			for j := range x {
				for _, v := range []int16{101, -101, math.MaxInt16, math.MinInt16} {
					kept := x[j]
					x[j] = v
					if got, want := largestShort(set, x), max(int(v), -int(v)); got != want {
						t.Fatalf("%d entries with %d at %d: got %d", n, v, j, got)
					}
					x[j] = kept
				}
			}
		}
		if got := largestShort(set, nil); got != 0 {
			t.Errorf("of no entries %d, want 0", got)
		}
	})
}

// TestSingleLengths holds that lengths that do not agree are refused before anything is written.
func TestSingleLengths(t *testing.T) {
	for name, call := range map[string]func(dst []float32){
		"dst":    func(dst []float32) { MoveInt(dst, make([]int16, 3), 1, make([]float32, 3)) },
		"center": func(dst []float32) { MoveInt(dst, make([]int16, 2), 1, make([]float32, 1)) },
		"long":   func(dst []float32) { SingleInt(dst, make([]int64, 1)) },
	} {
		dst := []float32{7, 7}
		func() {
			defer func() {
				if recover() == nil || dst[0] != 7 || dst[1] != 7 {
					t.Errorf("%s: no panic, or %v was written", name, dst)
				}
			}()
			call(dst)
		}()
	}
}
