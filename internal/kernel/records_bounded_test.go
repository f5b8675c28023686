package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// boundedCase is a bound and records whose products lie near it, one integer beside it, far within and beyond, or
// are anything.
func boundedCase(r *rand.Rand, n int) (v, scales []float64, n2 []int64, bound int64) {
	v, scales, n2 = make([]float64, n), make([]float64, n), make([]int64, n)
	bound = r.Int64N(1<<62)>>r.IntN(62) + 1
	for i := range v {
		n2[i], scales[i] = r.Int64()>>r.IntN(63), math.Ldexp(1+r.Float64(), r.IntN(40)-20)
		if m := r.Int64N(1<<20) + 1; r.IntN(4) == 0 {
			n2[i], scales[i] = m*m, 1 // the largest is whole where m divides the bound
			if i == 0 && bound < 1<<40 {
				bound *= m
			}
		}
		edge := float64(bound) / math.Sqrt(float64(n2[i]))
		v[i] = math.Copysign([]float64{edge, edge * (1 + 0x1p-47), edge * r.Float64(), edge + float64(r.IntN(5)-2)/2, math.Trunc(edge) + 0.5, edge * 2}[r.IntN(6)]/scales[i], r.NormFloat64())
		switch r.IntN(30) {
		case 0:
			v[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e300, 5e-324}[r.IntN(6)]
		case 1:
			n2[i] = -n2[i]
		}
	}
	return v, scales, n2, bound
}

// TestRoundBounded holds what is written against its definition in big numbers, at every length near those that kernels take:
// it is within the bound exactly, it is the nearest integer or, only where that is beyond, the product toward zero, and
// nothing is in doubt that is clear of the bound. Kernel and portable code give the same.
func TestRoundBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	var kinds [4]int // nearest, toward zero, doubt, nothing
	for range 400 {
		for _, n := range recordLengths {
			v, scales, n2, bound := boundedCase(r, n)
			got, twin := make([]float64, n), make([]float64, n)
			all := RoundBounded(got, v, scales, n2, bound)
			square := float64(bound) * float64(bound)
			if other := roundBoundedPortable(twin, v, scales, n2, square*(1-boundPart), square*(1+boundPart)); all != other {
				t.Fatalf("%d records: all are sure is %v, portable %v", n, all, other)
			}
			for i, f := range got {
				if math.Float64bits(f) != math.Float64bits(twin[i]) && (f == f || twin[i] == twin[i]) {
					t.Fatalf("record %d of %d: %v, portable %v", i, n, f, twin[i])
				}
				kinds[boundedKind(t, f, v[i]*scales[i], n2[i], bound)]++
			}
			if all == slices.ContainsFunc(got, math.IsNaN) {
				t.Fatalf("%d records: all are sure is %v of %v", n, all, got)
			}
		}
	}
	for kind, times := range kinds {
		if times < 500 {
			t.Errorf("results of kind %d came %d times: the test does not see them", kind, times)
		}
	}
}

// boundedKind fails unless f is what RoundBounded may write for a product, and returns which of its cases it is.
func boundedKind(t *testing.T, f, product float64, n2, bound int64) int {
	t.Helper()
	nearest, less := math.RoundToEven(product)+0, math.Trunc(product)+0
	switch {
	case n2 == 0:
		if math.Float64bits(f) != 0 {
			t.Fatalf("of a row of zeros %v, want 0", f)
		}
		return 3
	case f != f:
		if n2 > 0 && math.Abs(product) < wholeMost && (clearOf(nearest, n2, bound, -1) || clearOf(nearest, n2, bound, 1) && clearOf(less, n2, bound, -1)) {
			t.Fatalf("product %v, squared norm %d, bound %d: in doubt", product, n2, bound)
		}
		return 2
	case n2 < 0 || squareOf(f, n2).Cmp(limitOf(bound)) > 0:
		t.Fatalf("product %v, squared norm %d, bound %d: %v is beyond it", product, n2, bound, f)
	case f == nearest && math.Signbit(f) == (f < 0):
		return 0
	case f != less || math.Signbit(f) != (f < 0) || clearOf(nearest, n2, bound, -1):
		t.Fatalf("product %v, squared norm %d, bound %d: got %v, want %v", product, n2, bound, f, nearest)
	}
	return 1
}

// squareOf is f²·n2, in big numbers.
func squareOf(f float64, n2 int64) *big.Float {
	whole := new(big.Float).SetPrec(400).SetFloat64(f)
	return whole.Mul(whole, whole).Mul(whole, new(big.Float).SetPrec(400).SetInt64(n2))
}

// limitOf is bound², in big numbers.
func limitOf(bound int64) *big.Float {
	b := new(big.Float).SetPrec(400).SetInt64(bound)
	return b.Mul(b, b)
}

// clearOf reports whether f²·n2 is within the square of the bound (side -1) or beyond it (1) by a part of 2^-46.
func clearOf(f float64, n2, bound int64, side int) bool {
	limit := limitOf(bound)
	limit.Mul(limit, big.NewFloat(1+float64(side)*0x1p-46))
	return squareOf(f, n2).Cmp(limit) == side
}

// TestShorten compares with its definition, with norms and numbers that are infinite, NaN or 0.
func TestShorten(t *testing.T) {
	r := rand.New(rand.NewPCG(76, 1))
	kept, shortened := 0, 0
	for round := range 60 {
		for _, n := range recordLengths {
			v, norms, most := make([]float64, n), make([]float64, n), 1+r.Float64()
			for i := range v {
				v[i], norms[i] = r.NormFloat64(), 3*r.Float64()
				if round%2 == 0 {
					v[i] /= 10 // no record is beyond in most vectors
				}
				if r.IntN(40) == 0 {
					v[i] = []float64{math.NaN(), math.Inf(1), 0, 1e300}[r.IntN(4)]
					norms[i] = []float64{1e300, 0, math.Inf(1), 1}[r.IntN(4)]
				}
			}
			got := append([]float64(nil), v...)
			ClipRows(got, norms, most)
			for i, f := range got {
				want, norm := v[i], norms[i]*math.Abs(v[i])
				switch {
				case norm <= most:
					kept++
				case norm <= math.MaxFloat64:
					want *= most / norm
					shortened++
				default:
					want *= 0
				}
				if math.Float64bits(f) != math.Float64bits(want) && (f == f || want == want) {
					t.Fatalf("%v with norm %v and most %v becomes %v, want %v", v[i], norms[i], most, f, want)
				}
			}
		}
	}
	if kept < 5000 || shortened < 5000 {
		t.Errorf("%d are kept and %d shortened: the test does not see both", kept, shortened)
	}
}
