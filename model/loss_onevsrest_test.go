package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOneVsRestIsLogistic compares every head with a logistic loss of its own, whose class 1 is
// the head's.
func TestOneVsRestIsLogistic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		z, got, want := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		label, value := r.IntN(5), 0.0
		for k := range z {
			z[k] = 20 * r.NormFloat64()
		}
		for k := range z {
			own := 0.0
			if k == label {
				own = 1
			}
			logistic{}.Residuals(want[k:k+1], z[k:k+1], own)
			value += logistic{}.Value(z[k:k+1], own)
		}
		oneVsRest{}.Residuals(got, z, float64(label))
		for k := range z {
			if got[k] != want[k] {
				t.Fatalf("residual %d of %v, label %d: got %v, want %v", k, z, label, got[k], want[k])
			}
		}
		if v := (oneVsRest{}).Value(z, float64(label)); math.Abs(v-value) > 1e-12*value {
			t.Fatalf("value at %v, label %d: got %v, want %v", z, label, v, value)
		}
	}
}

// TestOneVsRestPredict compares probabilities with σ divided by the sum, and wants the order of
// scores to be kept where σ is 0 in float64.
func TestOneVsRestPredict(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		p, want, sum := make([]float64, 4), make([]float64, 4), 0.0
		for k := range p {
			p[k] = 10 * r.NormFloat64()
			want[k] = 1 / (1 + math.Exp(-p[k]))
			sum += want[k]
		}
		oneVsRest{}.Predict(p)
		for k := range p {
			if math.Abs(p[k]-want[k]/sum) > 1e-12*want[k]/sum {
				t.Fatalf("probability %d: got %v, want %v", k, p[k], want[k]/sum)
			}
		}
	}
	for _, c := range [][2][]float64{
		{{-2000, -1999, -5000}, {1 / (1 + math.E), math.E / (1 + math.E), 0}},
		{{1e300, 1e300, -1e300}, {0.5, 0.5, 0}},
	} {
		p := append([]float64(nil), c[0]...)
		oneVsRest{}.Predict(p)
		for k := range p {
			if !(math.Abs(p[k]-c[1][k]) <= 1e-12) {
				t.Errorf("probabilities of %v: got %v, want %v", c[0], p, c[1])
			}
		}
	}
}

// TestOneVsRestLipschitz wants √K to be reached where all heads are wrong.
func TestOneVsRestLipschitz(t *testing.T) {
	for _, columns := range []int{2, 3, 10, 100} {
		z, residual, norm := make([]float64, columns), make([]float64, columns), 0.0
		for k := range z {
			z[k] = 100
		}
		z[1] = -100
		oneVsRest{}.Residuals(residual, z, 1)
		for _, v := range residual {
			norm = math.Hypot(norm, v)
		}
		if got := (oneVsRest{}).Lipschitz(columns); math.Abs(got-norm) > 1e-12*norm {
			t.Errorf("%d columns: got %v, want %v", columns, got, norm)
		}
	}
}
