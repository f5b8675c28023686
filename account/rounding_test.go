package account

import (
	"math"
	"math/big"
	"testing"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// precise is a number of 600 bits.
func precise(x float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(x) }

// preciseExp returns e^-x for x of 0 or more, by a Taylor series of x/2^k squared k times.
func preciseExp(x *big.Float) *big.Float {
	const halvings = 20
	y := new(big.Float).SetPrec(600).SetMantExp(x, -halvings)
	sum, term := precise(1), precise(1)
	for k := 1; k < 60; k++ {
		term.Mul(term, y).Quo(term, precise(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.Quo(precise(1), sum)
}

// apart is |x/want - 1| in units of 2^-53.
func apart(x float64, want *big.Float) float64 {
	ratio, _ := new(big.Float).Sub(new(big.Float).Quo(precise(x), want), precise(1)).Float64()
	return math.Abs(ratio) * 0x1p53
}

// TestDecayIsPrecise compares e^(-a/b) with math/big, up to where it is a normal number.
func TestDecayIsPrecise(t *testing.T) {
	worst := 0.0
	for i := range 300 {
		a, b := float64(1+i*i), 0.7+float64(i)/3
		for a/b > 700 {
			b *= 1.7
		}
		if v := apart(decay(a, b, 0), preciseExp(new(big.Float).Quo(precise(a), precise(b)))); v > worst {
			worst = v
		}
	}
	if worst > 3 {
		t.Errorf("decay errs by %v units, want at most 3", worst)
	}
}

// TestDiscreteNoiseIsBoundedFarOut compares δ of one release of discrete normal noise with math/big where it is below
// 1e-100: the exponents of its probabilities are in the hundreds.
func TestDiscreteNoiseIsBoundedFarOut(t *testing.T) {
	for _, c := range []struct{ sigma, epsilon float64 }{{1.1, 17.5}, {1.1, 17.9}, {1.1, 18.2}, {1.3, 12}, {2.7, 6.3}, {0.9, 25}, {1.1, 0.5}, {30, 0.5}} {
		square := new(big.Float).Mul(precise(c.sigma), precise(c.sigma))
		square.Add(square, square)
		weight := func(x float64) *big.Float { return preciseExp(new(big.Float).Quo(precise(x*x), square)) }
		total, delta := precise(1), precise(0)
		factor := new(big.Float).Quo(precise(1), preciseExp(precise(c.epsilon)))
		reach := 60 * c.sigma
		for x := 1.0; x < reach; x++ {
			total.Add(total, new(big.Float).Mul(precise(2), weight(x)))
		}
		for x := -math.Floor(reach); x < reach; x++ {
			if d := new(big.Float).Sub(weight(x-1), new(big.Float).Mul(factor, weight(x))); d.Sign() > 0 {
				delta.Add(delta, d)
			}
		}
		delta.Quo(delta, total)
		want, _ := delta.Float64()
		e := mechanism.DiscreteGaussian{StandardDeviation: c.sigma, Sensitivity: 1}
		v, err := lossDistributions{}.Delta(e, c.epsilon, privacy.AddOrRemoveOne)
		if err != nil || precise(v.Upper).Cmp(delta) < 0 || precise(v.Lower).Cmp(delta) > 0 || v.Upper > want*(1+1e-10)+2e-300 {
			t.Errorf("%v at ε %v: got %v (%v), want %v between them", e, c.epsilon, v, err, want)
		}
	}
}

// TestFaintDeltasAreNotBelowTheTruth asks for δ of one sampled Gaussian release where float64 has few digits. The truth is
// q times that of the release at a larger ε, in logarithms.
func TestFaintDeltasAreNotBelowTheTruth(t *testing.T) {
	const q, z = 0.5, 1.0
	for epsilon := 36.5; epsilon < 38.6; epsilon += 0.005 {
		v, err := lossDistributions{}.Delta(sampled(q, z), epsilon, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		// δ = q·H(ε') with ε' = log(1+(e^ε-1)/q); H(ε') = φ(x)·(m(x) - m(x+1)) at x = ε'-1/2 for a Mills ratio m.
		x := math.Log1p(math.Expm1(epsilon)/q)*z*z - 0.5
		log := math.Log(q) - x*x/2 - math.Log(2*math.Pi)/2 + math.Log(special.MillsRatio(x)-special.MillsRatio(x+1))
		scaled, _ := new(big.Float).SetMantExp(preciseExp(precise(-log)), 1074).Float64() // in least numbers of float64
		if up := v.Upper / math.SmallestNonzeroFloat64; up < scaled*(1-1e-11) || v.Lower/math.SmallestNonzeroFloat64 > scaled*(1+1e-11) || up > scaled*(1+1e-9)+40 {
			t.Errorf("ε %v: got %v, want %v least numbers", epsilon, v, scaled)
		}
	}
}

// TestLowerBoundsOfLargeLosses asks where outcomes are too rare to be written out: they have large losses and are not
// disclosed, so that lower bounds are finite.
func TestLowerBoundsOfLargeLosses(t *testing.T) {
	for _, c := range []struct {
		text  string
		delta float64
		truth float64 // an upper bound on ε
	}{
		{"assumed-dp(800, 0, add-or-remove-one)", 1e-6, 800},
		{"assumed-dp(709, 0, add-or-remove-one)", 0, 709},
		{"assumed-dp(709.3, 0, add-or-remove-one)", 0, 709.3},
		{"assumed-dp(708.7, 0, add-or-remove-one)", 1e-9, 708.7},
		{"k-norm(0.00125)", 1e-6, 800},
		{"k-norm(0.00125)", 0, 800},
		{"sequence(assumed-dp(800, 0, add-or-remove-one), laplace(1))", 1e-6, 801},
		{"with-replacement(1000, 20, gaussian(4))", 1e-22, 1e3},
		{"with-replacement(100000, 1000, gaussian(9))", 1e-22, 1e3},
		{"repeat(3, with-replacement(1000, 20, gaussian(4)))", 1e-22, 3e3},
	} {
		e := parsed(t, c.text)
		n := privacy.AddOrRemoveOne
		if mechanism.CheckNeighboring(e, n) != nil {
			n = privacy.ReplaceOne
		}
		v, err := lossDistributions{}.Epsilon(e, c.delta, n)
		if err != nil || !(v.Lower <= c.truth && v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
			t.Errorf("%s at δ %v: got %v (%v), want a lower bound of at most %v", c.text, c.delta, v, err, c.truth)
		}
	}
	if v, err := (lossDistributions{}).Epsilon(parsed(t, "assumed-dp(800, 1e-5, add-or-remove-one)"), 1e-6, privacy.AddOrRemoveOne); err != nil || !math.IsInf(v.Upper, 1) {
		t.Errorf("a statement with a larger δ than is asked for: got %v (%v), want no upper bound", v, err)
	}
	if v, err := (lossDistributions{}).Delta(parsed(t, "assumed-dp(800, 0, add-or-remove-one)"), 801, privacy.AddOrRemoveOne); err != nil || v.Lower != 0 {
		t.Errorf("δ beyond the largest loss: got %v (%v), want a lower bound of 0", v, err)
	}
}

// TestDisclosuresAddUpFromAbove holds δ of many statements on trust against math/big: 1-(1-δ)^k is between the bounds of pld and
// no more than those of the other accountants.
func TestDisclosuresAddUpFromAbove(t *testing.T) {
	for i := range 40 {
		delta, count := 1e-6*(1+float64(i)/7), 2+i%5
		kept := precise(1)
		for range count {
			kept.Mul(kept, new(big.Float).Sub(precise(1), precise(delta)))
		}
		truth := new(big.Float).Sub(precise(1), kept)
		// At ε beyond the sum of theirs only what is disclosed is left.
		e := mechanism.Repeat{Event: mechanism.AssumedDP{Epsilon: 0.5, Delta: delta, Neighboring: privacy.AddOrRemoveOne}, Count: count}
		unlike := mechanism.Sequence{e, mechanism.AssumedDP{Epsilon: 0.25, Neighboring: privacy.AddOrRemoveOne}}
		for _, event := range []mechanism.Event{e, unlike} {
			for _, a := range []Accountant{lossDistributions{}, basicComposition{}, advancedComposition{}, RDP{}} {
				v, err := a.Delta(event, 40, privacy.AddOrRemoveOne)
				if err != nil || precise(v.Upper).Cmp(truth) < 0 || precise(v.Lower).Cmp(truth) > 0 {
					t.Errorf("%s of %v: got %v (%v), want %v between", a.Name(), event, v, err, truth)
				}
			}
		}
	}
}
