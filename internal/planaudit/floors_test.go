package planaudit

import (
	"testing"
)

// planOfEvent returns the plan of an event. It keeps its claim, whose price may take seconds.
func planOfEvent(t *testing.T, event string) *Plan {
	t.Helper()
	s, err := Read(event, Terms{add, 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stepsShare returns the best bound at 95 % confidence on the steps of a plan, by 20,000 canaries, as
// a share of the claim.
func stepsShare(t *testing.T, p *Plan) float64 {
	t.Helper()
	section, err := running{Plan: p, Options: Options{Effort: 1}}.descentSteps(t.Context(), 0.95, func(string, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return *section.LowerBound / *section.Claimed
}

// floors are events with the share of the claim that an attack on their steps must reach. They are
// six deviations below the mean of simulated audits, in which a perfect attacker scores the
// mechanism itself: 60 audits of each full batch, and 16 of each sampled one. So a correct build
// falls below with probability 1e-9.
var floors = []struct {
	event           string
	mean, deviation float64 // of simulated audits
	slow            bool    // takes seconds to price
}{
	{"repeat(4, gaussian(7.46))", 0.7446, 0.0646, false},
	{"repeat(4, gaussian(3.98))", 0.8603, 0.0340, false},
	{"repeat(4, gaussian(2.1623))", 0.9213, 0.0191, false},
	{"repeat(4, gaussian(1.2))", 0.9486, 0.0127, false},
	{"repeat(20, poisson(0.25, gaussian(1.5)))", 0.8921, 0.0237, false},
	{"repeat(100, poisson(0.1, gaussian(1)))", 0.9174, 0.0135, true},
	{"repeat(1000, poisson(0.01, gaussian(1.1)))", 0.7848, 0.0659, true},
}

// TestStepsAreSeen trains by plans with known prices. The bounds must reach the floors.
func TestStepsAreSeen(t *testing.T) {
	for _, f := range floors {
		if f.slow {
			continue // see TestStepsAreSeenAsSimulated
		}
		if got, floor := stepsShare(t, planOfEvent(t, f.event)), f.mean-6*f.deviation; !(got >= floor && got <= 1) {
			t.Errorf("%s: the bound is %v of the claim, want %v to 1", f.event, got, floor)
		}
	}
}
