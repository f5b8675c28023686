package account

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// priced returns epsilon of an accountant at δ = 1e-6 and checks the shape of its interval.
func priced(t *testing.T, a Accountant, e mechanism.Event, delta float64, n privacy.Neighboring) float64 {
	t.Helper()
	v, err := a.Epsilon(e, delta, n)
	if err != nil {
		t.Fatalf("%s of %v: %v", a.Name(), e, err)
	}
	if v.Lower != 0 || !(v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
		t.Fatalf("%s of %v: interval %v", a.Name(), e, v)
	}
	return v.Upper
}

func assumed(epsilon, delta float64) mechanism.Event {
	return mechanism.AssumedDP{Epsilon: epsilon, Delta: delta, Neighboring: privacy.ZeroOut}
}

// TestSingleIsTheCostOfOneRelease holds each formula within the proven interval of the privacy loss
// distribution, where it is exact, or above it.
func TestSingleIsTheCostOfOneRelease(t *testing.T) {
	for _, c := range []struct {
		event mechanism.Event
		slack float64 // by how much the formula may be above the truth, relatively
	}{
		{gaussian(0.7), 0}, {mechanism.Laplace{NoiseMultiplier: 0.6}, 0}, {mechanism.PermuteAndFlip{Epsilon: 0.8}, 0},
		{mechanism.KNorm{NoiseMultiplier: 2}, 0}, {mechanism.DiscreteLaplace{Scale: 1.4, Sensitivity: 3}, 0},
		{mechanism.DiscreteGaussian{StandardDeviation: 2.5, Sensitivity: 2}, 0},
		{mechanism.DiscreteGaussian{StandardDeviation: 1e7, Sensitivity: 1e7}, 0.2},
		{mechanism.RandomizedResponse{Probability: 0.4, Outcomes: 7}, 0},
		{assumed(0.7, 0), 0}, {assumed(0.7, 1e-7), 0}, {sampled(0.03, 0.9), 0}, {mechanism.WithoutReplacement{Records: 90, Batch: 7, Event: gaussian(1.3)}, 0},
		{mechanism.PoissonSampled{Probability: 0.2, Event: mechanism.Laplace{NoiseMultiplier: 0.6}}, 0},
		{mechanism.MixtureOfGaussians{NoiseMultiplier: 1.2, Sensitivities: []float64{0, 1, 2}, Probabilities: []float64{0.9, 0.08, 0.02}}, 0},
		{mechanism.TruncatedPoisson{Probability: 0.1, Records: 200, MaxBatch: 40, Event: gaussian(2)}, 0},
		{mechanism.WithReplacement{Records: 50, Batch: 9, Event: gaussian(2)}, 0}, {mechanism.JLClipping{NoiseMultiplier: 4, Projections: 20, Cap: 2, Probability: 0.1}, 0}, {mechanism.Exponential{Epsilon: 0.9}, 0},
		{mechanism.ObjectivePerturbation{NoiseMultiplier: 4, Smoothness: 0.1}, 1e-3},
		{mechanism.AdaptiveClipping{NoiseMultiplier: 1, CountNoise: 3}, 0},
	} {
		for n := privacy.AddOrRemoveOne; n <= privacy.ZeroOut; n++ {
			all, err := terms(c.event, n)
			if err != nil {
				continue
			}
			for _, delta := range []float64{1e-6, 0.01} {
				got, failed := single(all[0].event, delta, n)
				want, missing := lossDistributions{}.Epsilon(c.event, delta, n)
				if missing != nil {
					want, missing = RDP{}.Epsilon(c.event, delta, n)
				}
				if missing != nil || failed != nil || got < want.Lower*(1-1e-9) || got > want.Upper*(1+1e-9+c.slack)+1e-9 {
					t.Errorf("%v at %v under %v: got %v (%v), want %v (%v)", c.event, delta, n, got, failed, want, missing)
				}
			}
		}
	}
}

// TestSingleFormulas compares with closed forms evaluated here: a profile at its own inverse gives δ back.
func TestSingleFormulas(t *testing.T) {
	n := privacy.ZeroOut
	for _, delta := range []float64{1e-9, 1e-4, 0.05} {
		at := func(e mechanism.Event) float64 {
			v, err := single(e, delta, n)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			// δ(a) = (1-e^((a-ε)/2))²/(1-e^-ε) for bounded range ε.
			{"bounded range", math.Pow(-math.Expm1((at(mechanism.Exponential{Epsilon: 0.9})-0.9)/2), 2) / -math.Expm1(-0.9), delta},
			{"laplace", -math.Expm1((at(mechanism.Laplace{NoiseMultiplier: 0.5}) - 2) / 2), delta},
			// δ(ε') = (e^ε - e^ε')/(1+e^ε).
			{"pure", (math.E - math.Exp(at(assumed(1, 0)))) / (1 + math.E), delta},
			{"approximate", 1e-10 + (1-1e-10)*(math.E-math.Exp(at(assumed(1, 1e-10))))/(1+math.E), delta},
			{"sampled", math.Expm1(at(sampled(0.05, 1))) / 0.05, math.Expm1(epsilonOf(1, delta/0.05))},
		} {
			if delta == 0.05 && c.name == "sampled" {
				c.want = 0
			}
			if math.Abs(c.got-c.want) > 1e-6*c.want+1e-14 {
				t.Errorf("%s at %v: got %v, want %v", c.name, delta, c.got, c.want)
			}
		}
	}
}

// TestBasicAdds holds the sums of basic composition.
func TestBasicAdds(t *testing.T) {
	n := privacy.ZeroOut
	pure, trusted := assumed(0.1, 0), assumed(0.4, 1e-6)
	half := 1 - math.Sqrt(1-1e-6) // 1 - (1-half)² = 1e-6
	for _, c := range []struct {
		name  string
		event mechanism.Event
		delta float64
		want  float64
	}{
		{"pure", mechanism.Repeat{Event: pure, Count: 1000}, 0, 100},
		{"pure with a delta", mechanism.Repeat{Event: pure, Count: 1000}, 1e-6, 100},
		{"trusted", mechanism.Repeat{Event: trusted, Count: 1000}, 1e-3, 400},
		{"one trusted", trusted, 1e-6, 0.4},
		{"one trusted of several", mechanism.Sequence{pure, mechanism.AssumedDP{Epsilon: 0.4, Delta: 0.3, Neighboring: n}, pure}, 0.3, 0.6},
		{"trusted beyond delta", mechanism.Repeat{Event: trusted, Count: 1000}, 0.99e-3, math.Inf(1)},
		{"two normal", mechanism.Sequence{gaussian(3), gaussian(5)}, 1e-6, epsilonOf(1.0/3, half) + epsilonOf(0.2, half)},
		{"pure and normal", mechanism.Sequence{gaussian(3), pure, mechanism.Laplace{NoiseMultiplier: 10}}, 1e-6, 0.2 + epsilonOf(1.0/3, 1e-6)},
		{"normal without delta", gaussian(3), 0, math.Inf(1)},
		{"nothing", mechanism.Sequence{}, 0, 0},
		{"not private", mechanism.Sequence{pure, mechanism.NonPrivate{}}, 0.1, math.Inf(1)},
		{"sampled, not private", mechanism.PoissonSampled{Probability: 1e-3, Event: mechanism.NonPrivate{}}, 0.1, math.Inf(1)},
	} {
		if got := priced(t, basicComposition{}, c.event, c.delta, n); !(got == c.want || math.Abs(got/c.want-1) < 1e-8) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	tuned := mechanism.RepeatAndSelect{Shape: 1, Mean: 10, Event: gaussian(5)}
	want, err := RDP{}.Epsilon(tuned, 1e-6, n)
	if got := priced(t, basicComposition{}, tuned, 1e-6, n); err != nil || got < want.Upper*(1-1e-9) || got > want.Upper*1.005 { // the same orders, unrefined
		t.Errorf("tuning: got %v, rdp %v, %v", got, want.Upper, err)
	}
}

// compositionLaws holds what every accountant of whole events must do.
func compositionLaws(t *testing.T, a Accountant) {
	t.Helper()
	const delta = 1e-6
	n := privacy.ZeroOut
	first, second := sampled(0.01, 1.3), mechanism.Event(mechanism.Laplace{NoiseMultiplier: 20})
	if x, y := priced(t, a, mechanism.Repeat{Event: first, Count: 3}, delta, n), priced(t, a, mechanism.Sequence{first, first, first}, delta, n); x != y {
		t.Errorf("%s: repeat %v, in sequence %v", a.Name(), x, y)
	}
	if x, y := priced(t, a, mechanism.Sequence{first, second}, delta, n), priced(t, a, mechanism.Sequence{second, first}, delta, n); math.Abs(x/y-1) > 1e-12 {
		t.Errorf("%s: order: %v and %v", a.Name(), x, y)
	}
	if v := priced(t, a, mechanism.Repeat{Event: first}, delta, n); v != 0 {
		t.Errorf("%s: no uses cost %v", a.Name(), v)
	}
	if v := priced(t, a, mechanism.Sequence{first, mechanism.NonPrivate{}}, delta, n); !math.IsInf(v, 1) {
		t.Errorf("%s: a release without protection costs %v", a.Name(), v)
	}
	last := math.Inf(1)
	for z := 0.5; z < 100; z *= 2.5 {
		e := mechanism.Sequence{mechanism.Repeat{Event: sampled(0.01, z), Count: 40}, gaussian(2 * z)}
		v := priced(t, a, e, delta, n)
		if !(v < last) {
			t.Errorf("%s: noise %v costs %v, less noise %v", a.Name(), z, v, last)
		}
		last = v
		if w, err := (lossDistributions{}).Epsilon(e, delta, n); err != nil || v < w.Lower {
			t.Errorf("%s: noise %v costs %v, at least %v (%v) by pld", a.Name(), z, v, w.Lower, err)
		}
	}
	last = math.Inf(1)
	for d := 1e-12; d < 1; d *= 10 {
		v := priced(t, a, mechanism.Repeat{Event: first, Count: 40}, d, n)
		if !(v <= last) {
			t.Errorf("%s: delta %v costs %v, a smaller one %v", a.Name(), d, v, last)
		}
		last = v
	}
	for _, e := range []mechanism.Event{first, mechanism.Sequence{first, second, assumed(0.2, 1e-8)}, mechanism.Repeat{Event: assumed(0.2, 1e-9), Count: 50}, mechanism.Repeat{Event: assumed(0.2, 0), Count: 50}} {
		epsilon := priced(t, a, e, delta, n)
		v, err := a.Delta(e, epsilon, n)
		if err != nil || v.Upper > delta*(1+3e-9) || priced(t, a, e, v.Upper, n) > epsilon || v.Lower != 0 {
			t.Errorf("%s of %v: delta at its own epsilon %v is %v (%v), want %v at most", a.Name(), e, epsilon, v, err, delta)
		}
		if w, failed := a.Delta(e, epsilon/2, n); failed != nil || w.Upper < v.Upper {
			t.Errorf("%s of %v: delta at half the epsilon is %v (%v), less than %v", a.Name(), e, w, failed, v)
		}
	}
	for name, call := range map[string]func() (Interval, error){
		"delta 1":     func() (Interval, error) { return a.Epsilon(first, 1, n) },
		"epsilon NaN": func() (Interval, error) { return a.Delta(first, math.NaN(), n) },
		"no relation": func() (Interval, error) { return a.Epsilon(first, delta, 0) },
		"noise 0":     func() (Interval, error) { return a.Delta(gaussian(0), 1, n) },
	} {
		if v, err := call(); err == nil {
			t.Errorf("%s: %s was taken: %v", a.Name(), name, v)
		}
	}
}

func TestBasicLaws(t *testing.T) { compositionLaws(t, basicComposition{}) }

// TestSingleWithoutDelta holds which releases are private at δ = 0.
func TestSingleWithoutDelta(t *testing.T) {
	n := privacy.ReplaceOne
	for _, e := range []mechanism.Event{
		gaussian(3), sampled(0.1, 1), mechanism.DiscreteGaussian{StandardDeviation: 30, Sensitivity: 1}, mechanism.WithReplacement{Records: 50, Batch: 9, Event: gaussian(2)},
		mechanism.WithoutReplacement{Records: 50, Batch: 9, Event: gaussian(2)}, mechanism.AssumedZCDP{Rho: 0.1, Neighboring: n},
		mechanism.RepeatAndSelect{Shape: 1, Mean: 2, Event: gaussian(5)},
	} {
		if v, err := single(e, 0, n); err != nil || !math.IsInf(v, 1) {
			t.Errorf("%v without delta: got %v (%v), want +Inf", e, v, err)
		}
	}
	for _, c := range []struct {
		event mechanism.Event
		want  float64
	}{
		{mechanism.Laplace{NoiseMultiplier: 4}, 0.5}, {mechanism.DiscreteLaplace{Scale: 8, Sensitivity: 2}, 0.5}, {mechanism.Exponential{Epsilon: 0.25}, 0.5},
		{mechanism.RandomizedResponse{Probability: 0.5, Outcomes: 2}, math.Log(3)},
	} {
		if v, err := single(c.event, 0, n); err != nil || v < c.want || v > c.want*(1+1e-11) {
			t.Errorf("%v without delta: got %v (%v), want %v", c.event, v, err, c.want)
		}
	}
}

func TestSingleExtremes(t *testing.T) {
	n := privacy.ZeroOut
	for _, e := range []mechanism.Event{
		gaussian(1e-4), gaussian(1e8), sampled(1e-300, 1), sampled(math.Nextafter(1, 0), 0.01), mechanism.Laplace{NoiseMultiplier: 1e-9},
		mechanism.DiscreteGaussian{StandardDeviation: 1e-3, Sensitivity: 1}, mechanism.DiscreteGaussian{StandardDeviation: 40, Sensitivity: 1},
		mechanism.DiscreteLaplace{Scale: 1e-3, Sensitivity: 4}, mechanism.Exponential{Epsilon: 1e-300}, mechanism.Exponential{Epsilon: 1e4},
		mechanism.RandomizedResponse{Probability: 0, Outcomes: 2}, mechanism.RandomizedResponse{Probability: 1, Outcomes: 2}, assumed(1e4, 0.5), assumed(0, 1),
	} {
		last := math.Inf(1)
		for _, delta := range []float64{0, 1e-300, 1e-20, 1e-3, 0.6, 1 - 1e-12} {
			v, err := single(e, delta, n)
			if err != nil || !(v >= 0 && v <= last) {
				t.Errorf("%v at %v: got %v (%v), after %v", e, delta, v, err, last)
			}
			last = v
		}
	}
}

func ExampleBasic_Epsilon() {
	runs := mechanism.Repeat{Event: mechanism.AssumedDP{Epsilon: 0.4, Delta: 1e-6, Neighboring: privacy.ReplaceOne}, Count: 1000}
	v, err := basicComposition{}.Epsilon(runs, 1e-3, privacy.ReplaceOne)
	fmt.Printf("%.1f %v\n", v.Upper, err)
	// Output: 400.0 <nil>
}
