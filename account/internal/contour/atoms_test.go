package contour

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// response returns randomized response with pure epsilon.
func response(epsilon float64) pair.Atoms {
	p := 1 / (1 + math.Exp(-epsilon))
	return pair.Atoms{{P: p, Q: 1 - p}, {P: 1 - p, Q: p}}
}

// responseDelta is the binomial sum of n randomized responses (Kairouz, Oh & Viswanath,
// "The Composition Theorem for Differential Privacy", ICML 2015, theorem 3.3).
func responseDelta(pure float64, n int, epsilon float64) float64 {
	p, sum := 1/(1+math.Exp(-pure)), 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for k := range n + 1 {
		up, _ := math.Lgamma(float64(k + 1))
		down, _ := math.Lgamma(float64(n - k + 1))
		if loss := float64(2*k-n) * pure; loss > epsilon {
			log := all - up - down + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
			sum += math.Exp(log) * -math.Expm1(epsilon-loss)
		}
	}
	return sum
}

func TestRandomizedResponseIsTheBinomialSum(t *testing.T) {
	for _, n := range []int{1, 10, 100, 1000, 10000} {
		for _, pure := range []float64{0.011, 0.31, 2.1} {
			for _, epsilon := range []float64{0.05, 0.5, 3} {
				want := responseDelta(pure, n, epsilon)
				got, err := compose(t, response(pure), float64(n)).Delta(epsilon)
				if err != nil || math.Abs(got-want) > 1e-9*want {
					t.Errorf("%d responses of ε = %v at %v: got δ = %v, %v, want %v", n, pure, epsilon, got, err, want)
				}
			}
		}
	}
}

// TestResponsesUnderAGaussian checks atoms where the integral converges, against the sum
// over the binomial number of losses of the closed Gaussian profile.
func TestResponsesUnderAGaussian(t *testing.T) {
	const pure, n, z = 0.3, 20, 2.0
	i, err := New([]Term{{response(pure), n}, {pair.Shift(pair.Normal, z), 1}})
	if err != nil {
		t.Fatal(err)
	}
	p := 1 / (1 + math.Exp(-pure))
	for _, epsilon := range []float64{0.1, 1, 3} {
		want := 0.0
		all, _ := math.Lgamma(n + 1)
		for k := range n + 1 {
			up, _ := math.Lgamma(float64(k + 1))
			down, _ := math.Lgamma(float64(n - k + 1))
			log := all - up - down + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
			want += math.Exp(log) * gaussianDelta(1/z, epsilon-float64(2*k-n)*pure)
		}
		if got := delta(t, i, epsilon); !near(got, want, 1e-9) {
			t.Errorf("ε = %v: got δ = %v, want %v", epsilon, got, want)
		}
	}
}

// TestInfiniteLossAddsUp puts an outcome that Q never has beside a Gaussian.
func TestInfiniteLossAddsUp(t *testing.T) {
	const lost, n, z = 1e-3, 5, 1.5
	i, err := New([]Term{{pair.Atoms{{P: lost}, {P: 1 - lost, Q: 1}}, n}, {pair.Shift(pair.Normal, z), 1}})
	if err != nil {
		t.Fatal(err)
	}
	// Given that no loss is infinite, each release adds log(1-lost) to the loss.
	keep := math.Pow(1-lost, n)
	for _, epsilon := range []float64{0, 0.5, 2} {
		want := 1 - keep + keep*gaussianDelta(1/z, epsilon-n*math.Log1p(-lost))
		if got := delta(t, i, epsilon); !near(got, want, 1e-9) {
			t.Errorf("ε = %v: got δ = %v, want %v", epsilon, got, want)
		}
	}
	got, err := i.Epsilon(1e-3)
	if err != nil || !math.IsInf(got, 1) {
		t.Errorf("got ε = %v, %v, want +Inf", got, err)
	}
}

func TestNothingReleased(t *testing.T) {
	for name, terms := range map[string][]Term{
		"no terms":  nil,
		"no counts": {{pair.Shift(pair.Normal, 1), 0}},
		"no shift":  {{pair.Mixture{Law: pair.Normal, Scale: 1, P: []pair.Component{{Weight: 1, Mean: 1}}, Q: []pair.Component{{Weight: 1, Mean: 1}}}, 3}},
	} {
		i, err := New(terms)
		if err != nil {
			t.Fatal(name, err)
		}
		for epsilon, want := range map[float64]float64{0: 0, 1: 0, -1: 1 - math.Exp(-1)} {
			if got := delta(t, i, epsilon); !near(got, want, 1e-15) {
				t.Errorf("%s, ε = %v: got δ = %v, want %v", name, epsilon, got, want)
			}
		}
		var got float64
		if got, err = i.Epsilon(1e-5); got != 0 || err != nil {
			t.Errorf("%s: got ε = %v, %v, want 0", name, got, err)
		}
	}
}

func TestLossesAreBounded(t *testing.T) {
	i := compose(t, pair.Sampled(pair.Normal, 1, 0.1).Swap(), 100)
	most := -100 * math.Log(0.9)
	if got := delta(t, i, most*1.0001); got != 0 {
		t.Errorf("above the largest loss: got δ = %v, want 0", got)
	}
	if got, err := i.Epsilon(0); err != nil || !near(got, most, 1e-14) {
		t.Errorf("δ = 0: got ε = %v, %v, want %v", got, err, most)
	}
}

func TestInvalidTermsAreRefused(t *testing.T) {
	good := pair.Shift(pair.Normal, 1)
	for name, term := range map[string]Term{
		"fraction":       {good, 1.5},
		"negative count": {good, -1},
		"no count":       {good, math.NaN()},
		"no scale":       {pair.Shift(pair.Normal, 0), 1},
		"no law":         {pair.Shift(0, 1), 1},
		"weights":        {pair.Mixture{Law: pair.Normal, Scale: 1, P: []pair.Component{{Weight: 0.5, Mean: 1}}, Q: []pair.Component{{Weight: 1, Mean: 0}}}, 1},
		"mean":           {pair.Mixture{Law: pair.Normal, Scale: 1, P: []pair.Component{{Weight: 1, Mean: math.Inf(1)}}, Q: []pair.Component{{Weight: 1, Mean: 0}}}, 1},
		"atoms":          {pair.Atoms{{P: 0.5, Q: 0.5}}, 1},
		"negative atom":  {pair.Atoms{{P: 1.5, Q: 1}, {P: -0.5, Q: 0}}, 1},
		"no pair":        {nil, 1},
	} {
		if _, err := New([]Term{term}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	i := compose(t, good, 1)
	if _, err := i.Epsilon(math.NaN()); err == nil {
		t.Error("δ not a number: got no error")
	}
	if _, err := i.Delta(math.NaN()); err == nil {
		t.Error("ε not a number: got no error")
	}
}

// TestThreeAtomsAreRefusedOrRight checks pairs whose lattice is not listed, against the
// direct convolution of their losses.
func TestThreeAtomsAreRefusedOrRight(t *testing.T) {
	three := pair.Atoms{{P: 0.5, Q: 0.25}, {P: 0.3, Q: 0.3}, {P: 0.2, Q: 0.45}}
	for _, n := range []int{1, 2, 8, 1000} {
		got, err := compose(t, three, float64(n)).Delta(0.7)
		if errors.Is(err, ErrUnsuited) {
			continue
		}
		if want := convolved(three, n, 0.7); err != nil || !near(got, want, 1e-9) {
			t.Errorf("%d releases: got δ = %v, %v, want %v", n, got, err, want)
		}
	}
}

// TestLatticeOfThreeIsRefusedOrRight puts two randomized responses into one pair. Their
// losses lie on a lattice, so the integrand falls silent and comes back.
func TestLatticeOfThreeIsRefusedOrRight(t *testing.T) {
	for _, pure := range []float64{0.02, 0.2} {
		p := 1 / (1 + math.Exp(-pure))
		both := pair.Atoms{{P: p * p, Q: (1 - p) * (1 - p)}, {P: 2 * p * (1 - p), Q: 2 * p * (1 - p)}, {P: (1 - p) * (1 - p), Q: p * p}}
		for _, n := range []int{20, 1000} {
			got, err := compose(t, both, float64(n)).Delta(0.3)
			if want := responseDelta(pure, 2*n, 0.3); !errors.Is(err, ErrUnsuited) && (err != nil || !near(got, want, 1e-9)) {
				t.Errorf("%d pairs of ε = %v: got δ = %v, %v, want %v", n, pure, got, err, want)
			}
		}
	}
}

func TestLatticeHoldsTheMassAndTheMean(t *testing.T) {
	for _, n := range []float64{1, 7, 1e5} {
		l := repeat([]float64{0.5, -0.25}, []float64{0.3, 0.69}, n)
		sum, mean := 0.0, 0.0
		for j, log := range l.logMass {
			sum += math.Exp(log - n*math.Log(0.99))
			mean += math.Exp(log-n*math.Log(0.99)) * l.loss[j]
		}
		if want := n * (0.3*0.5 - 0.69*0.25) / 0.99; !near(sum, 1, 1e-10) || !near(mean, want, 1e-9) {
			t.Errorf("n = %v: got mass %v and mean %v, want 1 and %v", n, sum, mean, want)
		}
	}
}

// convolved returns δ of n releases of a pair of three atoms, over how often each falls.
func convolved(a pair.Atoms, n int, epsilon float64) float64 {
	sum := 0.0
	for i := 0; i <= n; i++ {
		for j := 0; i+j <= n; j++ {
			k := n - i - j
			ways := logFactorial(n) - logFactorial(i) - logFactorial(j) - logFactorial(k)
			p := ways + float64(i)*math.Log(a[0].P) + float64(j)*math.Log(a[1].P) + float64(k)*math.Log(a[2].P)
			q := ways + float64(i)*math.Log(a[0].Q) + float64(j)*math.Log(a[1].Q) + float64(k)*math.Log(a[2].Q)
			if p-q > epsilon {
				sum += math.Exp(p) * -math.Expm1(epsilon-(p-q))
			}
		}
	}
	return sum
}
