package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// random is a symmetric matrix of normal numbers times what spread says.
func random(r *rand.Rand, side int, spread func(i, j int) float64) Matrix {
	a := New(side, side)
	for i := range side {
		for j := range i + 1 {
			v := spread(i, j) * r.NormFloat64()
			a.Data[i*side+j], a.Data[j*side+i] = v, v
		}
	}
	return a
}

// gramOf is X·Xᵀ of normal numbers, of side rows and rank columns; graded rows and columns fall by this factor each.
func gramOf(r *rand.Rand, side, rank int, grade float64) Matrix {
	x := New(side, rank)
	for i := range side {
		for j := range rank {
			x.Data[i*rank+j] = r.NormFloat64() * math.Pow(grade, float64(i))
		}
	}
	return Product(x, x.Transposed())
}

// hilbert is 1/(i+j+1), the least eigenvalue of which falls as fast as 1/33^side.
func hilbert(side int) Matrix {
	a := New(side, side)
	for i := range side {
		for j := range side {
			a.Data[i*side+j] = 1 / float64(i+j+1)
		}
	}
	return a
}

func one(int, int) float64 { return 1 }

// symmetrics are matrices that algorithms of eigenvalues meet or fail on.
func symmetrics() map[string]Matrix {
	r := rand.New(rand.NewPCG(5, 9))
	return map[string]Matrix{
		"one number": kernel.NewMatrix([]float64{-3}, 1, 1), "two": kernel.NewMatrix([]float64{1, 2, 2, -1}, 2, 2), "zero": New(5, 5),
		"strip": random(r, 32, one), "more": random(r, 33, one), "many": random(r, 200, one), "large side": gramOf(r, largeSide, largeSide, 1),
		"diagonal": random(r, 40, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }),
		"graded":   random(r, 60, func(i, j int) float64 { return math.Exp(-float64(i+j) / 2) }),
		"rising":   random(r, 60, func(i, j int) float64 { return math.Exp(float64(i+j) / 2) }),
		"equal":    random(r, 70, func(i, j int) float64 { return map[bool]float64{true: 1}[i < 3] }),
		"large":    random(r, 20, func(int, int) float64 { return 1e100 }), "small": random(r, 20, func(int, int) float64 { return 1e-100 }),
		"singular": gramOf(r, 50, 20, 1), "hilbert": hilbert(12), "positive": gramOf(r, 30, 60, 1), "graded gram": gramOf(r, 12, 20, 0.05),
	}
}

// library is a matrix as gonum has it.
func library(a Matrix) *mat.Dense { return mat.NewDense(a.Rows, a.Columns, Clone(a).Data) }

// symmetricLibrary is a symmetric matrix as gonum has it.
func symmetricLibrary(a Matrix) *mat.SymDense { return mat.NewSymDense(a.Rows, Clone(a).Data) }

// TestEigen compares eigenvalues with those of gonum, and A with Σ λ·v·vᵀ and the identity with Σ v·vᵀ: matrices of one
// number, within a strip of eigenvectors, over several, with clusters of equal eigenvalues and with zeros. The
// roundings of some hundreds of steps leave 2^-40 of the norm far behind.
func TestEigen(t *testing.T) {
	for name, a := range symmetrics() {
		side := a.Rows
		g, err := NewEigen(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		alone, err := Eigenvalues(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want mat.EigenSym
		if !want.Factorize(symmetricLibrary(a), false) {
			t.Fatalf("%s: the library finds no eigenvalues", name)
		}
		tolerance, values := Norm(a)*0x1p-40, want.Values(nil)
		got, vectors := g.Ascending()
		ones, plus, minus := make([]float64, side), make([]float64, side), make([]float64, side)
		for k, v := range got {
			if !(math.Abs(v-values[k]) <= tolerance) || !(math.Abs(alone[k]-values[k]) <= tolerance) {
				t.Fatalf("%s: eigenvalue %d is %v, and %v without vectors, want %v", name, k, v, alone[k], values[k])
			}
			ones[k], plus[k], minus[k] = 1, math.Sqrt(max(0, g.Values[k])), math.Sqrt(max(0, -g.Values[k]))
			moved := Apply(a, Row(vectors, k))
			addScaled(moved, -v, Row(vectors, k))
			if rest := kernel.Norm(moved); !(rest <= tolerance) {
				t.Fatalf("%s: A·v - λ·v of eigenvalue %d is %v, want 0", name, k, rest)
			}
		}
		identity, above, below := g.Combine(ones).Data, g.Combine(plus).Data, g.Combine(minus).Data
		for j, v := range a.Data {
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
		for _, a := range []Matrix{kernel.NewMatrix([]float64{1, 2, 3, 2, v, 1, 3, 1, 2}, 3, 3), kernel.NewMatrix([]float64{v}, 1, 1)} {
			if g, err := NewEigen(a); err == nil {
				t.Errorf("a matrix with %v has eigenvalues %v, want an error", v, g.Values)
			}
			if values, err := Eigenvalues(a); err == nil {
				t.Errorf("a matrix with %v has eigenvalues %v, want an error", v, values)
			}
			if values, err := GeneralEigenvalues(a); err == nil {
				t.Errorf("a matrix with %v has eigenvalues %v, want an error", v, values)
			}
			if _, ok := NewCholesky(a); ok {
				t.Errorf("a matrix with %v has a factor, want none", v)
			}
		}
	}
}
