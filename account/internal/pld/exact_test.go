package pld

import (
	"math"
	"math/big"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// gaussianDelta is δ(ε) of the normal pair at distance mu, Φ(mu/2-ε/mu) - e^ε·Φ(-mu/2-ε/mu)
// (Balle & Wang 2018, theorem 8), as φ times a difference of Mills ratios.
func gaussianDelta(mu, epsilon float64) float64 {
	x := epsilon / mu
	return special.NormalDensity(x-mu/2) * special.MillsDifference(x, mu/2)
}

// gaussianEpsilon inverts gaussianDelta by bisection.
func gaussianEpsilon(mu, delta float64) float64 {
	low, high := 0.0, 1e4
	for range 200 {
		if mid := (low + high) / 2; gaussianDelta(mu, mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// contains checks that the truth, known to a relative accuracy, is between bounds that are
// no wider than given.
func contains(t *testing.T, name string, b Bounds, truth, accuracy, width float64) {
	t.Helper()
	if !(b.Lower <= truth*(1+accuracy) && truth*(1-accuracy) <= b.Upper) {
		t.Errorf("%s: bounds %v, want %v between them", name, b, truth)
	}
	if !(b.Upper-b.Lower <= width) {
		t.Errorf("%s: bounds %v are %g apart, want at most %g", name, b, b.Upper-b.Lower, width)
	}
}

// Normal pairs compose to a normal pair, whose δ has a closed form. The lattice, which
// direct asks for, does not know that.
func TestNormalPairsOnTheLattice(t *testing.T) {
	for _, v := range []struct {
		scale float64
		count int64
	}{{1, 1}, {3, 2}, {1, 20}, {0.2, 3}, {50, 1000}, {200, 100000}} {
		mu := math.Sqrt(float64(v.count)) / v.scale
		for _, delta := range []float64{0.3, 1e-5, 1e-15, 1e-40} {
			truth := gaussianEpsilon(mu, delta)
			if gaussianDelta(mu, 0) <= delta {
				continue
			}
			terms := []Term{{pair.Shift(pair.Normal, v.scale), v.count}}
			for _, o := range []Options{{direct: true}, {}} {
				b, err := Epsilon(terms, delta, o)
				if err != nil {
					t.Fatal(err)
				}
				contains(t, "epsilon", b, truth, 1e-11, 1.3e-4*truth+2e-6)
				b, err = Delta(terms, truth, o)
				if err != nil {
					t.Fatal(err)
				}
				contains(t, "delta", b, delta, 1e-9, delta*0.1)
			}
		}
	}
}

func TestDifferentNormalPairs(t *testing.T) {
	terms := []Term{{pair.Shift(pair.Normal, 5), 5}, {pair.Shift(pair.Normal, 2), 1}, {pair.Shift(pair.Normal, 30).Swap(), 300}, {sampled(1, 0.5), 0}}
	truth := gaussianEpsilon(math.Sqrt(5.0/25+1.0/4+300.0/900), 1e-5)
	for _, o := range []Options{{direct: true}, {}} {
		b, err := EpsilonBoth(terms, 1e-5, o)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, "epsilon", b, truth, 1e-11, 1.3e-4*truth)
	}
}

// binomialDelta is δ(ε) of randomized response with parameter epsilon0, repeated: the
// sum over the number k of truthful answers, in 200-bit arithmetic apart from the
// exponentials.
func binomialDelta(epsilon0 float64, count int64, epsilon float64) float64 {
	const prec = 200
	p := new(big.Float).SetPrec(prec).SetFloat64(math.Exp(epsilon0))
	p.Quo(p, new(big.Float).SetPrec(prec).Add(p, big.NewFloat(1)))
	q := new(big.Float).SetPrec(prec).Sub(big.NewFloat(1), p)
	power := func(x *big.Float, n int64) *big.Float {
		v := new(big.Float).SetPrec(prec).SetInt64(1)
		for range n {
			v.Mul(v, x)
		}
		return v
	}
	total := new(big.Float).SetPrec(prec)
	for k := int64(0); k <= count; k++ {
		loss := epsilon0 * float64(2*k-count)
		if loss <= epsilon {
			continue
		}
		v := new(big.Float).SetPrec(prec).SetInt(new(big.Int).Binomial(count, k))
		v.Mul(v, power(p, k)).Mul(v, power(q, count-k))
		total.Add(total, v.Mul(v, new(big.Float).SetFloat64(-math.Expm1(epsilon-loss))))
	}
	v, _ := total.Float64()
	return v
}

// response is randomized response with parameter epsilon.
func response(epsilon float64) pair.Atoms {
	p := 1 / (1 + math.Exp(-epsilon))
	q := 1 / (1 + math.Exp(epsilon))
	return pair.Atoms{{P: p, Q: q}, {P: q, Q: p}}
}

func TestRandomizedResponse(t *testing.T) {
	for _, v := range []struct {
		epsilon0 float64
		count    int64
	}{{1, 2}, {0.5, 10}, {0.1, 100}, {2, 7}, {0.02, 300}} {
		top := v.epsilon0 * float64(v.count)
		for _, share := range []float64{0, 0.05, 0.31, 0.7, 0.99} {
			epsilon := share * top
			truth := binomialDelta(v.epsilon0, v.count, epsilon)
			b, err := Delta([]Term{{response(v.epsilon0), v.count}}, epsilon, Options{})
			if err != nil {
				t.Fatal(err)
			}
			contains(t, "delta", b, truth, 1e-11, truth*1e-6)
		}
	}
}

// Atoms that no lattice holds, against an enumeration of all outcomes.
func TestUnevenAtoms(t *testing.T) {
	a := pair.Atoms{{P: 0.5, Q: 0.3}, {P: 0.2, Q: 0.25}, {P: 0.2996, Q: 0.45}, {P: 0.0004, Q: 0}}
	b := pair.Atoms{{P: 0.7, Q: 0.4}, {P: 0.3, Q: 0.6}}
	for _, epsilon := range []float64{0, 0.3, 1, 1.5} {
		truth := 0.0
		for _, x := range a {
			for _, y := range a {
				for _, z := range b {
					truth += math.Max(0, x.P*y.P*z.P-math.Exp(epsilon)*x.Q*y.Q*z.Q)
				}
			}
		}
		got, err := Delta([]Term{{a, 2}, {b, 1}}, epsilon, Options{})
		if err != nil {
			t.Fatal(err)
		}
		contains(t, "delta", got, truth, 1e-12, 1e-3*truth)
	}
	got, err := Delta([]Term{{a, 50}}, 1e6, Options{})
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "infinite loss", got, -math.Expm1(50*math.Log1p(-0.0004)), 1e-12, 1e-12)
	if e, _ := Epsilon([]Term{{a, 50}}, 0.01, Options{}); !math.IsInf(e.Lower, 1) {
		t.Errorf("epsilon for less than the probability of an infinite loss: got %v, want +Inf", e)
	}
}

// One release of Laplace noise has δ = 1-e^{(ε-1/b)/2} (section 3.2 of Balle & Wang 2018);
// two have the integral of it over the loss of the other.
func TestLaplace(t *testing.T) {
	for _, b := range []float64{0.5, 1, 10} {
		for _, epsilon := range []float64{0, 0.3 / b, 0.999 / b} {
			truth := -math.Expm1((epsilon - 1/b) / 2)
			for _, o := range []Options{{direct: true}, {}} {
				got, err := Delta([]Term{{pair.Shift(pair.Laplace, b), 1}}, epsilon, o)
				if err != nil {
					t.Fatal(err)
				}
				contains(t, "one", got, truth, 1e-12, 1e-3*truth)
			}
			truth = twoLaplace(1/b, epsilon)
			got, err := Delta([]Term{{pair.Shift(pair.Laplace, b), 2}}, epsilon, Options{})
			if err != nil {
				t.Fatal(err)
			}
			contains(t, "two", got, truth, 1e-8, 2e-3*truth)
		}
	}
}

// twoLaplace is E δ(ε-L) over the loss L of one release with largest loss a: ½ at a,
// e^{-a}/2 at -a, and density e^{(l-a)/2}/4 between. δ at a negative ε is from symmetry,
// 1-e^ε+e^ε·δ(-ε). The integral is by the midpoint rule on 40000 cells.
func twoLaplace(a, epsilon float64) float64 {
	one := func(e float64) float64 {
		switch {
		case e >= a:
			return 0
		case e <= -a:
			return -math.Expm1(e)
		case e >= 0:
			return -math.Expm1((e - a) / 2)
		}
		return -math.Expm1(e) - math.Exp(e)*math.Expm1((-e-a)/2)
	}
	const cells = 40000
	sum := one(epsilon-a)/2 + math.Exp(-a)/2*one(epsilon+a)
	for i := range cells {
		l := a * (2*(float64(i)+0.5)/cells - 1)
		sum += one(epsilon-l) * math.Exp((l-a)/2) / 4 * 2 * a / cells
	}
	return sum
}

// A choice between pairs, made twice, against the sum over both choices; and a bounded
// range, of which two have the integral of the profile of one over the loss of the other.
func TestChoicesAndBoundedRanges(t *testing.T) {
	first, second := response(0.7), pair.Atoms{{P: 0.5, Q: 0.2}, {P: 0.5, Q: 0.8}}
	choice := pair.Choice{{Weight: 0.3, Pair: first}, {Weight: 0.7, Pair: second}}
	for _, epsilon := range []float64{0, 0.4, 1.1} {
		truth := 0.0
		for _, v := range choice {
			for _, w := range choice {
				for _, x := range v.Pair.(pair.Atoms) {
					for _, y := range w.Pair.(pair.Atoms) {
						truth += v.Weight * w.Weight * math.Max(0, x.P*y.P-math.Exp(epsilon)*x.Q*y.Q)
					}
				}
			}
		}
		got, err := Delta([]Term{{choice, 2}}, epsilon, Options{})
		if err != nil {
			t.Fatal(err)
		}
		contains(t, "choice", got, truth, 1e-12, 1e-3*truth)

		const e, cells = 0.8, 20000
		one := func(a float64) float64 {
			switch {
			case a >= e:
				return 0
			case a <= -e:
				return -math.Expm1(a)
			}
			root := -math.Expm1((a - e) / 2)
			return root * root / -math.Expm1(-e)
		}
		truth = 0
		for i := range cells {
			l := e * (2*(float64(i)+0.5)/cells - 1)
			truth += one(epsilon-l) * math.Exp((l-e)/2) / (2 * -math.Expm1(-e)) * 2 * e / cells
		}
		if got, err = Delta([]Term{{pair.BoundedRange{Epsilon: e}, 2}}, epsilon, Options{}); err != nil {
			t.Fatal(err)
		}
		contains(t, "bounded range", got, truth, 1e-7, 1e-3*truth)
	}
}
