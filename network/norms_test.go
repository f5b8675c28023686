package network_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
)

// TestNormsSurviveCancellation has positions whose contributions nearly cancel, where the sum of products of inner
// products is rounding error: the norm must come from the matrix itself.
func TestNormsSurviveCancellation(t *testing.T) {
	for _, bias := range []bool{false, true} {
		nearlyCancelled[float64](t, bias, 1e-7, 1e-6)
		nearlyCancelled[float32](t, bias, 1e-3, 1e-2)
	}
}

// nearlyCancelled wants the norm of pairs of positions that differ by a relative size.
func nearlyCancelled[T kernel.Float](t *testing.T, bias bool, size, tolerance float64) {
	t.Helper()
	const positions, left, right = 6, 30, 20
	f := kernel.Factors[T]{Records: 1, Positions: positions, Left: left, Right: right, Bias: bias,
		Lefts: make([]T, positions*left), Rights: make([]T, positions*right)}
	r := rand.New(rand.NewPCG(9, 10))
	for p := 0; p < positions; p += 2 {
		for k := range left {
			v := r.NormFloat64()
			f.Lefts[p*left+k], f.Lefts[(p+1)*left+k] = T(v), T(v)
		}
		for j := range right {
			v := r.NormFloat64()
			f.Rights[p*right+j], f.Rights[(p+1)*right+j] = T(v), T(-v*(1+size*r.NormFloat64()))
		}
	}
	var want float64
	for _, v := range explicit(f, 0) {
		want += v * v
	}
	got := []float64{0}
	network.SquaredNorms(got, f)
	if !(math.Abs(got[0]-want) <= tolerance*want) {
		t.Errorf("squared norm of %T with bias %v is %v, want %v", f.Lefts[0], bias, got[0], want)
	}
}

// TestSumsLeaveOutWeightZero checks that a record of weight 0 may hold anything.
func TestSumsLeaveOutWeightZero(t *testing.T) {
	nan := math.NaN()
	f := kernel.Factors[float64]{Records: 3, Positions: 1, Left: 1, Right: 1, Bias: true, Lefts: []float64{2, nan, 3}, Rights: []float64{1, nan, 10}}
	sum := make([]float64, 2)
	network.AddSum(sum, f, []float64{0.5, 0, 1})
	if sum[0] != 31 || sum[1] != 10.5 {
		t.Errorf("sum is %v, want [31 10.5]", sum)
	}
}
