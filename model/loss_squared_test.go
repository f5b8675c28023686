package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNearestProbabilities compares with the projection by sorting (Held, Wolfe and Crowder, "Validation of
// subgradient optimization", Mathematical Programming 1974).
func TestNearestProbabilities(t *testing.T) {
	r, clipped := rand.New(rand.NewPCG(7, 8)), 0
	for range 2000 {
		x := make([]float64, 2+r.IntN(8))
		scale := math.Exp(3 * r.NormFloat64())
		for k := range x {
			x[k] = r.NormFloat64() * scale
		}
		got := slices.Clone(x)
		squaredClasses{}.Predict(got)
		want := bySorting(x)
		sum := 0.0
		for k := range x {
			sum += got[k]
			if math.Abs(got[k]-want[k]) > 1e-12*max(1, scale) {
				t.Fatalf("probabilities of %v: got %v, want %v", x, got, want)
			}
			if got[k] == 0 {
				clipped++
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities of %v sum to %v", x, sum)
		}
	}
	if clipped == 0 {
		t.Error("no probability was 0: the inputs do not vary")
	}
	huge := []float64{1e300, -1e300, 0}
	if (squaredClasses{}).Predict(huge); !slices.Equal(huge, []float64{1, 0, 0}) {
		t.Errorf("probabilities of huge scores: got %v, want 1, 0, 0", huge)
	}
}

func bySorting(x []float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	slices.Reverse(sorted)
	sum, cut := 0.0, 0.0
	for k, v := range sorted {
		sum += v
		if c := (sum - 1) / float64(k+1); v > c {
			cut = c
		}
	}
	out := make([]float64, len(x))
	for k, v := range x {
		out[k] = max(0, v-cut)
	}
	return out
}

func TestSquaredOfTwoClasses(t *testing.T) {
	for _, c := range []struct{ score, label, value, residual, probability float64 }{
		{0, 1, 0.5, -1, 0.5}, {0.5, 1, 0.125, -0.5, 0.75}, {-1, 0, 0, 0, 0}, {3, 0, 8, 4, 1},
	} {
		p, residual := []float64{c.score}, []float64{0}
		value := squaredClasses{}.Value(p, c.label)
		squaredClasses{}.Residuals(residual, p, c.label)
		squaredClasses{}.Predict(p)
		if value != c.value || residual[0] != c.residual || p[0] != c.probability {
			t.Errorf("score %v of class %v: got value %v, residual %v, probability %v, want %v, %v, %v", c.score, c.label, value, residual[0], p[0], c.value, c.residual, c.probability)
		}
	}
}
