package account

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func TestAdvancedLaws(t *testing.T) { compositionLaws(t, advancedComposition{}) }

// TestAdvancedIsOptimalForStatements holds equal statements of (ε, δ) at the optimal composition, which
// is also what the privacy loss distribution of the worst case gives.
func TestAdvancedIsOptimalForStatements(t *testing.T) {
	n := privacy.ZeroOut
	for _, c := range []struct {
		epsilon, delta float64
		k              int
		target         float64
	}{{0.1, 0, 100, 1e-5}, {0.1, 1e-8, 100, 1e-5}, {0.4, 1e-6, 1000, 1.1e-3}, {1, 0, 30, 1e-6}, {0.5, 1e-9, 50, 1e-6}, {2, 1e-9, 1, 1e-6}} {
		e := mechanism.Repeat{Event: assumed(c.epsilon, c.delta), Count: c.k}
		got := priced(t, advancedComposition{}, e, c.target, n)
		if optimal := kovOptimal(c.epsilon, c.delta, c.k, c.target); math.Abs(got/optimal-1) > 1e-9 {
			t.Errorf("%v at %v: got %v, optimal %v", e, c.target, got, optimal)
		}
		v, err := lossDistributions{}.Epsilon(e, c.target, n)
		if err != nil || got < v.Lower*(1-1e-9) || got > v.Upper*(1+1e-9) {
			t.Errorf("%v at %v: got %v, pld %v (%v)", e, c.target, got, v, err)
		}
	}
}

// TestAdvancedIsAtMostBasic holds the order of the two accountants, and that the advanced one gains
// where there are many small releases.
func TestAdvancedIsAtMostBasic(t *testing.T) {
	n := privacy.ZeroOut
	for _, c := range []struct {
		event mechanism.Event
		gain  float64
	}{
		{gaussian(3), 1}, {mechanism.Sequence{gaussian(3), assumed(0.1, 0)}, 1}, {mechanism.Repeat{Event: gaussian(300), Count: 1000}, 6},
		{mechanism.Repeat{Event: sampled(0.01, 1), Count: 1000}, 1.4}, {mechanism.Repeat{Event: mechanism.Laplace{NoiseMultiplier: 100}, Count: 2000}, 6},
		{mechanism.Sequence{mechanism.Repeat{Event: sampled(0.01, 1), Count: 500}, mechanism.Repeat{Event: assumed(0.01, 1e-10), Count: 1000}}, 1.3},
		{mechanism.Sequence{assumed(0.1, 1e-8), assumed(3, 0)}, 1},
	} {
		basic, advanced := priced(t, basicComposition{}, c.event, 1e-6, n), priced(t, advancedComposition{}, c.event, 1e-6, n)
		if !(advanced <= basic/c.gain) {
			t.Errorf("%v: advanced %v, basic %v, want %v times less", c.event, advanced, basic, c.gain)
		}
	}
}

// TestAdvancedHeterogeneous compares different pure releases with the closed form written out, and holds
// it above the privacy loss distribution.
func TestAdvancedHeterogeneous(t *testing.T) {
	n, delta := privacy.ZeroOut, 1e-6
	e := mechanism.Sequence{mechanism.Repeat{Event: assumed(0.1, 0), Count: 200}, mechanism.Repeat{Event: assumed(0.02, 0), Count: 3000}}
	squares := 200*0.01 + 3000*0.0004
	drift := 200*0.1*math.Expm1(0.1)/(math.Exp(0.1)+1) + 3000*0.02*math.Expm1(0.02)/(math.Exp(0.02)+1)
	want := drift + math.Sqrt(2*squares*-math.Log(delta))
	if got := priced(t, advancedComposition{}, e, delta, n); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
	// √(Σε²)/δ below 1/δ: the other logarithm is smaller.
	small := mechanism.Sequence{mechanism.Repeat{Event: assumed(1e-3, 0), Count: 2000}, mechanism.Repeat{Event: assumed(2e-3, 0), Count: 2000}}
	sum := 2000 * (1e-6 + 4e-6)
	want = 2000*(1e-3*math.Tanh(0.5e-3)+2e-3*math.Tanh(1e-3)) + math.Sqrt(2*sum*math.Log(math.E+math.Sqrt(sum)/delta))
	got := priced(t, advancedComposition{}, small, delta, n)
	v, err := lossDistributions{}.Epsilon(small, delta, n)
	if math.Abs(got/want-1) > 1e-9 || err != nil || got < v.Lower {
		t.Errorf("got %v, want %v; pld %v (%v)", got, want, v, err)
	}
}

// TestAdvancedLong holds that a thousand million releases are answered.
func TestAdvancedLong(t *testing.T) {
	e := mechanism.Repeat{Event: sampled(1e-6, 1), Count: 1e9}
	shorter := mechanism.Repeat{Event: sampled(1e-6, 1), Count: 1e7}
	v, err := advancedComposition{}.Delta(shorter, 3, privacy.ZeroOut)
	if err != nil || !(v.Upper > 0 && v.Upper <= 1) {
		t.Errorf("delta: %v (%v)", v, err)
	}
	if got := priced(t, advancedComposition{}, e, 1e-6, privacy.ZeroOut); !(got > 0) || math.IsInf(got, 1) {
		t.Errorf("epsilon: %v", got)
	}
	most := mechanism.Repeat{Event: assumed(1e-9, 0), Count: 1 << 53}
	if got := priced(t, advancedComposition{}, most, 1e-6, privacy.ZeroOut); !(got > 0) || math.IsInf(got, 1) {
		t.Errorf("2^53 releases: epsilon %v", got)
	}
}

func Example_composition() {
	// A hundred answers, each 0.1-differentially private, at delta 1e-5.
	advanced, delta := dworkRoth(0.1, 0, 100, 1e-5)
	closed, _ := kovClosed(0.1, 0, 100, 1e-5)
	fmt.Printf("%.3f %.3f %.4f at %g\n", advanced, closed, kovOptimal(0.1, 0, 100, 1e-5), delta)
	// Output: 5.850 5.298 4.3068 at 1e-05
}
