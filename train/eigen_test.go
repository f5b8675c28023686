package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/linalg"
	"gonum.org/v1/gonum/mat"
)

// TestEigen compares eigenvalues with those of gonum, and A with Σ λ·v·vᵀ and the identity with Σ v·vᵀ: matrices of one
// number, within a strip of eigenvectors, over several, with clusters of equal eigenvalues and with zeros. The
// roundings of some hundreds of steps leave 2^-40 of the norm far behind.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	random := func(side int, spread func(i, j int) float64) []float64 {
		a := make([]float64, side*side)
		for i := range side {
			for j := range i + 1 {
				a[i*side+j] = spread(i, j) * r.NormFloat64()
				a[j*side+i] = a[i*side+j]
			}
		}
		return a
	}
	one := func(int, int) float64 { return 1 }
	for name, a := range map[string][]float64{
		"one number": {-3}, "two": {1, 2, 2, -1}, "zero": make([]float64, 25), "strip": random(32, one), "more": random(33, one), "many": random(200, one),
		"diagonal": random(40, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }),
		"graded":   random(60, func(i, j int) float64 { return math.Exp(-float64(i+j) / 2) }),
		"equal":    random(70, func(i, j int) float64 { return map[bool]float64{true: 1}[i < 3] }),
		"large":    random(20, func(int, int) float64 { return 1e100 }), "small": random(20, func(int, int) float64 { return 1e-100 }),
	} {
		side := int(math.Sqrt(float64(len(a))))
		g, err := newEigen(append([]float64(nil), a...), side)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want mat.EigenSym
		want.Factorize(mat.NewSymDense(side, append([]float64(nil), a...)), true)
		tolerance := linalg.Norm(a) * 0x1p-40
		got, values, ones, plus, minus := slices.Sorted(slices.Values(g.values)), want.Values(nil), make([]float64, side), make([]float64, side), make([]float64, side)
		for k, v := range got {
			if !(math.Abs(v-values[k]) <= tolerance) {
				t.Fatalf("%s: eigenvalue %d is %v, want %v", name, k, v, values[k])
			}
			ones[k], plus[k], minus[k] = 1, math.Sqrt(max(0, g.values[k])), math.Sqrt(max(0, -g.values[k]))
		}
		identity, above, below := g.combine(ones), g.combine(plus), g.combine(minus)
		for j, v := range a {
			unit := 0.0
			if j%side == j/side {
				unit = 1
			}
			if !(math.Abs(identity[j]-unit) <= 0x1p-40) || !(math.Abs(above[j]-below[j]-v) <= tolerance) {
				t.Fatalf("%s: number %d is %v and %v, want %v of the identity and %v", name, j, identity[j], above[j]-below[j], unit, v)
			}
		}
	}
}

// TestEigenEnds holds that a matrix with numbers that are not finite ends in an error.
func TestEigenEnds(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		a := []float64{1, 2, 3, 2, v, 1, 3, 1, 2}
		if _, err := newEigen(a, 3); err == nil {
			t.Errorf("a matrix with %v has eigenvalues %v, want an error", v, a)
		}
	}
}
