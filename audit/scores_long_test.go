//go:build long

package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDetectableIsDetected draws scores whose true ε is what a bound says that it detects, and wants refutations about
// as often as is said. The seeds are fixed.
func TestDetectableIsDetected(t *testing.T) {
	const audits, m = 40, 2000
	claim := Claim{Epsilon: 1, Delta: 1e-5, Mu: muOf(1, 1e-5)}
	design := Design{Coins: true, Independent: true}
	rng := rand.New(rand.NewPCG(5, 5))
	first, err := draw(rng, m, 1, rng.NormFloat64).Bounds(claim, design, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range first {
		if math.IsInf(b.Detectable, 1) || b.Detectable <= 1 {
			t.Errorf("%s detects from %v", b.Name, b.Detectable)
			continue
		}
		refuted := 0
		for range audits {
			bounds, failure := draw(rng, m, muOf(b.Detectable, 1e-5), rng.NormFloat64).Bounds(claim, design, 0.95)
			if failure != nil {
				t.Fatal(failure)
			}
			if i := slices.IndexFunc(bounds, func(o Bound) bool { return o.Name == b.Name }); bounds[i].Refuted {
				refuted++
			}
		}
		t.Logf("%s detects from %.3f: %d of %d", b.Name, b.Detectable, refuted, audits)
		if refuted < audits*75/100 {
			t.Errorf("%s says that it detects epsilon %v with probability 0.9, and does in %d of %d audits", b.Name, b.Detectable, refuted, audits)
		}
	}
}

// TestGaussianBoundsAreAsTightAsExpected compares bounds of 20,000 canaries at 95 % with the shares of the claim
// that a working auditor reaches; an auditor that finds nothing fails here. Means of 12 audits with fixed seeds.
func TestGaussianBoundsAreAsTightAsExpected(t *testing.T) {
	for _, c := range []struct{ epsilon, gaussian, curve, oneRun float64 }{{1, 0.55, 0.25, 0.1}, {2, 0.75, 0.4, 0.2}, {4, 0.85, 0.45, 0.25}, {8, 0.85, 0.5, 0.25}} {
		mean := map[string]float64{}
		for i := range 12 {
			rng := rand.New(rand.NewPCG(3, uint64(i)))
			mu := muOf(c.epsilon, 1e-5)
			bounds, err := draw(rng, 20000, mu, rng.NormFloat64).Bounds(Claim{Epsilon: c.epsilon, Delta: 1e-5, Mu: mu}, Design{true, true}, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range bounds {
				mean[b.Name] += b.Epsilon / c.epsilon / 12
				if b.Refuted {
					t.Errorf("epsilon %v: %s refutes a correct claim with %v", c.epsilon, b.Name, b.Epsilon)
				}
			}
		}
		t.Logf("epsilon %v: %v", c.epsilon, mean)
		if mean["gaussian-dp"] < c.gaussian || mean["f-dp"] < c.curve || mean["one-run"] < c.oneRun {
			t.Errorf("epsilon %v: shares of the claim are %v, want at least %v, %v and %v", c.epsilon, mean, c.gaussian, c.curve, c.oneRun)
		}
	}
}
