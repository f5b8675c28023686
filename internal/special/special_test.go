package special

import (
	"math"
	"math/big"
	"testing"
)

// exactBinomialTail adds up the tail in rational arithmetic for p = a/b.
func exactBinomialTail(n, a, b, k int) float64 {
	sum, p, q := new(big.Int), big.NewInt(int64(a)), big.NewInt(int64(b-a))
	for i := k; i <= n; i++ {
		term := new(big.Int).Binomial(int64(n), int64(i))
		term.Mul(term, new(big.Int).Exp(p, big.NewInt(int64(i)), nil))
		term.Mul(term, new(big.Int).Exp(q, big.NewInt(int64(n-i)), nil))
		sum.Add(sum, term)
	}
	whole := new(big.Int).Exp(big.NewInt(int64(b)), big.NewInt(int64(n)), nil)
	v, _ := new(big.Rat).SetFrac(sum, whole).Float64()
	return v
}

func TestBinomialTail(t *testing.T) {
	for _, c := range [][4]int{{1, 1, 3, 1}, {10, 1, 2, 3}, {10, 1, 2, 8}, {300, 1, 100, 9}, {300, 1, 100, 1}, {1000, 1, 8, 150}, {1000, 1, 8, 125}, {1000, 1, 8, 124}, {700, 3, 4, 700}, {5, 1, 4, 0}, {5, 1, 4, 6}} {
		got, want := BinomialTail(c[0], float64(c[1])/float64(c[2]), c[3]), exactBinomialTail(c[0], c[1], c[2], c[3])
		if got != want && math.Abs(got/want-1) > 1e-11 {
			t.Errorf("P(Bin(%d, %d/%d) ≥ %d): got %v, want %v", c[0], c[1], c[2], c[3], got, want)
		}
	}
}

// TestGammaQ compares with the Poisson sum Q(k, x) = e^-x·Σ_{i<k} x^i/i! and with erfc for a = ½.
func TestGammaQ(t *testing.T) {
	for _, k := range []int{1, 2, 5, 40, 700} {
		for _, f := range []float64{0.2, 0.9, 1, 1.1, 2.5} {
			x := f * float64(k)
			exp := new(big.Float).SetPrec(400).SetInt64(1)
			sum, term := new(big.Float).SetPrec(400), exp
			rest := new(big.Float).SetPrec(400)
			for i := 0; i < 5*k+300; i++ {
				if i < k {
					sum.Add(sum, term)
				} else {
					rest.Add(rest, term)
				}
				term = new(big.Float).SetPrec(400).Quo(new(big.Float).SetPrec(400).Mul(term, big.NewFloat(x)), big.NewFloat(float64(i+1)))
			}
			total := new(big.Float).SetPrec(400).Add(sum, rest)
			want, _ := sum.Quo(sum, total).Float64()
			if got := GammaQ(float64(k), x); math.Abs(got/want-1) > 1e-11 {
				t.Errorf("GammaQ(%d, %v): got %v, want %v", k, x, got, want)
			}
		}
	}
	for _, x := range []float64{0, 1e-6, 0.3, 2, 30} {
		if got, want := GammaQ(0.5, x), math.Erfc(math.Sqrt(x)); math.Abs(got-want) > 1e-12*want {
			t.Errorf("GammaQ(0.5, %v): got %v, want %v", x, got, want)
		}
	}
}
