package account

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestHugeLossesAreBoundedOrRefused asks for prices where losses are near the logarithm of the largest float64, or where
// probabilities are too small to be written out: what is answered holds the truth, which was computed in 400 digits.
func TestHugeLossesAreBoundedOrRefused(t *testing.T) {
	for _, c := range []struct {
		text    string
		a       Accountant
		epsilon float64
		truth   float64 // of exponential a lower bound, by answers of losses ±ε/2
		below   bool    // whether only upper bounds are held
		refused bool
	}{
		{"repeat(2, exponential(1000))", lossDistributions{}, 999, 0.632, true, false},
		{"repeat(2, exponential(750))", lossDistributions{}, 700, 0.99, true, false},
		{"sequence(exponential(1000), laplace(1))", lossDistributions{}, 400, 0.99, true, false},
		{"repeat(2, laplace(0.001379310344827586))", lossDistributions{}, 1449.7, 0.0747389253430791, false, false},
		{"sequence(laplace(0.001379310344827586), laplace(1))", lossDistributions{}, 725.5, 0.123849119044683, false, false},
		{"discrete-laplace(1, 720)", RDP{}, 719, 0.46211715726001, false, true},
		{"discrete-laplace(1, 720)", lossDistributions{}, 719, 0.46211715726001, false, true},
		{"discrete-laplace(1, 800)", lossDistributions{}, 799.9, 0.0695694219094078, false, true},
		{"poisson(0.1, discrete-laplace(1, 741))", lossDistributions{}, 738, 0.04, true, true},
		{"discrete-gaussian(10, 400)", lossDistributions{}, 860, 0.0602868758528051, false, true},
		{"discrete-gaussian(10, 380)", lossDistributions{}, 742, 0.289011314563346, false, true},
	} {
		v, err := c.a.Delta(parsed(t, c.text), c.epsilon, privacy.AddOrRemoveOne)
		if refused := err != nil; refused != c.refused || !refused && (v.Upper < c.truth*(1-1e-9) || !c.below && v.Lower > c.truth*(1+1e-9)) {
			t.Errorf("%s of %s at ε %v: got %v (%v), want %v, or a refusal: %v", c.a.Name(), c.text, c.epsilon, v, err, c.truth, c.refused)
		}
	}
	if v, err := (lossDistributions{}).Epsilon(parsed(t, "repeat(3, exponential(400))"), 1e-5, privacy.ReplaceOne); err != nil || v.Upper < 1199 {
		t.Errorf("exponential under replace-one: got %v (%v), want at least 1199", v, err)
	}
}

// TestTinyDeltasAreRefused asks at numbers near the least float64, where a bound may be wrong by as much as itself.
func TestTinyDeltasAreRefused(t *testing.T) {
	for _, a := range accountants() {
		if _, err := a.Epsilon(mechanism.Gaussian{NoiseMultiplier: 1}, 5e-324, privacy.AddOrRemoveOne); err == nil || !strings.Contains(err.Error(), "delta is 5e-324") {
			t.Errorf("%s at δ 5e-324: got %v", a.Name(), err)
		}
	}
	event := parsed(t, "poisson(1e-101, gaussian(0.01))")
	if _, err := (lossDistributions{}).epsilonGroup(event, 1e-304, privacy.AddOrRemoveOne, 3); err == nil {
		t.Error("a group of three was priced at δ 1e-304")
	}
}
