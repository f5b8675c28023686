package special

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudentQuantile compares with the closed forms of 1 and 2 degrees of freedom, and with gonum, which inverts the
// incomplete beta function.
func TestStudentQuantile(t *testing.T) {
	for _, p := range []float64{0.001, 0.025, 0.3, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.999} {
		for _, freedom := range []int{1, 2, 3, 4, 5, 8, 19, 30, 99, 1000, 20001} {
			got := StudentQuantile(p, freedom)
			want, tolerance := distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile(p), 1e-9
			switch freedom {
			case 1:
				want, tolerance = math.Tan(math.Pi*(p-0.5)), 1e-12
			case 2:
				want, tolerance = (2*p-1)/math.Sqrt(2*p*(1-p)), 1e-12
			}
			if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
				t.Errorf("quantile %v with %d degrees of freedom: got %v, want %v", p, freedom, got, want)
			}
		}
	}
}

// TestBinomialLimit compares with the quantile of the beta distribution, which gonum inverts, and with the closed form
// of all successes; and wants the tail at the limit to be at most what is allowed, and more just beyond.
func TestBinomialLimit(t *testing.T) {
	for _, n := range []int{1, 2, 10, 137, 5000, 20000} {
		for _, k := range []int{1, 2, n / 100, n / 3, n / 2, n - 1, n} {
			if k < 1 || k > n {
				continue
			}
			for _, fail := range []float64{1e-6, 0.0125, 0.025, 0.5, 0.9875} {
				got, want := BinomialLimit(n, k, fail), distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(fail)
				if k == n {
					want = math.Pow(fail, 1/float64(n))
				}
				if !(math.Abs(got-want) <= 1e-8*want) {
					t.Errorf("limit of %d of %d at %v: got %v, want %v", k, n, fail, got, want)
				}
				if at, beyond := BinomialTail(n, got, k), BinomialTail(n, min(got*(1+1e-9), 1-1e-16), k); !(at <= fail) || !(beyond >= fail*(1-1e-9)) {
					t.Errorf("limit of %d of %d at %v: the tail is %v there and %v beyond", k, n, fail, at, beyond)
				}
			}
		}
	}
}
