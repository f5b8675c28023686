package report

import (
	"math"
	"testing"
)

func TestBounds(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name                               string
		epsilon, delta                     float64
		factor, accuracy, atZero, atOnePer float64
	}{
		// Randomized response answers truly with probability e^ε/(1+e^ε).
		{"randomized response", math.Log(3), 0, 3, .75, 0, .03},
		// By hand: (3 + 0.1)/4; at 1 %: min(0.03 + 0.1, 1 - 0.89/3).
		{"with delta", math.Log(3), .1, 3, .775, .1, .13},
		{"nothing revealed", 0, 0, 1, .5, 0, .01},
		{"only delta", 0, .2, 1, .6, .2, .21},
		// By hand, at 1 %: 1 - (1 - 0.01)/1000 is less than 10.
		{"the flat side", math.Log(1000), 0, 1000, 1000. / 1001, 0, 1 - .99/1000},
		{"no guarantee", inf, 0, inf, 1, 1, 1},
		{"no guarantee, delta", inf, 1e-6, inf, 1, 1, 1},
		{"overflow", 800, 0, inf, 1, 0, 1},
		{"most of delta", .1, .995, math.Exp(.1), 1 - .005/(1+math.Exp(.1)), .995, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, check := range []struct {
				name      string
				got, want float64
			}{
				{"odds factor", oddsFactor(test.epsilon), test.factor},
				{"accuracy", bestAccuracy(test.epsilon, test.delta), test.accuracy},
				{"true positives at 0", bestTruePositives(0, test.epsilon, test.delta), test.atZero},
				{"true positives at 1 %", bestTruePositives(.01, test.epsilon, test.delta), test.atOnePer},
			} {
				if !(math.Abs(check.got-check.want) <= 1e-12*max(1, check.want)) && check.got != check.want {
					t.Errorf("%s: got %v, want %v", check.name, check.got, check.want)
				}
			}
		})
	}
}

// TestBoundsAgree checks laws: the curve obeys both inequalities of (ε, δ),
// touches one of them, never falls, and its best accuracy is bestAccuracy.
func TestBoundsAgree(t *testing.T) {
	for _, epsilon := range []float64{0, .01, .5, 1, 3, 8} {
		for _, delta := range []float64{0, 1e-6, .05, .5} {
			best, before := 0.0, 0.0
			for i := range 10001 {
				f := float64(i) / 10000
				p := bestTruePositives(f, epsilon, delta)
				steep := p - (math.Exp(epsilon)*f + delta)
				flat := (1 - f) - (math.Exp(epsilon)*(1-p) + delta)
				if steep > 1e-9 || (flat > 1e-9 && p < 1) {
					t.Fatalf("ε %v, δ %v, rate %v: got %v, above a bound", epsilon, delta, f, p)
				}
				if p < 1 && math.Abs(steep) > 1e-9 && math.Abs(flat) > 1e-9 {
					t.Fatalf("ε %v, δ %v, rate %v: got %v, on neither bound", epsilon, delta, f, p)
				}
				if p < before-1e-12 || p < f-1e-12 {
					t.Fatalf("ε %v, δ %v, rate %v: got %v after %v, want no fall and no less than guessing", epsilon, delta, f, p, before)
				}
				before, best = p, max(best, (1+p-f)/2)
			}
			if want := bestAccuracy(epsilon, delta); best > want+1e-9 || best < want-1e-3 {
				t.Errorf("ε %v, δ %v: got best accuracy %v along the curve, want %v", epsilon, delta, best, want)
			}
		}
	}
}

// TestTradeOff wants the corners on the curve of bestTruePositives.
func TestTradeOff(t *testing.T) {
	for _, epsilon := range []float64{0, 1, 8, math.Inf(1)} {
		for _, delta := range []float64{0, 1e-6, .1} {
			line := tradeOff(epsilon, delta)
			for i, p := range line {
				if want := bestTruePositives(p.falsePositives, epsilon, delta); math.Abs(p.truePositives-want) > 1e-12 {
					t.Errorf("ε %v, δ %v, corner %d at %v: got %v, want %v", epsilon, delta, i, p.falsePositives, p.truePositives, want)
				}
				if i > 0 && p.falsePositives < line[i-1].falsePositives {
					t.Errorf("ε %v, δ %v: got corner %d at %v after %v, want an ascent", epsilon, delta, i, p.falsePositives, line[i-1].falsePositives)
				}
			}
		}
	}
}
