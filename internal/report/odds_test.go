package report

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account"
)

// TestBounds wants the bounds of the privacy region of (ε, δ): P. Kairouz, S. Oh and P. Viswanath, "The Composition
// Theorem for Differential Privacy", ICML 2015, section 2. The accuracy is (e^ε + δ)/(1 + e^ε). Of records that were
// used, min(e^ε f + δ, 1 - e^-ε (1 - δ - f)) are recognized at a false-positive rate f.
func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name                       string
		epsilon, delta             float64
		factor, accuracy, atOnePer float64
	}{
		// Randomized response answers truly with probability e^ε/(1+e^ε).
		{"randomized response", math.Log(3), 0, 3, .75, .03},
		// By hand: (3 + 0.1)/4; at 1 %: min(0.03 + 0.1, 1 - 0.89/3).
		{"with delta", math.Log(3), .1, 3, .775, .13},
		{"nothing revealed", 0, 0, 1, .5, .01},
		{"only delta", 0, .2, 1, .6, .21},
		// By hand, at 1 %: 1 - (1 - 0.01)/1000 is less than 10.
		{"the flat side", math.Log(1000), 0, 1000, 1000. / 1001, 1 - .99/1000},
		{"no guarantee", inf, 0, inf, 1, 1},
		{"overflow", 800, 0, inf, 1, 1},
		{"most of delta", .1, .995, math.Exp(.1), 1 - .005/(1+math.Exp(.1)), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := Guarantee{Epsilon: test.epsilon, Delta: test.delta, GroupRows: 2, GroupEpsilon: test.epsilon}
			for _, r := range []account.Risk{g.risk(), g.groupRisk()} {
				for _, check := range []struct {
					name      string
					got, want float64
				}{{"odds factor", r.BayesFactor, test.factor}, {"accuracy", right(r), test.accuracy}, {"true positives at 1 %", r.TruePositiveAt1, test.atOnePer}} {
					if !(math.Abs(check.got-check.want) <= 1e-9*max(1, check.want)) && check.got != check.want {
						t.Errorf("%s: got %v, want %v", check.name, check.got, check.want)
					}
				}
			}
		})
	}
}

// TestCurveCounts: a curve that proves more than epsilon and delta lowers the bounds on one record, and none on a group.
func TestCurveCounts(t *testing.T) {
	proven := account.TradeOff{}.With(0.1, 1e-9)
	plain := Guarantee{Epsilon: 1, Delta: 1e-6, GroupRows: 2, GroupEpsilon: 2}
	with := plain
	with.Attacker = &proven
	if got, want := right(with.risk()), rightAt(0.1, 1e-9); got != want {
		t.Errorf("got %v, want %v of the curve", got, want)
	}
	if got, want := right(with.groupRisk()), right(plain.groupRisk()); got != want {
		t.Errorf("of a group: got %v, want %v", got, want)
	}
}
