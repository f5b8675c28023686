package curve

import (
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestProfileIsAnUpperBound compares the chords with closed forms of the smallest delta: that
// of GDP, and 1 - e^((ε-ε0)/2) for one Laplace release that costs ε0 (Balle, Barthe & Gaboardi,
// "Privacy Amplification by Subsampling", NeurIPS 2018, theorem 3, on its profile).
func TestProfileIsAnUpperBound(t *testing.T) {
	for text, exact := range map[string]func(epsilon float64) float64{
		"laplace(0.5)": func(epsilon float64) float64 { return max(0, -math.Expm1((epsilon-2)/2)) },
		"gaussian(0.8)": func(epsilon float64) float64 {
			mu := 1 / 0.8
			return normal(mu/2-epsilon/mu) - math.Exp(epsilon)*normal(-mu/2-epsilon/mu)
		},
	} {
		p, ok := newProfile(account.PLD.WithWidth(profileWidth), parseEvent(t, text), privacy.AddOrRemoveOne)
		if !ok || len(p.epsilons) < 10 || p.epsilons[0] != 0 {
			t.Fatalf("%s: got profile %+v, want many points from 0", text, p)
		}
		for epsilon := 0.0; epsilon < 8; epsilon += 0.01 {
			got, want := p.at(epsilon), exact(epsilon)
			if got < want*(1-1e-9)-1e-15 || got > want+0.02 {
				t.Errorf("%s at epsilon %v: got delta %v, want at least %v and not far from it", text, epsilon, got, want)
			}
		}
		for i, epsilon := range p.epsilons {
			if got := p.at(epsilon); math.Abs(got-p.deltas[i]) > 1e-9 {
				t.Errorf("%s: got delta %v at its own epsilon %v, want %v", text, got, epsilon, p.deltas[i])
			}
		}
	}
}

// normal is the distribution function of the standard normal law.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// TestTradeOff compares with the exact curve of a Gaussian release, Φ(Φ⁻¹(1-fp) - μ) (Dong,
// Roth & Su, "Gaussian Differential Privacy", JRSS B 2022, equation 6).
func TestTradeOff(t *testing.T) {
	prices := asked(t, "gaussian(1)", 1e-6, account.All()...)
	trade, err := prices.TradeOff(prices.Intervals[len(prices.Intervals)-1].Upper, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errorsOf(trade) {
		exact := normal(math.Sqrt2*math.Erfinv(1-2*e.FalsePositives) - 1)
		if e.FalsePositives == 1 {
			exact = 0
		}
		if e.FalseNegatives > exact+1e-12 || e.FalseNegatives < exact-0.01 {
			t.Errorf("at %v false positives: got %v false negatives, want at most %v and not far from it", e.FalsePositives, e.FalseNegatives, exact)
		}
	}
}

func TestGrowth(t *testing.T) {
	for text, c := range map[string]struct {
		total int
		first string
		whole bool
	}{
		"repeat(1000, gaussian(9))":                                                  {1000, "repeat(1, gaussian(9))", true},
		"repeat(1, repeat(7, gaussian(9)))":                                          {7, "repeat(1, gaussian(9))", true},
		"sequence(gaussian(3), repeat(60, laplace(9)))":                              {60, "sequence(gaussian(3), repeat(1, laplace(9)))", true},
		"sequence(gaussian(3), sequence(repeat(5, laplace(9))))":                     {5, "sequence(gaussian(3), sequence(repeat(1, laplace(9))))", true},
		"last-iterate(40, 0.9, 100)":                                                 {100, "last-iterate(40, 0.9, 1)", true},
		"last-iterate-convex(40, 2, 100)":                                            {100, "last-iterate-convex(40, 2, 1)", true},
		"tree-aggregation(5, 33)":                                                    {33, "tree-aggregation(5, 1)", true},
		"banded-matrix(2, 8, 64, 1)":                                                 {64, "banded-matrix(2, 8, 1, 1)", true},
		"gaussian(1)":                                                                {plotRuns, "repeat(1, gaussian(1))", false},
		"sequence(repeat(5, laplace(9)), gaussian(3))":                               {5, "sequence(repeat(1, laplace(9)), gaussian(3))", true},
		"sequence(gaussian(42), repeat(120, gaussian(47)), repeat(2, gaussian(42)))": {120, "sequence(gaussian(42), repeat(1, gaussian(47)), repeat(2, gaussian(42)))", true},
		"sequence(gaussian(3), gaussian(4))":                                         {plotRuns, "repeat(1, sequence(gaussian(3), gaussian(4)))", false},
		"sequence()":                                                                 {plotRuns, "repeat(1, sequence())", false},
		"repeat(0, gaussian(1))":                                                     {plotRuns, "repeat(1, repeat(0, gaussian(1)))", false},
		"repeat(1, gaussian(1))":                                                     {plotRuns, "repeat(1, repeat(1, gaussian(1)))", false},
		"repeat(1000000000, poisson(0.000001, gaussian(1000000)))":                   {1000000000, "repeat(1, poisson(1e-06, gaussian(1e+06)))", true},
	} {
		g := growthOf(parseEvent(t, text))
		if g.total != c.total || g.whole != c.whole || g.at(1).String() != c.first {
			t.Errorf("%s: got total %d, whole %v, first %v; want %+v", text, g.total, g.whole, g.at(1), c)
		}
		counts := g.counts()
		if counts[0] != 1 || counts[len(counts)-1] != g.total || len(counts) > plotPoints+1 || len(counts) < min(5, g.total) {
			t.Errorf("%s: got counts %v, want 1 to %d", text, counts, g.total)
		}
		for i := range counts[1:] {
			if counts[i] >= counts[i+1] {
				t.Errorf("%s: got counts %v, want them to grow", text, counts)
			}
		}
	}
}

// TestCosts: each point is the library's, and the last one is the answer.
func TestCosts(t *testing.T) {
	prices := asked(t, "sequence(gaussian(5), repeat(100, gaussian(20)))", 1e-6, account.All()...)
	claimed := prices.Intervals[len(prices.Intervals)-1]
	points := prices.costs(growthOf(prices.Event), 1e-6, &claimed)
	for _, p := range points {
		want, refused := account.GDP.Epsilon(mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: 5}, mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 20}, Count: int(p.Count)}}, 1e-6, privacy.AddOrRemoveOne)
		if refused != nil {
			t.Fatal(refused)
		}
		if math.Abs(p.Upper-want.Upper) > 1e-8*want.Upper || p.Lower > want.Upper || p.Lower < 0.99*want.Upper {
			t.Errorf("after %v steps: got %+v, want %+v", p.Count, p, want)
		}
	}
	if last := points[len(points)-1]; last.Count != 100 || last.Upper != claimed.Upper {
		t.Errorf("got %+v at last, want the claim %v after 100 steps", last, claimed)
	}
}

// TestCostsEndWithTheAnswer: the last point is as narrow as the answer, though the others are
// computed with less effort.
func TestCostsEndWithTheAnswer(t *testing.T) {
	prices := asked(t, "repeat(3, poisson(0.1, gaussian(1.1)))", 1e-5, account.PLD)
	claimed := prices.Intervals[0]
	points := prices.costs(growthOf(prices.Event), 1e-5, &claimed)
	if last := points[len(points)-1]; last.Upper != claimed.Upper || last.Lower != claimed.Lower || last.Lower == 0 {
		t.Errorf("got %+v at last, want %+v", last, claimed)
	}
}

// asked asks accountants for the epsilon of an event in text.
func asked(t *testing.T, text string, delta float64, accountants ...account.Accountant) Prices {
	t.Helper()
	e := parseEvent(t, text)
	p := Ask(e, privacy.AddOrRemoveOne, accountants, func(a account.Accountant) (account.Interval, error) {
		return a.Epsilon(e, delta, privacy.AddOrRemoveOne)
	})
	if err := p.Refusals[len(accountants)-1]; err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfileAdd(t *testing.T) {
	p := profile{[]float64{0}, []float64{0.5}}
	for _, c := range [][2]float64{{1, 0.4}, {2, 0.45}, {math.Inf(1), 0.1}, {1, 0.3}, {3, 0.2}} {
		p.add(c[0], c[1])
	}
	if !slices.Equal(p.epsilons, []float64{0, 1, 3}) || !slices.Equal(p.deltas, []float64{0.5, 0.3, 0.2}) {
		t.Errorf("got %+v, want epsilon 0, 1, 3 at delta 0.5, 0.3, 0.2", p)
	}
}

func parseEvent(t *testing.T, text string) mechanism.Event {
	t.Helper()
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
