package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// fused returns a·b + c, rounded once. In float32 the product is exact in float64 and the
// sum is rounded to odd there, so that rounding it again changes nothing: S. Boldo and
// G. Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE Transactions on
// Computers 57 (2008), theorem 1.
func fused[T Float](a, b, c T) T {
	if isDouble[T]() {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	p, q := float64(a)*float64(b), float64(c)
	sum := p + q
	back := sum - p
	rest := (p - (sum - back)) + (q - back)
	if rest != 0 && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Copysign(math.Inf(1), rest))
	}
	return T(sum)
}

// stated returns an entry by the definition in the comment of Gemm, for instructions with a
// fused multiply-add or without.
func (p gemmCase[T]) stated(i, j int, fma bool) T {
	step := func(a, b, c T) T { return T(a*b) + c }
	if fma {
		step = fused[T]
	}
	blocks := (p.a.Columns + gemmDepth - 1) / gemmDepth
	depth := (p.a.Columns + blocks - 1) / blocks
	result := T(0)
	if p.beta != 0 {
		result = p.beta * *p.c.at(i, j)
	}
	for first := 0; first < p.a.Columns; first += depth {
		sum := T(0)
		for k := first; k < min(first+depth, p.a.Columns); k++ {
			sum = step(*p.a.at(i, k), *p.b.at(k, j), sum)
		}
		if first == 0 && p.beta == 0 {
			result = p.alpha * sum
		} else {
			result = step(p.alpha, sum, result)
		}
	}
	return result
}

// TestGemmIsTheStatedSum holds that every bit is that of the definition, which knows nothing
// of places, shapes, strides, workers or kernels.
func TestGemmIsTheStatedSum(t *testing.T) {
	t.Run("float32", testGemmIsTheStatedSum[float32])
	t.Run("float64", testGemmIsTheStatedSum[float64])
}

func testGemmIsTheStatedSum[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(42, 42))
	for _, s := range gemmSizes {
		for range rounds(gemmRounds) {
			p := anyCase[T](r, s[0], s[1], s[2])
			if p.alpha == 0 {
				p.alpha = 1
			}
			plain, fma := p.c.clone(), p.c.clone()
			for i := range s[0] {
				for j := range s[2] {
					*plain.at(i, j), *fma.at(i, j) = p.stated(i, j, false), p.stated(i, j, true)
				}
			}
			for set := portable; set <= available; set++ {
				want := fma
				if set == portable {
					want = plain
				}
				for _, workers := range []int{1, 2, 5} {
					got := p.c.clone()
					gemmChecked(set, workers, got, p.alpha, p.a, p.b, p.beta)
					for i := range got.Data {
						if got.Data[i] != want.Data[i] {
							t.Fatalf("%v, %v, %d workers: got %v, want %v", p, set, workers, got.Data[i], want.Data[i])
						}
					}
				}
			}
		}
	}
}

// TestGemmOfOneRowOrMany takes products that go by strips of columns, or by blocks of k for all
// rows: some rows must be what they are alone.
func TestGemmOfOneRowOrMany(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 46))
	for _, s := range [][3]int{{30, 2500, 500}, {26, 5, 9000}, {9000, 33, 20}} {
		a, b := anyMatrix[float32](r, s[0], s[1]), anyMatrix[float32](r, s[1], s[2])
		for set := portable; set <= available; set++ {
			for _, workers := range []int{1, 2} {
				all := NewMatrix(make([]float32, s[0]*s[2]), s[0], s[2])
				gemmChecked(set, workers, all, 1, a, b, 0)
				for _, i := range []int{0, s[0] / 2, s[0] - 1} {
					alone := NewMatrix(make([]float32, s[2]), 1, s[2])
					gemmChecked(set, 1, alone, 1, a.Slice(i, i+1), b, 0)
					if j := firstDifference(alone.Data, all.Slice(i, i+1).Data); j >= 0 {
						t.Fatalf("%v, %v, %d workers: entry (%d, %d): got %v, alone %v", s, set, workers, i, j, *all.at(i, j), *alone.at(0, j))
					}
				}
			}
		}
	}
}
