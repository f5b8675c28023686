package contour

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// compose returns the integral of count releases of one pair.
func compose(t testing.TB, p pair.Pair, count float64) *Integral {
	t.Helper()
	i, err := New([]Term{{p, count}})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// delta returns δ(ε) or fails the test.
func delta(t testing.TB, i *Integral, epsilon float64) float64 {
	t.Helper()
	d, err := i.Delta(epsilon)
	if err != nil {
		t.Fatalf("Delta(%v): %v", epsilon, err)
	}
	return d
}

// near reports whether got is want to a relative tolerance.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// gaussianDelta is the privacy profile of a Gaussian release whose mean moves by mu standard
// deviations: Φ(-x) - e^ε·Φ(-x-μ) with x = ε/μ - μ/2, written as φ(x) times a difference of
// Mills ratios (Balle & Wang, "Improving the Gaussian Mechanism for Differential Privacy",
// ICML 2018, theorem 8, https://arxiv.org/abs/1805.06530).
func gaussianDelta(mu, epsilon float64) float64 {
	x := epsilon/mu - mu/2
	if x < 0 {
		return special.NormalCDF(-x) - math.Exp(epsilon)*special.NormalCDF(-x-mu)
	}
	return special.NormalDensity(x) * special.MillsDifference(x+mu/2, mu/2)
}

// gaussianEpsilon inverts gaussianDelta by bisection.
func gaussianEpsilon(mu, delta float64) float64 {
	low, high := 0.0, 1.0
	for gaussianDelta(mu, high) > delta {
		high *= 2
	}
	for range 200 {
		if middle := (low + high) / 2; gaussianDelta(mu, middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func TestGaussianAloneIsTheClosedForm(t *testing.T) {
	for _, z := range []float64{0.2, 1, 5, 200} {
		i := compose(t, pair.Shift(pair.Normal, z), 1)
		for _, want := range []float64{0.9, 0.5, 0.1, 1e-3, 1e-5, 1e-10, 1e-20, 1e-40} {
			if want >= gaussianDelta(1/z, 0) {
				continue
			}
			epsilon := gaussianEpsilon(1/z, want)
			if got := delta(t, i, epsilon); !near(got, gaussianDelta(1/z, epsilon), 1e-9) {
				t.Errorf("z = %v, ε = %v: got δ = %v, want %v", z, epsilon, got, want)
			}
			if got, err := i.Epsilon(want); err != nil || !near(got, epsilon, 1e-9) {
				t.Errorf("z = %v, δ = %v: got ε = %v, %v, want %v", z, want, got, err, epsilon)
			}
		}
	}
}

func TestGaussianAtZeroAndBelow(t *testing.T) {
	for _, z := range []float64{0.5, 1, 20} {
		i := compose(t, pair.Shift(pair.Normal, z), 1)
		for _, epsilon := range []float64{-2, -0.1, 0, 1e-9, 1e-3} {
			if got, want := delta(t, i, epsilon), gaussianDelta(1/z, epsilon); !near(got, want, 1e-9) {
				t.Errorf("z = %v, ε = %v: got δ = %v, want %v", z, epsilon, got, want)
			}
		}
	}
}

func TestGaussiansComposeToOneGaussian(t *testing.T) {
	for _, c := range []struct{ z, count float64 }{{1, 2}, {5, 10}, {100, 1e4}, {200, 1e6}, {1e5, 1e9}} {
		i, mu := compose(t, pair.Shift(pair.Normal, c.z), c.count), math.Sqrt(c.count)/c.z
		for _, d := range []float64{1e-2, 1e-5, 1e-12, 1e-40} {
			if d > gaussianDelta(mu, 0) {
				continue
			}
			want := gaussianEpsilon(mu, d)
			if got, err := i.Epsilon(d); err != nil || !near(got, want, 1e-9) {
				t.Errorf("%v releases of z = %v at δ = %v: got ε = %v, %v, want %v", c.count, c.z, d, got, err, want)
			}
		}
	}
}

func TestUnlikeGaussiansCompose(t *testing.T) {
	var terms []Term
	square := 0.0
	for k := range 40 {
		z := 2 + float64(k)
		terms = append(terms, Term{pair.Shift(pair.Normal, z), float64(1 + k%3)})
		square += float64(1+k%3) / (z * z)
	}
	i, err := New(terms)
	if err != nil {
		t.Fatal(err)
	}
	want := gaussianEpsilon(math.Sqrt(square), 1e-6)
	got, err := i.Epsilon(1e-6)
	if err != nil || !near(got, want, 1e-9) {
		t.Errorf("got ε = %v, %v, want %v", got, err, want)
	}
}

// sampledDelta is the exact privacy profile of one Poisson-sampled Gaussian in the
// direction in which the record is removed: P = (1-q)·N(0,z²) + q·N(1,z²), Q = N(0,z²). The
// loss exceeds ε where x exceeds z²·log(1 + (e^ε-1)/q) + 1/2.
func sampledDelta(q, z, epsilon float64) float64 {
	if epsilon <= math.Log1p(-q) {
		return -math.Expm1(epsilon)
	}
	x := z*z*math.Log1p(math.Expm1(epsilon)/q) + 0.5
	return q*special.NormalCDF((1-x)/z) - (math.Expm1(epsilon)+q)*special.NormalCDF(-x/z)
}

func TestOneSampledGaussianIsTheClosedFormOrRefused(t *testing.T) {
	right := 0
	for _, q := range []float64{0.99, 0.5} {
		for _, z := range []float64{1, 20} {
			i := compose(t, pair.Sampled(pair.Normal, z, q), 1)
			for _, epsilon := range []float64{0.01, 0.1, 1} {
				got, err := i.Delta(epsilon)
				want := sampledDelta(q, z, epsilon)
				if errors.Is(err, ErrUnsuited) || want < 1e-30 {
					continue
				}
				right++
				if err != nil || !near(got, want, 2e-9) {
					t.Errorf("q = %v, z = %v, ε = %v: got δ = %v, %v, want %v", q, z, epsilon, got, err, want)
				}
			}
		}
	}
	if right < 6 {
		t.Errorf("%d cases were answered, want at least half of them", right)
	}
}

// twice returns δ of two releases of a sampled Gaussian, as the expectation under the loss
// of the first release of the closed profile of the second: the trapezoid rule in x.
func twice(q, z, epsilon float64) float64 {
	const h = 1.0 / 512
	sum := 0.0
	for k := -20 * 512; k <= 30*512; k++ {
		x := float64(k) * h * z
		ratio := 1 - q + q*math.Exp((2*x-1)/(2*z*z))
		sum += special.NormalDensity(x/z) * ratio * h * sampledDelta(q, z, epsilon-math.Log(ratio))
	}
	return sum
}

func TestTwoReleasesAgreeWithDirectIntegration(t *testing.T) {
	for _, c := range []struct{ q, z, epsilon float64 }{
		{0.5, 1, 0.1}, {0.5, 1, 1}, {0.5, 1, 4.854}, {0.9, 2, 1}, {0.3, 2, 0.3}, {0.2, 1, 2},
	} {
		got, err := compose(t, pair.Sampled(pair.Normal, c.z, c.q), 2).Delta(c.epsilon)
		if want := twice(c.q, c.z, c.epsilon); err != nil || !near(got, want, 1e-9) {
			t.Errorf("%+v: got δ = %v, %v, want %v", c, got, err, want)
		}
	}
}

// TestSwapMirrors checks H_a(Q‖P) = 1 - a + a·H_{1/a}(P‖Q), which links both directions.
func TestSwapMirrors(t *testing.T) {
	for _, m := range []pair.Mixture{
		pair.Sampled(pair.Normal, 1, 0.1), pair.Sampled(pair.Normal, 3, 0.4), pair.Sampled(pair.Laplace, 2, 0.3),
	} {
		there, back := compose(t, m, 200), compose(t, m.Swap(), 200)
		for _, epsilon := range []float64{0.1, 1, 3} {
			got, want := delta(t, back, epsilon), -math.Expm1(epsilon)+math.Exp(epsilon)*delta(t, there, -epsilon)
			if math.Abs(got-want) > 1e-9*math.Exp(epsilon) {
				t.Errorf("%+v, ε = %v: got δ = %v, want %v", m, epsilon, got, want)
			}
		}
	}
}

func TestTermsAddUp(t *testing.T) {
	a, b := pair.Sampled(pair.Normal, 1, 0.02), pair.Sampled(pair.Normal, 2, 0.1).Swap()
	lists := [][]Term{
		{{a, 1500}, {b, 800}},
		{{b, 800}, {a, 1500}},
		{{a, 1000}, {b, 300}, {a, 500}, {b, 500}, {a, 0}},
	}
	want := 0.0
	for k, terms := range lists {
		i, err := New(terms)
		if err != nil {
			t.Fatal(err)
		}
		got, err := i.Epsilon(1e-8)
		if k == 0 {
			want = got
		}
		if err != nil || !near(got, want, 1e-11) || got <= 0 {
			t.Errorf("order %d: got ε = %v, %v, want %v", k, got, err, want)
		}
	}
}

func TestEpsilonFallsWithDeltaAndInverts(t *testing.T) {
	i := compose(t, pair.Sampled(pair.Normal, 0.9, 0.02), 3000)
	before := math.Inf(1)
	for _, d := range []float64{1e-40, 1e-20, 1e-10, 1e-5, 1e-2, 0.5} {
		epsilon, err := i.Epsilon(d)
		if err != nil {
			t.Fatal(err)
		}
		if epsilon >= before {
			t.Errorf("δ = %v: got ε = %v, want less than %v", d, epsilon, before)
		}
		if got := delta(t, i, epsilon); !near(got, d, 1e-8) {
			t.Errorf("δ(%v): got %v, want %v", epsilon, got, d)
		}
		before = epsilon
	}
}
