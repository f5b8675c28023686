package neural

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestWeightsOfRules compares clipped norms with the formulas of the papers, by hand.
func TestWeightsOfRules(t *testing.T) {
	l := level{norm: 2, threshold: 8, stability: 0.5}
	for _, c := range []struct {
		rule       string
		norm, want float64 // of the clipped gradient
	}{
		{"flat", 1, 1}, {"flat", 2, 2}, {"flat", 10, 2}, {"flat", 0, 0},
		{"auto-s", 0.5, 1}, {"auto-s", 1.5, 1.5}, {"auto-s", 0, 0},
		{"auto-v", 0.001, 2}, {"auto-v", 100, 2}, {"auto-v", 0, 0},
		{"psac", 0.5, 1}, {"psac", 1.5, 2 * 1.5 / 1.75}, {"psac", 0, 0},
		{"global", 4, 1}, {"global", 8, 2}, {"global", 8.001, 0},
		{"global-adaptive", 4, 1}, {"global-adaptive", 8, 2}, {"global-adaptive", 80, 2},
		{"quantile", 1, 1}, {"quantile", 10, 2},
	} {
		used, err := ruleOf(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.norm * weighted(used, c.norm, l); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s clips norm %v to %v, want %v", c.rule, c.norm, got, c.want)
		}
	}
}

// TestRulesKeepTheNorm tries wild norms and levels.
func TestRulesKeepTheNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, used := range rules {
		for range 20000 {
			l := level{norm: math.Exp(20 * r.NormFloat64()), threshold: math.Exp(20 * r.NormFloat64()), stability: math.Exp(20 * r.NormFloat64())}
			norm := math.Exp(50 * r.NormFloat64())
			if got := norm * weighted(used, norm, l); !(got <= l.norm*(1+1e-12)) && !used.needs().projection {
				t.Fatalf("%s clips norm %v at %+v to %v", used.name(), norm, l, got)
			}
		}
		for _, norm := range []float64{math.NaN(), math.Inf(1)} {
			if got := weighted(used, norm, level{1, 1, 1}); got != 0 {
				t.Errorf("%s weighs norm %v by %v, want 0", used.name(), norm, got)
			}
		}
	}
}

// TestNoiseBesideCounts compares the noise of the sum with z·(1 - (z/2σ)²)^(-1/2), for one group and counts of
// standard deviation σ. The figures are those of theorem 1 of Andrew and others 2021 in float64, by Python.
func TestNoiseBesideCounts(t *testing.T) {
	for _, c := range []struct{ z, count, want float64 }{{1, 10, 1.0012523}, {1.1, 25.6, 1.1002540}, {3, 50, 3.0013509}} {
		clipping := Clipping{Rule: "quantile", Groups: []group{{1, 1, 1}}, refinements: refinements{Adaptive: &adaptivity{CountNoise: c.count}}}
		noises, err := clipping.noises(c.z)
		if err != nil || len(noises) != 2 || math.Abs(noises[0].NoiseMultiplier-c.want) > 5e-8 || noises[1].NoiseMultiplier != 2*c.count {
			t.Errorf("noise %v beside counts of %v: got %v (%v), want %v and %v", c.z, c.count, noises, err, c.want, 2*c.count)
		}
		// What is paid costs what the event of the paper costs.
		paid := mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.Sequence{noises[0], noises[1]}}
		paper := mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.AdaptiveClipping{NoiseMultiplier: noises[0].NoiseMultiplier, CountNoise: c.count}}
		a, err := account.PLD.Epsilon(paid, 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := account.PLD.Epsilon(paper, 1e-6, privacy.AddOrRemoveOne)
		if err != nil || math.Abs(a.Upper-b.Upper) > 1e-9 {
			t.Errorf("what is paid costs %v, the event of the paper %v (%v)", a.Upper, b.Upper, err)
		}
	}
	clipping := Clipping{Groups: []group{{1, 1, 1}}, refinements: refinements{Adaptive: &adaptivity{CountNoise: 0.5}}}
	if _, err := clipping.noises(1); err == nil {
		t.Error("counts that cost all of the step are accepted")
	}
}

// TestNoisesOfGroupsAddUp holds 1/z² of every allocation together to that of the step, and allocations to what they
// say.
func TestNoisesOfGroupsAddUp(t *testing.T) {
	blocks := testNetwork(t).Blocks()
	for _, a := range option.Allocations() {
		r := ClippingRequest{Norms: []float64{0.5, 2}, PerLayer: true, Allocation: a}
		groups, err := r.groups(blocks)
		if err != nil {
			t.Fatal(err)
		}
		c := Clipping{Rule: "quantile", Groups: groups, refinements: refinements{Adaptive: &adaptivity{CountNoise: 30}}}
		noises, err := c.noises(1.7)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, n := range noises {
			sum += 1 / n.NoiseMultiplier / n.NoiseMultiplier
		}
		if math.Abs(sum*1.7*1.7-1) > 1e-12 {
			t.Errorf("%s: 1/z² of the releases is %v times that of the step, want 1", a, sum*1.7*1.7)
		}
		// Standard deviations of the noise.
		first, second := noises[0].NoiseMultiplier*0.5, noises[1].NoiseMultiplier*2
		d1, d2 := float64(blocks[0].Numbers()), float64(blocks[1].Numbers())
		want := map[string]float64{option.AllocationEven: 4, option.AllocationIsotropic: 1, option.AllocationDimension: math.Sqrt(2 / math.Sqrt(d2) / (0.5 / math.Sqrt(d1)))}[a]
		if math.Abs(second/first-want) > 1e-9 {
			t.Errorf("%s: the noise of the second group is %v times that of the first, want %v", a, second/first, want)
		}
	}
}

// TestAdaptiveNormsFindTheQuantile follows both adaptive rules over norms of an exponential
// distribution with mean 3. Its quantile q is -3·log(1-q). The true share replaces the released
// one.
func TestAdaptiveNormsFindTheQuantile(t *testing.T) {
	a := adaptivity{Quantile: 0.7, Rate: 0.2, Least: 1e-6, Most: 1e6}
	want := -3 * math.Log(1-0.7)
	l := level{norm: 0.01, threshold: 50}
	for range 400 {
		l = quantile{}.adapt(l, 1-math.Exp(-l.norm/3), a)
		l = globalAdaptive{}.adapt(l, 1-math.Exp(-l.threshold/3), a)
	}
	if math.Abs(l.norm-want) > 1e-6 || math.Abs(l.threshold-want) > 1e-6 {
		t.Errorf("norm is %v and threshold %v, want %v", l.norm, l.threshold, want)
	}
	// One step by the formula, a share out of range, and the limits.
	for _, c := range []struct{ norm, share, want float64 }{{2, 0.2, 2 * math.Exp(0.1)}, {2, 9, 2 * math.Exp(-0.06)}, {2, -9, 2 * math.Exp(0.14)}, {1e6, 0, 1e6}, {1e-6, 1, 1e-6}} {
		if got := a.follow(c.norm, c.share); math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("norm %v with share %v goes to %v, want %v", c.norm, c.share, got, c.want)
		}
	}
}

// TestCountsAreThoseOfTheLevel compares what the counts add up to with norms that are computed apart.
func TestCountsAreThoseOfTheLevel(t *testing.T) {
	request := networksUnderTest()["mlp"]
	r := testRun(t, request, ClippingRequest{Rule: "quantile", PerLayer: true, Norm: 0.5}, testRows(t, 60, 12, "mlp"))
	within := make([]float64, len(r.levels))
	var all []int
	for i := range 60 {
		all = append(all, i)
		saved := r.levels
		r.levels = []level{{norm: 50}, {norm: 50}}
		for k, gradient := range sumsOf(t, r, i)[:2] {
			if within[k] -= 0.5; distance(gradient, make([]float64, len(gradient))) <= saved[k].norm {
				within[k]++
			}
		}
		r.levels = saved
	}
	for k, got := range sumsOf(t, r, all...)[2] {
		if math.Abs(got-within[k]) > 1e-6 || math.Abs(got) > 29 {
			t.Errorf("counts of group %d are %v, want %v, neither all nor none", k, got, within[k])
		}
	}
}

// TestStepsKeepTheirLengthWhileNormsMove makes a first step at the norm of the plan, and one at a
// smaller norm. Every gradient is clipped at both norms, so the weights move alike. A second group
// keeps its norm.
func TestStepsKeepTheirLengthWhileNormsMove(t *testing.T) {
	request, rows := networksUnderTest()["mlp"], testRows(t, 60, 12, "mlp")
	moved := func(norm float64) []float64 {
		r := testRun(t, request, ClippingRequest{Rule: "quantile", PerLayer: true, Norms: []float64{1e-3, 1e-3}}, rows)
		initial := make([]float32, r.Network.Weights())
		r.Network.Init(initial, 1)
		r.begin(initial)
		first := append([]float64(nil), r.weights...)
		r.levels[0].norm = norm
		if err := r.step(); err != nil {
			t.Fatal(err)
		}
		for j := range first {
			first[j] = r.weights[j] - first[j]
		}
		return first
	}
	want, got := moved(1e-3), moved(1e-5)
	if d, length := distance(got, want), kernel.Norm(want); !(d < 0.02*length) || length == 0 {
		t.Errorf("the step is %v off, of a length of %v, want 2 %% at most", d, length)
	}
}
