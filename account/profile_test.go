package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// hockeyStick is Σ max(0, P - e^ε·Q) over the outcomes.
func hockeyStick(a pair.Atoms, epsilon float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += max(0, v.P-math.Exp(epsilon)*v.Q)
	}
	return sum
}

// TestProfilePairDominates holds, for profiles of several shapes, that the pair is one, is symmetric,
// lies above the profile, and at most nodes on it. Below its least loss it may lie under a bound that
// no symmetric pair attains, by the chord from one side to the other.
func TestProfilePairDominates(t *testing.T) {
	objective := mechanism.ObjectivePerturbation{NoiseMultiplier: 6, Smoothness: 0.02}
	for name, delta := range map[string]func(float64) float64{
		"gaussian":          func(e float64) float64 { return gaussianDelta(0.8, e) },
		"pure":              func(e float64) float64 { return max(0, -math.Expm1(e-1)) / (1 + math.Exp(-1)) },
		"loose near 0":      func(e float64) float64 { return objectiveDelta(objective, e) },
		"nothing protected": func(float64) float64 { return 1 },
	} {
		const top, nodes = 4.0, 400
		a := profilePair(top, nodes, delta)
		p, q := 0.0, 0.0
		for _, v := range a {
			p, q = p+v.P, q+v.Q
		}
		if math.Abs(p-1) > 1e-9 || math.Abs(q-1) > 1e-9 {
			t.Errorf("%s: probabilities sum to %v and %v", name, p, q)
		}
		least := math.Inf(1)
		for _, v := range a {
			if loss := math.Log(v.P / v.Q); loss > 0 && v.P+v.Q > 1e-12 {
				least = min(least, loss)
			}
		}
		on := 0
		for i := range nodes {
			e := top * (float64(i) + 0.5) / nodes
			if got, want := hockeyStick(a, e), delta(e); e > least && got < want*(1-1e-9)-1e-15 {
				t.Fatalf("%s: at %v the pair has %v, less than %v", name, e, got, want)
			}
			if at := top * float64(i) / nodes; math.Abs(hockeyStick(a, at)-delta(at)) < 1e-9 {
				on++
			}
			if forward, back := hockeyStick(a, e), hockeyStick(a.Swap(), e); math.Abs(forward-back) > 1e-12 {
				t.Fatalf("%s: at %v the directions have %v and %v", name, e, forward, back)
			}
		}
		if on < nodes*9/10 {
			t.Errorf("%s: the pair meets the profile at %d of %d nodes", name, on, nodes)
		}
	}
}

// TestObjectivePerturbation compares with values that the authors' own program gave: the profile at
// noise 5 and Rényi divergences at noise 20, with β/Λ = 0.025.
func TestObjectivePerturbation(t *testing.T) {
	for epsilon, want := range map[float64]float64{0.1: 0.0993070, 0.5: 1.48819e-3, 1: 6.780e-8} {
		if got := objectiveDelta(mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.025}, epsilon); math.Abs(got/want-1) > 2e-4 {
			t.Errorf("δ(%v): got %v, want %v", epsilon, got, want)
		}
		v, err := lossDistributions{}.Delta(mechanism.ObjectivePerturbation{NoiseMultiplier: 5, Smoothness: 0.025}, epsilon, privacy.AddOrRemoveOne)
		if err != nil || epsilon > 0.2 && v.Upper < want*(1-2e-4) || v.Upper > want*(1+1e-2) {
			t.Errorf("pld at %v: got %v (%v), want %v", epsilon, v, err, want)
		}
	}
	curve, err := RDP{Orders: []float64{2, 8, 32}}.Curve(mechanism.ObjectivePerturbation{NoiseMultiplier: 20, Smoothness: 0.025}, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.0669208, 0.0698743, 0.0856618} {
		if math.Abs(curve[i]/want-1) > 1e-6 {
			t.Errorf("order %d: got %v, want %v", i, curve[i], want)
		}
	}
}

// TestDiscreteGaussianIsNotPure holds that losses without bound cost +Inf at delta 0, though float64 ends
// the lattice, and next to nothing at a small one.
func TestDiscreteGaussianIsNotPure(t *testing.T) {
	for _, sigma := range []float64{0.5, 3, 400} {
		e := mechanism.DiscreteGaussian{StandardDeviation: sigma, Sensitivity: 1}
		v, err := lossDistributions{}.Epsilon(e, 0, privacy.AddOrRemoveOne)
		if err != nil || !math.IsInf(v.Upper, 1) {
			t.Errorf("σ %v at 0: got %v, %v, want +Inf", sigma, v, err)
		}
		v, err = lossDistributions{}.Epsilon(e, 1e-30, privacy.AddOrRemoveOne)
		if normal := epsilonOf(1/sigma, 1e-30); err != nil || v.Upper > 1.3*normal+1 {
			t.Errorf("σ %v at 1e-30: got %v, %v, a normal release has %v", sigma, v, err, normal)
		}
	}
}
