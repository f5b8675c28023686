package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestReleasedMomentsMakeEachPolynomial takes random rows: Σ c_j·released_j is the polynomial's sum, for each product
// of powers that the measures need, under both noises and for the kinds of pairs.
func TestReleasedMomentsMakeEachPolynomial(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 7))
	for range 50 {
		a, u := random.Float64(), 2*random.Float64()-1
		for _, power := range momentPowers {
			var q polynomial
			q[power.a][power.t] = 1.5
			for _, noise := range []string{noiseLaplace, noiseGaussian} {
				p := Plan{Noise: noise}
				released := make([]float64, p.momentNumbers())
				p.addMoments(released, a, u)
				checkPolynomial(t, noise, q, p.coefficients(q), released, a, u)
			}
			if power.a <= 2 && power.t <= 2 {
				kinds := make([]float64, numberKinds)
				bernsteinProducts(kinds, 2, a, u)
				checkPolynomial(t, "kinds", q, bernsteinCoefficients(2, q), kinds, a, u)
			}
		}
	}
}

func checkPolynomial(t *testing.T, name string, q polynomial, coefficients, released []float64, a, u float64) {
	t.Helper()
	got := 0.0
	for j, c := range coefficients {
		got += c * released[j]
	}
	if want := q.at(a, u); math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %v at (%v, %v) is %v, want %v", name, q, a, u, got, want)
	}
}

// TestBernsteinProductsAreShares holds the products to what bounds them: none is negative and their sum is 1.
func TestBernsteinProductsAreShares(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		dst := make([]float64, (fourth+1)*(fourth+1))
		bernsteinProducts(dst, fourth, float64(random.IntN(5))/4, 2*random.Float64()-1)
		for _, v := range dst {
			if v < 0 {
				t.Fatalf("a product is %v", v)
			}
		}
		if sum := total(dst); math.Abs(sum-1) > 1e-14 {
			t.Fatalf("the sum is %v, want 1", sum)
		}
	}
}

// TestWidenedIntervalsCover integrates the coverage of a set where the sum over pairs is known with normal noise of
// this share of the variance without pairs, which is 1, and adds up to what rows of one person can, most-1 times their
// variance: 95 % up to a share of mostDoubt, and no less beyond.
func TestWidenedIntervalsCover(t *testing.T) {
	shares, grid := []float64{0.1, 0.25, 0.35, 0.5, 1, 3, 10}, 0.1
	if thorough {
		grid = 0.05
		shares = []float64{0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85, 1, 1.2, 1.5, 2, 3, 4, 10}
	}
	for _, share := range shares {
		for _, most := range []int{2, 3, 4, 5, 10, 20} {
			for _, rows := range []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1} {
				for _, agree := range []float64{0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95, 1} {
					pairs := agree * float64(most-1) * rows
					held, all := 0.0, 0.0
					for x := -7.0; x <= 7; x += grid {
						weight := math.Exp(-x * x / 2)
						s := spread{pair: share * share, most: most}
						r := ratio{noise: quad{1 - rows}, rows: quad{rows}, pairs: []term{{quad{1}, pairs + share*x, 1}}}
						reach := math.Sqrt(-s.excess(s.folded(r), 1, 0))
						held += weight * math.Erf(reach/math.Sqrt(2*(1+pairs)))
						all += weight
					}
					got := held / all
					if got < confidence-0.007 || share <= mostDoubt && rows == 1 && got > confidence+0.007 {
						t.Errorf("share %v, %d rows of %v in 1, agreement %v: %v are held, want %v within 0.007, no less where the share is large", share, most, rows, agree, got, confidence)
					}
				}
			}
		}
	}
}
