package contour

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// binomialMoment is log E_P e^{tL} of one sampled Gaussian for whole t ≥ 1 in the direction
// in which the record is removed: log1p of Σ C(t+1,i)·(1-q)^{t+1-i}·q^i·expm1((i²-i)/(2z²))
// (Mironov, Talwar & Zhang, "Rényi Differential Privacy of the Sampled Gaussian Mechanism",
// 2019, section 3.3, https://arxiv.org/abs/1908.10530, with 1 taken out of the sum).
func binomialMoment(q, z float64, t int) float64 {
	sum := 0.0
	all, _ := math.Lgamma(float64(t + 2))
	for i := 2; i <= t+1; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(t + 2 - i))
		log := all - a - b + float64(t+1-i)*math.Log1p(-q) + float64(i)*math.Log(q)
		sum += math.Exp(log) * math.Expm1(float64(i*i-i)/(2*z*z))
	}
	return math.Log1p(sum)
}

func TestLogMomentKeepsItsDigits(t *testing.T) {
	for _, c := range []struct{ q, z float64 }{{1e-6, 0.5}, {1e-6, 1}, {1e-6, 200}, {1e-3, 1}, {0.1, 2}, {0.5, 0.3}, {0.9, 20}} {
		i := compose(t, pair.Sampled(pair.Normal, c.z, c.q), 1)
		for _, order := range []int{1, 2, 5, 12} {
			got, want := i.LogMoment(float64(order)), binomialMoment(c.q, c.z, order)
			if !near(got, want, 2e-13) {
				t.Errorf("q = %v, z = %v, t = %d: got %v, want %v (off by %.1e)", c.q, c.z, order, got, want, got/want-1)
			}
		}
	}
}

// TestLogMomentOfAddition compares with a sum on a fine grid of the second order part of the
// moment, which first needs a finer rule than the first one.
func TestLogMomentOfAddition(t *testing.T) {
	for _, c := range []struct{ q, z, order float64 }{{1e-3, 0.2, 300}, {1e-3, 0.2, 3000}, {0.02, 0.3, 40}} {
		const h = 1.0 / 512
		var sum special.Total
		for k := -14 * 512; k <= 20*512; k++ {
			y := float64(k) * h
			rise := c.q * math.Expm1(y/c.z-0.5/(c.z*c.z))
			sum.Add(h * special.NormalDensity(y) * (math.Expm1(-c.order*math.Log1p(rise)) + c.order*rise))
		}
		i := compose(t, pair.Sampled(pair.Normal, c.z, c.q).Swap(), 1)
		if got, want := i.LogMoment(c.order), math.Log1p(sum.Value()); !near(got, want, 1e-12) {
			t.Errorf("%+v: got %v, want %v (off by %.1e)", c, got, want, got/want-1)
		}
	}
}

func TestLogMomentOfGaussian(t *testing.T) {
	for _, z := range []float64{0.3, 1, 1e4, 1e6} {
		i := compose(t, pair.Shift(pair.Normal, z), 3)
		for _, order := range []float64{-3, -0.5, 1e-3, 0.5, 1, 7.5, 60} {
			if got, want := i.LogMoment(order), 3*order*(order+1)/(2*z*z); !near(got, want, 1e-13) {
				t.Errorf("z = %v, t = %v: got %v, want %v", z, order, got, want)
			}
		}
		for _, order := range []float64{0, -1} {
			if got := i.LogMoment(order); math.Abs(got) > 1e-13 {
				t.Errorf("z = %v, t = %v: got %v, want 0", z, order, got)
			}
		}
		mean, variance := i.Tilted(2)
		if !near(mean, 3*2.5/(z*z), 1e-12) || !near(variance, 3/(z*z), 1e-12) {
			t.Errorf("z = %v: got mean %v and variance %v, want %v and %v", z, mean, variance, 3*2.5/(z*z), 3/(z*z))
		}
		if !near(i.Mean(), 1.5/(z*z), 1e-12) || !near(i.Variance(), 3/(z*z), 1e-12) {
			t.Errorf("z = %v: got mean %v and variance %v", z, i.Mean(), i.Variance())
		}
	}
}

// TestTiltedIsTheSlope compares the mean with a central difference of LogMoment.
func TestTiltedIsTheSlope(t *testing.T) {
	for _, m := range []pair.Pair{
		pair.Sampled(pair.Normal, 0.7, 0.05), pair.Sampled(pair.Laplace, 1, 0.2).Swap(), response(1),
		pair.Glued{Above: pair.Sampled(pair.Normal, 1, 0.1), Below: pair.Sampled(pair.Normal, 1, 0.1).Swap()},
	} {
		i := compose(t, m, 7)
		const h = 1e-4
		mean, variance := i.Tilted(1.5)
		up, here, down := i.LogMoment(1.5+h), i.LogMoment(1.5), i.LogMoment(1.5-h)
		if want := (up - down) / (2 * h); !near(mean, want, 1e-6) {
			t.Errorf("%+v: got mean %v, want %v", m, mean, want)
		}
		if want := (up - 2*here + down) / (h * h); !near(variance, want, 1e-3) {
			t.Errorf("%+v: got variance %v, want %v", m, variance, want)
		}
	}
}

func TestSaddleIsTheMinimum(t *testing.T) {
	i := compose(t, pair.Sampled(pair.Normal, 1, 0.01), 1000)
	exponent := func(t, epsilon float64) float64 {
		return i.LogMoment(t) - t*epsilon - math.Log(t) - math.Log1p(t)
	}
	for _, epsilon := range []float64{0, 0.5, 2, 5} {
		s, err := i.Saddle(epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if at := exponent(s, epsilon); at > exponent(s*0.99, epsilon) || at > exponent(s*1.01, epsilon) {
			t.Errorf("ε = %v: λ = %v is no minimum", epsilon, s)
		}
	}
	if _, err := compose(t, pair.Shift(pair.Laplace, 1), 2).Saddle(2); err == nil {
		t.Error("ε at the largest loss: got no error")
	}
}
