package account

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestDeltaIsNeverZeroWhereLossesAreUnbounded holds for every accountant, however large epsilon and however
// small the true δ: an upper bound of 0 would lie below it.
func TestDeltaIsNeverZeroWhereLossesAreUnbounded(t *testing.T) {
	for i, text := range []string{
		"gaussian(1)", "gaussian(1e200)", "repeat(100, poisson(0.01, gaussian(1)))", "poisson(1e-200, gaussian(3))",
		"sequence(laplace(1), gaussian(50))", "poisson(0.1, sequence(gaussian(1e200), gaussian(1e200)))", "assumed-zcdp(1e-9, add-or-remove-one)",
	} {
		e := parsed(t, text)
		for k, a := range All() {
			for j, epsilon := range []float64{0, 1500, 1e308} {
				if !thorough && (i+2*j+k)%7 != 0 {
					continue
				}
				v, err := a.Delta(e, epsilon, privacy.AddOrRemoveOne)
				if err == nil && !(v.Upper > 0 && v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
					t.Errorf("%s at epsilon %v by %s: got %v, want an upper bound of more than 0", text, epsilon, a.Name(), v)
				}
			}
		}
	}
	if v, err := (lossDistributions{}).Delta(parsed(t, "laplace(1)"), 2, privacy.AddOrRemoveOne); err != nil || v.Upper != 0 {
		t.Errorf("Laplace noise beyond its largest loss: got %v, %v, want 0", v, err)
	}
}

// TestSmallEpsilonIsAsClose holds the width relative to an epsilon of 1e-4.
func TestSmallEpsilonIsAsClose(t *testing.T) {
	v, err := lossDistributions{}.Epsilon(repeated(1000, sampled(0.01, 5452)), 1e-6, privacy.AddOrRemoveOne)
	if err != nil || !(v.Upper < 2e-4 && v.Upper-v.Lower <= 1.5e-4*v.Upper) {
		t.Errorf("got %v, %v, want a relative width of 1e-4", v, err)
	}
}

// TestTruncatedPoissonHasALowerBound: a small crowd is never truncated, so that the plain sample's lower
// bound holds.
func TestTruncatedPoissonHasALowerBound(t *testing.T) {
	v, err := lossDistributions{}.Epsilon(parsed(t, "repeat(100, truncated-poisson(0.01, 10000, 150, gaussian(1)))"), 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := lossDistributions{}.Epsilon(repeated(100, sampled(0.01, 1)), 1e-6, privacy.AddOrRemoveOne)
	if err != nil || v.Lower != plain.Lower || !(v.Lower > 0.98*v.Upper && v.Lower <= v.Estimate) {
		t.Errorf("got %v, want the lower bound of the plain %v (%v)", v, plain, err)
	}
}

// TestGatheredReleasesAreDearerOrCheaper checks each release against its group.
func TestGatheredReleasesAreDearerOrCheaper(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	var all []term
	for range 1000 {
		all = append(all, term{sampled(math.Exp(-6*random.Float64()), 0.5+2*random.Float64()), float64(1 + random.IntN(5))})
	}
	index := make(group, len(all))
	for i := range all {
		index[i] = i
	}
	seen, ratio := 0, 0.0
	for _, g := range divide(all, index, gathered) {
		up, down := g.term(all, true), g.term(all, false)
		upQ, upZ, _ := sampledGaussian(up.event)
		downQ, downZ, _ := sampledGaussian(down.event)
		count := 0.0
		for _, i := range g {
			q, z, _ := sampledGaussian(all[i].event)
			if q > upQ || z < upZ || q < downQ || z > downZ {
				t.Fatalf("q %v and z %v are not between %v and %v", q, z, down, up)
			}
			seen, count, ratio = seen+1, count+all[i].count, max(ratio, upQ/downQ)
		}
		if count != up.count || count != down.count {
			t.Errorf("a group of %v releases counts %v and %v", count, up.count, down.count)
		}
	}
	if seen != len(all) || ratio > 3 {
		t.Errorf("%d of %d releases are in groups, the widest of which spans a factor %v", seen, len(all), ratio)
	}
	if few, any := gather(all[:manyTerms], true); any || len(few) != manyTerms {
		t.Errorf("%d releases are gathered", manyTerms)
	}
	many, any := gather(append(all, term{mechanism.Laplace{NoiseMultiplier: 3}, 1}), true)
	if !any || len(many) != gathered+1 {
		t.Errorf("%d releases are %d groups, want %d and the other", len(all)+1, len(many), gathered)
	}
}

// TestManyGaussiansAreOne: thousands of them are exact at once, and the search over shares of δ refuses.
func TestManyGaussiansAreOne(t *testing.T) {
	var e mechanism.Sequence
	square := 0.0
	for i := range 7500 {
		z := 50 + float64(i)/100
		e, square = append(e, mechanism.Gaussian{NoiseMultiplier: z}), square+1/z/z
	}
	v, err := lossDistributions{}.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
	if want := epsilonOf(math.Sqrt(square), 1e-6); err != nil || math.Abs(v.Upper/want-1) > 1e-9 {
		t.Errorf("got %v, %v, want %v", v, err, want)
	}
	if _, err = (advancedComposition{}).Epsilon(e, 1e-6, privacy.AddOrRemoveOne); err == nil {
		t.Error("advanced composition searches shares of δ for 7500 releases")
	}
}

// weird draws a plan of a few unlike releases, and the same plan with more noise.
func weird(random *rand.Rand) (plan, quieter mechanism.Event) {
	var parts, less mechanism.Sequence
	for range 1 + random.IntN(3) {
		z, q, count := math.Exp(4*random.Float64()-1), math.Exp(-9*random.Float64()), int(math.Exp(6*random.Float64()))
		at := func(z float64) mechanism.Event {
			g := mechanism.Gaussian{NoiseMultiplier: z}
			return [...]mechanism.Event{g, mechanism.Laplace{NoiseMultiplier: 5 * z}, mechanism.PoissonSampled{Probability: q, Event: g},
				mechanism.PoissonSampled{Probability: q, Event: mechanism.Laplace{NoiseMultiplier: z}},
				mechanism.TruncatedPoisson{Probability: q, Records: 1000, MaxBatch: int(1000*q) + 20, Event: g}}[count%5]
		}
		parts, less = append(parts, mechanism.Repeat{Event: at(z), Count: count}), append(less, mechanism.Repeat{Event: at(1.1 * z), Count: count})
	}
	return parts, less
}

// TestLawsOfWeirdPlans holds that bounds are in order, and that the truth between them falls in δ, in ε and
// in noise, and grows with steps: no upper bound lies below a lower bound of what costs less.
func TestLawsOfWeirdPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 7))
	plans := 1
	if thorough {
		plans = 10
	}
	for range plans {
		e, quieter := weird(random)
		delta := math.Exp(-4 - 20*random.Float64())
		more := mechanism.Sequence{e, mechanism.PoissonSampled{Probability: 0.01, Event: mechanism.Gaussian{NoiseMultiplier: 2}}}
		base := epsilonIn(t, e, delta)
		for name, v := range map[string][2]Interval{"δ": {base, epsilonIn(t, e, 3*delta)}, "noise": {base, epsilonIn(t, quieter, delta)}, "steps": {epsilonIn(t, more, delta), base}} {
			if v[0].Upper < v[1].Lower {
				t.Errorf("%v at δ %v: %s: the dearer costs at most %v, the cheaper at least %v", e, delta, name, v[0].Upper, v[1].Lower)
			}
		}
		if math.IsInf(base.Upper, 1) {
			continue
		}
		near, far := deltaIn(t, e, base.Upper), deltaIn(t, e, 1.5*base.Upper+0.1)
		if near.Upper < far.Lower || near.Lower > delta*(1+1e-6) {
			t.Errorf("%v: δ at epsilon %v is %v and beyond it %v, want at most %v, falling", e, base.Upper, near, far, delta)
		}
	}
}

func epsilonIn(t *testing.T, e mechanism.Event, delta float64) Interval {
	t.Helper()
	v, err := lossDistributions{}.Epsilon(e, delta, privacy.AddOrRemoveOne)
	return inOrder(t, fmt.Sprintf("%v at δ %v", e, delta), v, err)
}

func deltaIn(t *testing.T, e mechanism.Event, epsilon float64) Interval {
	t.Helper()
	v, err := lossDistributions{}.Delta(e, epsilon, privacy.AddOrRemoveOne)
	return inOrder(t, fmt.Sprintf("%v at ε %v", e, epsilon), v, err)
}

func inOrder(t *testing.T, what string, v Interval, err error) Interval {
	t.Helper()
	if err != nil || !(v.Lower >= 0 && v.Lower <= v.Estimate && v.Estimate <= v.Upper) {
		t.Errorf("%s: got %v, %v, want bounds in order", what, v, err)
	}
	return v
}

// TestLargeTargetsAreMet: noise so small that losses are in the thousands is calibrated, or refused.
func TestLargeTargetsAreMet(t *testing.T) {
	for _, z := range []float64{0.01, 0.03} { // a calibration meets such noise on its way
		v, err := lossDistributions{width: rough}.Epsilon(repeated(3, sampled(0.01, z)), 1e-6, privacy.AddOrRemoveOne)
		if inOrder(t, fmt.Sprintf("noise multiplier %v", z), v, err); !(v.Upper > 0.3/z/z) {
			t.Errorf("noise multiplier %v: got %v, want at least the loss of one release", z, v)
		}
	}
	if !thorough {
		return
	}
	for _, epsilon := range []float64{300, 3000} {
		target, err := privacy.NewGuarantee(epsilon, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{})
		if err != nil {
			t.Fatal(err)
		}
		plan := func(z float64) mechanism.Event { return repeated(3, sampled(0.01, z)) }
		a := lossDistributions{width: rough}
		z, err := Calibrate(a, target, plan)
		if errors.Is(err, ErrUnreachable) {
			continue
		}
		v, failed := a.Epsilon(plan(z), 1e-6, privacy.AddOrRemoveOne)
		if err != nil || failed != nil || !(v.Upper <= epsilon && v.Upper > 0.98*epsilon) {
			t.Errorf("epsilon %v: noise %v costs %v (%v, %v)", epsilon, z, v, err, failed)
		}
	}
}

// TestFaintLossesAreCounted compares δ at ε = 0 with its closed form. Float64 barely distinguishes
// P and Q at these losses and noise multipliers, or not at all.
func TestFaintLossesAreCounted(t *testing.T) {
	half := -math.Expm1(-0.5) // total variation of Laplace noise of scale 1, continuous
	whole := math.Tanh(0.5)   // the same on the integers
	for _, c := range []struct {
		text  string
		truth float64
	}{
		{"laplace(1e18)", 0.5e-18}, {"discrete-laplace(1e18, 1)", 0.5e-18}, {"poisson(1e-17, laplace(1))", 1e-17 * half},
		{"poisson(1e-17, discrete-laplace(1, 1))", 1e-17 * whole}, {"assumed-dp(1e-18, 0, add-or-remove-one)", 0.5e-18},
		{"repeat(3, laplace(1e18))", 0.75e-18}, {"repeat(3, exponential(1e-18))", 0.25e-18}, {"repeat(5, poisson(1e-17, discrete-laplace(1, 1)))", 1e-17},
		{"repeat(3, exponential(1e-15))", 0.25e-15},
		{"gaussian(1e161)", 1e-161 / math.Sqrt(2*math.Pi)}, {"adaptive-clipping(1e170, 1e170)", 1e-170 / math.Sqrt(2*math.Pi)},
		{"tree-aggregation(1e170, 5)", 1e-170}, {"last-iterate(1e170, 0.5, 5)", 1e-171}, {"last-iterate-convex(1e170, 2, 5)", 1e-171},
	} {
		v, err := lossDistributions{}.Delta(parsed(t, c.text), 0, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper >= c.truth && v.Upper < c.truth+1e-11 && v.Lower <= c.truth*(1+1e-9)) {
			t.Errorf("%s: got %v, %v, want the truth %v between the bounds", c.text, v, err, c.truth)
		}
		w, err := lossDistributions{}.Epsilon(parsed(t, c.text), 0, privacy.AddOrRemoveOne)
		if err != nil || !(w.Upper >= c.truth) {
			t.Errorf("%s at δ 0: got %v, %v, want at least %v", c.text, w, err, c.truth)
		}
	}
}

// TestTailsWrittenOutAreNoLowerBound: the tails of discrete normal noise count as disclosed in upper bounds alone.
func TestTailsWrittenOutAreNoLowerBound(t *testing.T) {
	events := []string{"discrete-gaussian(10, 1)", "poisson(0.1, discrete-gaussian(10, 1))"}
	if thorough {
		events = append(events, "repeat(100, poisson(0.1, discrete-gaussian(10, 1)))")
	}
	for _, text := range events {
		e := parsed(t, text)
		far, err := lossDistributions{}.Delta(e, 90, privacy.AddOrRemoveOne) // the truth is below 1e-400
		if err != nil || far.Lower != 0 || !(far.Upper > 0) {
			t.Errorf("%s at ε 90: got %v, %v, want bounds about 0", text, far, err)
		}
		if rare, failed := (lossDistributions{}).Epsilon(e, 1e-305, privacy.AddOrRemoveOne); failed != nil || rare.Lower > 20 {
			t.Errorf("%s at δ 1e-305: got %v, %v, want a lower bound of at most 20", text, rare, failed)
		}
	}
	if v, err := (lossDistributions{}).Delta(parsed(t, "assumed-dp(1, 1e-200, add-or-remove-one)"), 2, privacy.AddOrRemoveOne); err != nil || v.Lower < 0.999e-200 {
		t.Errorf("a δ that is no tail: got %v, %v, want 1e-200", v, err)
	}
}

// TestGatheredPlans holds which end of each group upper and lower bounds are made of.
func TestGatheredPlans(t *testing.T) {
	var plan, dear, cheap mechanism.Sequence
	for i := range 400 {
		plan = append(plan, sampled(0.001*float64(1+i), 1+0.01*float64(i)))
	}
	all, err := terms(plan, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	up, _ := gather(all, true)
	down, _ := gather(all, false)
	for i := range up {
		dear = append(dear, mechanism.Repeat{Event: up[i].event, Count: int(up[i].count)})
		cheap = append(cheap, mechanism.Repeat{Event: down[i].event, Count: int(down[i].count)})
	}
	got, err := compose(plan, privacy.AddOrRemoveOne)
	want, failed := compose(dear, privacy.AddOrRemoveOne)
	if err != nil || failed != nil || !got.above || want.above || !reflect.DeepEqual(got.directions, want.directions) {
		t.Errorf("upper bounds are not made of the dearest (%v, %v), or prove a lower one: %v", err, failed, got.above)
	}
	less, known := cheaper(plan, privacy.AddOrRemoveOne)
	if !known || !reflect.DeepEqual(less, mechanism.Event(cheap)) {
		t.Error("lower bounds are not made of the cheapest")
	}
	if !thorough {
		return
	}
	one, err := RDP{}.Epsilon(plan, 1e-6, privacy.AddOrRemoveOne)
	two, failed := RDP{}.Epsilon(dear, 1e-6, privacy.AddOrRemoveOne)
	if err != nil || failed != nil || one != two {
		t.Errorf("rdp: got %v, %v, want that of the dearest %v, %v", one, err, two, failed)
	}
	far, err := RDP{}.Delta(plan, 3, privacy.AddOrRemoveOne)
	most, failed := RDP{}.Delta(dear, 3, privacy.AddOrRemoveOne)
	if err != nil || failed != nil || far != most {
		t.Errorf("rdp: got δ %v, %v, want that of the dearest %v, %v", far, err, most, failed)
	}
}

// TestNoCheaperEventIsKnown: where pairs are above what is attained, or truncation cannot be avoided.
func TestNoCheaperEventIsKnown(t *testing.T) {
	for text, n := range map[string]privacy.Neighboring{
		"jl-clipping(1, 20, 3, 0.01)": privacy.AddOrRemoveOne,
		"sequence(truncated-poisson(0.01, 1000, 50, gaussian(1)), without-replacement(1000, 10, gaussian(1)))": privacy.ReplaceOne,
	} {
		_, err := terms(parsed(t, text), n)
		if less, known := cheaper(parsed(t, text), n); known || err != nil {
			t.Errorf("%s: got %v, %v, want none", text, less, err)
		}
	}
}

// TestLossesOfCompositionsAddUp holds the bound beyond which δ may be 0.
func TestLossesOfCompositionsAddUp(t *testing.T) {
	for text, want := range map[string]float64{
		"repeat(3, laplace(2))": 1.5, "sequence(laplace(2), poisson(0.5, laplace(1)))": 1.5, "gaussian(1)": math.Inf(1),
		"sequence(laplace(2), gaussian(5))": math.Inf(1), "assumed-dp(1, 1e-9, add-or-remove-one)": math.Inf(1),
	} {
		all, err := terms(parsed(t, text), privacy.AddOrRemoveOne)
		if got := composedLoss(all, privacy.AddOrRemoveOne); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
		near, far := positive(Interval{}, all, 1.4, privacy.AddOrRemoveOne), positive(Interval{}, all, 1.5, privacy.AddOrRemoveOne)
		if near.Upper == 0 || (far.Upper == 0) != (want == 1.5) {
			t.Errorf("%s: an upper bound of 0 becomes %v below the largest loss and %v at 1.5", text, near, far)
		}
	}
}
