package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// definites are positive definite matrices, from well conditioned to hardly so.
func definites(r *rand.Rand) map[string]Matrix {
	return map[string]Matrix{
		"one": kernel.NewMatrix([]float64{4}, 1, 1), "two": kernel.NewMatrix([]float64{2, -1, -1, 2}, 2, 2), "ten": gramOf(r, 10, 30, 1), "forty": gramOf(r, 40, 60, 1),
		"large side": gramOf(r, largeSide, 2*largeSide, 1), "graded": gramOf(r, 12, 30, 0.1), "hilbert": hilbert(8),
		"large":  squareOf(3, func(i, j int) float64 { return 1e120 * map[bool]float64{true: 2, false: 1}[i == j] }),
		"small":  squareOf(3, func(i, j int) float64 { return 1e-120 * map[bool]float64{true: 2, false: 1}[i == j] }),
		"nearly": squareOf(4, func(i, j int) float64 { return 1 + map[bool]float64{true: 1e-9}[i == j] }),
	}
}

// TestCholesky holds solutions to their residuals, which need no opinion of another, and the conditions to those
// of gonum, which computes the same estimate by another way, and to the true ones.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for name, a := range definites(r) {
		n := a.Rows
		c, ok := NewCholesky(a)
		if !ok {
			t.Fatalf("%s: no factor, want one", name)
		}
		b := New(n, 3)
		for j := range b.Data {
			b.Data[j] = r.NormFloat64()
		}
		x := c.Solve(b)
		rest := Product(a, x)
		addScaled(rest.Data, -1, b.Data)
		// A backward error of n·2^-50 is some times what is seen.
		if limit := float64(n) * 0x1p-50 * Norm(a) * Norm(x); !(Norm(rest) <= limit) {
			t.Errorf("%s: A·X - B has norm %v, want at most %v", name, Norm(rest), limit)
		}
		column := make([]float64, n)
		for i := range column {
			column[i] = b.At(i, 1)
		}
		for i, v := range c.SolveVector(column) {
			if !(math.Abs(v-x.At(i, 1)) <= 1e-6*Norm(x)) {
				t.Fatalf("%s: number %d of the solution is %v alone and %v beside others", name, i, v, x.At(i, 1))
			}
		}
		inverse := c.Inverse()
		condition := oneNorm(a) * oneNorm(inverse)
		if got := c.Condition(); !(got <= 1.01*condition) || !(got >= condition/3) {
			t.Errorf("%s: the condition is %v, want at most %v and at least a third of it", name, got, condition)
		}
		var want mat.Cholesky
		if !want.Factorize(symmetricLibrary(a)) {
			t.Fatalf("%s: the library finds no factor", name)
		}
		if ratio := c.Condition() / want.Cond(); !(ratio <= 3.1 && ratio >= 1/3.1) {
			t.Errorf("%s: the condition is %v, the library's %v", name, c.Condition(), want.Cond())
		}
		var solved mat.Dense
		_ = want.SolveTo(&solved, library(b))
		for j, v := range solved.RawMatrix().Data {
			if !(math.Abs(v-x.Data[j]) <= 1e-15*float64(n)*condition*Norm(x)) {
				t.Fatalf("%s: number %d of the solution is %v, the library's %v", name, j, x.Data[j], v)
			}
		}
		product := Product(a, inverse)
		for j, v := range product.Data {
			unit := 0.0
			if j/n == j%n {
				unit = 1
			}
			if !(math.Abs(v-unit) <= float64(n)*0x1p-50*condition) || inverse.Data[j] != inverse.At(j%n, j/n) {
				t.Fatalf("%s: number %d of A times the inverse is %v, want %v; the inverse is symmetric %v", name, j, v, unit, inverse.Data[j] == inverse.At(j%n, j/n))
			}
		}
	}
}

// TestCholeskyRefuses wants no factor of matrices that are not positive definite.
func TestCholeskyRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	negative := gramOf(r, 20, 40, 1)
	negative.Data[10*20+10] = -1
	for name, a := range map[string]Matrix{"zero": New(1, 1), "minus": kernel.NewMatrix([]float64{-1}, 1, 1), "indefinite": kernel.NewMatrix([]float64{1, 2, 2, 1}, 2, 2),
		"singular": kernel.NewMatrix([]float64{1, 2, 2, 4}, 2, 2), "a negative square": negative} {
		if _, ok := NewCholesky(a); ok {
			t.Errorf("%s: got a factor, want none", name)
		}
	}
}

// TestCondition holds the estimate, on matrices of random signs and scales, to a third of the true condition.
func TestCondition(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 9))
	for range 300 {
		n := 1 + r.IntN(12)
		a := gramOf(r, n, n+1, math.Exp(-r.Float64()))
		c, ok := NewCholesky(a)
		if !ok {
			continue
		}
		condition := oneNorm(a) * oneNorm(c.Inverse())
		if got := c.Condition(); condition < 1e12 && (!(got <= 1.01*condition) || !(got >= condition/3)) {
			t.Errorf("side %d: the condition is %v, want at most %v and at least a third of it", n, got, condition)
		}
	}
}
