package account

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestRiskOfNormalNoise compares with the exact rates of a normal release, Φ(Φ⁻¹(fp)+μ).
func TestRiskOfNormalNoise(t *testing.T) {
	for _, mu := range []float64{0.1, 0.5, 1, 3} {
		epsilon := epsilonOf(mu, 1e-6)
		r := RiskOf(tradeOffOf(t, func(epsilon float64) float64 { return gaussianDelta(mu, epsilon) }), epsilon, 1e-6)
		power := func(fp float64) float64 { return special.NormalCDF(normalQuantile(fp) + mu) }
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"true positives at 1 %", r.TruePositiveAt1, power(0.01)},
			{"true positives at 0.1 %", r.TruePositiveAt01, power(0.001)},
			{"advantage", r.Advantage, 2*special.NormalCDF(mu/2) - 1},
			{"reconstruction", r.Reconstruction, power(1e-6)},
		} {
			if c.got < c.want*(1-1e-12) || c.got > c.want*1.02+1e-11 {
				t.Errorf("mu %v: %s: got %v, want a little above %v", mu, c.name, c.got, c.want)
			}
		}
		if odds := r.PosteriorFromHalf / (1 - r.PosteriorFromHalf); math.Abs(odds/r.BayesFactor-1) > 1e-7 || math.Abs(math.Log(r.BayesFactor)/epsilon-1) > 1e-12 {
			t.Errorf("mu %v: odds from one half %v, Bayes factor %v, epsilon %v", mu, odds, r.BayesFactor, epsilon)
		}
		if odds := r.PosteriorFromHundredth / (1 - r.PosteriorFromHundredth); math.Abs(odds*99/r.BayesFactor-1) > 1e-9 {
			t.Errorf("mu %v: odds from one hundredth %v, Bayes factor %v", mu, odds, r.BayesFactor)
		}
	}
}

// TestRiskOfStatement holds what (ε, δ) alone proves: δ + e^ε·fp true positives at fp false ones, or
// less where the other bound is lower.
func TestRiskOfStatement(t *testing.T) {
	r := RiskOf(TradeOff{}, 1, 1e-5)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"true positives at 1 %", r.TruePositiveAt1, 1e-5 + 0.01*math.E},
		{"true positives at 0.1 %", r.TruePositiveAt01, 1e-5 + 0.001*math.E},
		{"reconstruction", r.Reconstruction, 1e-5 + 1e-6*math.E},
		{"advantage", r.Advantage, 1e-5 + (1-1e-5)*(math.E-1)/(math.E+1)},
		{"posterior", r.PosteriorFromHalf, math.E / (1 + math.E)},
	} {
		if math.Abs(c.got/c.want-1) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	for _, r = range []Risk{RiskOf(TradeOff{}, math.Inf(1), 1e-6), RiskOf(TradeOff{}, math.NaN(), 1e-6), RiskOf(TradeOff{}, 1, math.NaN())} {
		if r.TruePositiveAt01 != 1 || r.Advantage != 1 || r.PosteriorFromHundredth != 1 || r.Reconstruction != 1 {
			t.Errorf("no guarantee: got %+v", r)
		}
	}
	if r = RiskOf(TradeOff{}, 0, 0); math.Abs(r.TruePositiveAt1-0.01) > 1e-14 || r.BayesFactor != 1 || r.PosteriorFromHundredth != 0.01 || r.Advantage != 0 {
		t.Errorf("nothing disclosed: got %+v", r)
	}
}

// TestDeltaIsNoChanceOfFailure: under Gaussian noise at ε = 1 and δ = 1e-6, results that change the odds by more than
// e^ε have a probability of twenty δ. Their probability beyond e^ε times the other one is δ.
func TestDeltaIsNoChanceOfFailure(t *testing.T) {
	const delta = 1e-6
	excess := func(mu float64) (beyond, over float64) {
		over = special.NormalCDF(mu/2 - 1/mu)
		return over - math.E*special.NormalCDF(-mu/2-1/mu), over
	}
	low, high := 0.01, 1.0
	for range 100 {
		mid := (low + high) / 2
		if beyond, _ := excess(mid); beyond > delta {
			high = mid
		} else {
			low = mid
		}
	}
	if beyond, over := excess(low); math.Abs(beyond/delta-1) > 1e-6 || math.Abs(over/2.0e-5-1) > 0.02 {
		t.Errorf("got a probability of %v, of which %v beyond the factor, want 2.0e-5 and 1e-6", over, beyond)
	}
}

func ExampleRiskOf() {
	// One release with noise of twice the clipping norm, at delta 1e-6.
	e := mechanism.Gaussian{NoiseMultiplier: 2}
	profile := func(epsilon float64) (float64, error) {
		v, err := gaussianDP{}.Delta(e, epsilon, privacy.AddOrRemoveOne)
		return v.Upper, err
	}
	o, err := NewTradeOff(profile)
	if err != nil {
		panic(err)
	}
	r := RiskOf(o, 2.26, 1e-6)
	fmt.Printf("true positives at 1%% false ones: at most %.1f%%\n", 100*r.TruePositiveAt1)
	fmt.Printf("probability of a statement held to be as likely as not: at most %.1f%%\n", 100*r.PosteriorFromHalf)
	// Output:
	// true positives at 1% false ones: at most 3.4%
	// probability of a statement held to be as likely as not: at most 90.6%
}
