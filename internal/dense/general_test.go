package dense

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// apart returns how far two lists of eigenvalues lie apart, each of the first matched with the nearest that is left.
func apart(a, b []complex128) float64 {
	left, worst := append([]complex128(nil), b...), 0.0
	for _, v := range a {
		best := 0
		for k, w := range left {
			if cmplx.Abs(v-w) < cmplx.Abs(v-left[best]) {
				best = k
			}
		}
		worst = max(worst, cmplx.Abs(v-left[best]))
		left = append(left[:best], left[best+1:]...)
	}
	return worst
}

// squareOf is a matrix of numbers that f gives.
func squareOf(side int, f func(i, j int) float64) Matrix {
	a := New(side, side)
	for k := range a.Data {
		a.Data[k] = f(k/side, k%side)
	}
	return a
}

// TestGeneralEigenvalues compares with gonum on matrices whose eigenvalues bear changes of the matrix well: their
// errors stay below 2^-32 of the norm. Symmetric matrices have those of Eigenvalues too.
func TestGeneralEigenvalues(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	normal := func(int, int) float64 { return r.NormFloat64() }
	cases := map[string]Matrix{
		"one": kernel.NewMatrix([]float64{-2}, 1, 1), "two real": kernel.NewMatrix([]float64{1, 4, 1, 1}, 2, 2), "two complex": kernel.NewMatrix([]float64{1, 2, -2, 1}, 2, 2),
		"three": squareOf(3, normal), "ten": squareOf(10, normal), "hundred": squareOf(100, normal), "many": squareOf(largeGeneral, normal),
		"triangle": squareOf(30, func(i, j int) float64 {
			switch {
			case i == j:
				return float64(i)
			case j > i:
				return r.NormFloat64() / 10
			}
			return 0
		}),
		// A cyclic permutation: the roots of 1. Steps with the usual shifts leave it as it is.
		"cycle":       squareOf(8, func(i, j int) float64 { return map[bool]float64{true: 1}[(i+1)%8 == j] }),
		"cycle large": squareOf(31, func(i, j int) float64 { return map[bool]float64{true: 1e200}[(i+1)%31 == j] }),
		"tiny":        squareOf(20, func(int, int) float64 { return 1e-200 * r.NormFloat64() }),
		"zero":        New(4, 4),
		"blocks": squareOf(20, func(i, j int) float64 {
			return map[bool]float64{true: r.NormFloat64()}[i/2 == j/2]
		}),
	}
	// H·diag(s) of a positive H and positive s: the kernels of clipped descents. Their eigenvalues are real.
	kernel, scale := gramOf(r, 60, 90, 1), make([]float64, 60)
	for j := range scale {
		scale[j] = math.Exp(-10 * r.Float64())
	}
	cases["kernel"] = squareOf(60, func(i, j int) float64 { return kernel.At(i, j) * scale[j] })
	for name, a := range symmetrics() {
		if a.Rows <= 200 {
			cases["symmetric "+name] = a
		}
	}
	for name, a := range cases {
		got, err := GeneralEigenvalues(a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want mat.Eigen
		if !want.Factorize(library(a), mat.EigenNone) {
			t.Fatalf("%s: the library finds no eigenvalues", name)
		}
		if off := apart(got, want.Values(nil)); len(got) != a.Rows || !(off <= 0x1p-32*Norm(a)) {
			t.Errorf("%s: %d eigenvalues, apart by %v from those of the library, with norm %v; want %d", name, len(got), off, Norm(a), a.Rows)
		}
	}
	for name, a := range symmetrics() {
		if a.Rows > 200 {
			continue
		}
		got, err := GeneralEigenvalues(a)
		if err != nil {
			t.Fatal(err)
		}
		values, err := Eigenvalues(a)
		if err != nil {
			t.Fatal(err)
		}
		var want []complex128
		for _, v := range values {
			want = append(want, complex(v, 0))
		}
		if off := apart(got, want); !(off <= 0x1p-40*Norm(a)) {
			t.Errorf("symmetric %s: apart by %v, with norm %v", name, off, Norm(a))
		}
	}
}

// TestBalancedEigenvalues wants small eigenvalues of a matrix that scales hide: D⁻¹·A·D for powers of two has those
// of A.
func TestBalancedEigenvalues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	plain := squareOf(12, func(int, int) float64 { return r.NormFloat64() })
	hidden := squareOf(12, func(i, j int) float64 { return math.Ldexp(plain.At(i, j), 5*(j-i)) })
	want, err := GeneralEigenvalues(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := GeneralEigenvalues(hidden)
	if err != nil {
		t.Fatal(err)
	}
	if off := apart(got, want); !(off <= 1e-11) {
		t.Errorf("eigenvalues %v, want %v", got, want)
	}
}

// TestDefective holds eigenvalues that a change of the matrix by δ moves by as much as δ^(1/n): a Jordan block with
// 1 and 0 has no better ones, and these stay within 2^-53/n of the norm, with room for a factor of 16 under the root.
func TestDefective(t *testing.T) {
	for _, side := range []int{2, 5, 9} {
		a := squareOf(side, func(i, j int) float64 { return map[bool]float64{true: 1}[i+1 == j] })
		a.Data[(side-1)*side] = 0x1p-53
		got, err := GeneralEigenvalues(a)
		if err != nil {
			t.Fatal(err)
		}
		radius := math.Pow(0x1p-53, 1/float64(side))
		for _, v := range got {
			if size := cmplx.Abs(v); !(size <= 1.5*radius) || !(size >= radius/2) {
				t.Errorf("side %d: eigenvalue %v, want one of magnitude %v", side, v, radius)
			}
		}
	}
}
