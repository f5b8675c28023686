package account

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// exactly is the callback of Textbook by PLD.
func exactly(n privacy.Neighboring) func(mechanism.Event, float64) (Interval, error) {
	return func(e mechanism.Event, delta float64) (Interval, error) {
		return lossDistributions{}.Epsilon(e, delta, n)
	}
}

// line returns the line of a name.
func line(t *testing.T, e mechanism.Event, delta float64, n privacy.Neighboring, name string) TextbookLine {
	t.Helper()
	lines, err := Textbook(e, delta, n, exactly(n))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("%v has no line %q", e, name)
	return TextbookLine{}
}

func times(count int, e mechanism.Event) mechanism.Event {
	return mechanism.Repeat{Event: e, Count: count}
}

// TestTextbookNumbers holds values of formulas, exact costs and verdicts. Exact costs are those of a
// contour integration of the moment generating function, to the digits given; formulas are as printed.
func TestTextbookNumbers(t *testing.T) {
	add, replace, zero := privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut
	const strong, moments, limit = "strong composition as printed", "moments accountant as printed", "central limit of Gaussian privacy"
	const fails, holds = "not a guarantee: understates", "not a guarantee: without proof, though"
	for i, c := range []struct {
		event         mechanism.Event
		delta         float64
		n             privacy.Neighboring
		name          string
		value, exact  float64
		wantedVerdict string
	}{
		{times(1000, assumed(0.1, 0)), 1e-6, zero, strong, 11.75, 19.34, fails},
		{times(1000, sampled(0.001, 0.6)), 1e-6, add, strong, 1.04, 2.107, fails},
		{times(10000, sampled(0.01, 4)), 1e-5, add, moments, 1.211, 0.947, holds},
		{times(1000, sampled(0.01, 1)), 1e-5, add, moments, 1.532, 1.828, fails},
		{times(1000, sampled(0.01, 0.7)), 1e-5, add, moments, 2.19, 4.62, fails},
		{times(1000, sampled(0.001, 0.6)), 1e-6, add, moments, 0.279, 2.107, fails},
		{times(100000, sampled(0.001, 0.6)), 1e-6, add, moments, 2.79, 6.96, fails},
		{times(100, sampled(0.1, 1)), 1e-5, add, moments, 4.84, 7.05, fails},
		{times(3525, sampled(256.0/60000, 1.1)), 1e-5, add, moments, 1.116, 1.135, fails},
		{times(1000, sampled(0.01, 1)), 1e-5, add, limit, 1.828 / 1.13, 1.828, fails},
		{times(1000, sampled(0.001, 0.6)), 1e-6, add, limit, 2.107 / 4.26, 2.107, fails},
		{times(10000, sampled(1e-4, 0.5)), 1e-8, add, limit, 0.356, 3.580, fails},
		{gaussian(2 * math.Log(1.25e5)), 1e-5, add, "Gaussian without the root", 1, 0.134, "valid under"},
		{gaussian(math.Sqrt(2 * math.Log(1.25e5) / 0.1)), 1e-5, add, "Gaussian without the root, as a variance", 0.1, 0.214, fails},
		{gaussian(math.Sqrt(2 * math.Log(1.25e5) / 0.5)), 1e-5, add, "Gaussian without the root, as a variance", 0.5, 0.514, fails},
		{gaussian(math.Sqrt(2 * math.Log(1.25e5) / 0.7)), 1e-5, add, "Gaussian without the root, as a variance", 0.7, 0.618, holds},
		{times(50, gaussian(2*math.Sqrt(50*math.Log(1e5)))), 1e-5, replace, "gradient descent, one constant", 1, 1.110, fails},
		{gaussian(2 * math.Sqrt(math.Log(1e5)) / 8), 1e-5, replace, "gradient descent, one constant", 8, 12.3, fails},
	} {
		if !thorough && i%2 != 0 {
			continue
		}
		l := line(t, c.event, c.delta, c.n, c.name)
		near := func(got, want float64) bool { return math.Abs(got/want-1) < 0.006 }
		if !near(l.Epsilon, c.value) || !near(l.Exact, c.exact) || !strings.HasPrefix(l.Verdict, c.wantedVerdict) || l.Delta != c.delta {
			t.Errorf("%v at %v, %s: got %.4g, exactly %.4g at %v, %q; want %v, exactly %v, %q",
				c.event, c.delta, c.name, l.Epsilon, l.Exact, l.Delta, l.Verdict, c.value, c.exact, c.wantedVerdict)
		}
	}
}

// TestTextbookFailsWhere holds the epsilon at which formulas of normal noise begin to understate: the
// noise that each asks for, solved for where its exact cost is as large.
func TestTextbookFailsWhere(t *testing.T) {
	classicNoise := func(epsilon, delta float64) float64 { return math.Sqrt(2*math.Log(1.25/delta)) / epsilon }
	rootNoise := func(epsilon, delta float64) float64 { return 2 * math.Sqrt(math.Log(1/delta)) / epsilon }
	sumNoise := func(epsilon, delta float64) float64 { return 2 * math.Sqrt(2*math.Log(2/delta)) / epsilon }
	for _, c := range []struct {
		name           string
		noise          func(epsilon, delta float64) float64
		n              privacy.Neighboring
		delta, epsilon float64
	}{
		{"classic Gaussian", classicNoise, privacy.AddOrRemoveOne, 0.1, 5.74},
		{"classic Gaussian", classicNoise, privacy.AddOrRemoveOne, 1e-3, 7.46},
		{"classic Gaussian", classicNoise, privacy.AddOrRemoveOne, 1e-5, 8.42},
		{"classic Gaussian", classicNoise, privacy.AddOrRemoveOne, 1e-12, 10.25},
		{"gradient descent, one constant", rootNoise, privacy.ReplaceOne, 1e-3, 1.136},
		{"gradient descent, one constant", rootNoise, privacy.ReplaceOne, 1e-5, 0.325},
		{"gradient descent, one constant", rootNoise, privacy.ReplaceOne, 1e-8, 0.0226},
		{"gradient descent, one constant", rootNoise, privacy.ZeroOut, 1e-3, 24.5},
		{"gradient descent, one constant", rootNoise, privacy.AddOrRemoveOne, 1e-5, 36},
		{"gradient descent by sequential composition", sumNoise, privacy.ReplaceOne, 1e-5, 9.4},
	} {
		before := line(t, gaussian(c.noise(c.epsilon*0.98, c.delta)), c.delta, c.n, c.name)
		after := line(t, gaussian(c.noise(c.epsilon*1.02, c.delta)), c.delta, c.n, c.name)
		if strings.Contains(before.Verdict, "understates by") || !strings.Contains(after.Verdict, "understates by") {
			t.Errorf("%s under %v at delta %v: %q just below %v, %q just above", c.name, c.n, c.delta, before.Verdict, c.epsilon, after.Verdict)
		}
		if got := before.Epsilon / c.epsilon; math.Abs(got-0.98) > 1e-9 {
			t.Errorf("%s: epsilon %v of its own noise, want %v", c.name, before.Epsilon, 0.98*c.epsilon)
		}
	}
	small := line(t, gaussian(classicNoise(0.9, 1e-5)), 1e-5, privacy.AddOrRemoveOne, "classic Gaussian")
	if small.Verdict != "valid under epsilon below 1" {
		t.Errorf("classic at 0.9: %q", small.Verdict)
	}
	if l := line(t, gaussian(rootNoise(1, 1e-12)), 1e-12, privacy.ReplaceOne, "gradient descent, one constant"); !strings.Contains(l.Verdict, "understates by") {
		t.Errorf("one constant at delta 1e-12: %q", l.Verdict)
	}
}

// TestTextbookAmplification holds by how much (qε, qδ) understates one sampled release: log(1+q(e^ε-1))/(qε).
func TestTextbookAmplification(t *testing.T) {
	for epsilon, factor := range map[float64]float64{1: 1.7, 2: 3.1, 4: 10.7, 8: 43} {
		target, err := privacy.NewGuarantee(epsilon, 1e-5, privacy.ZeroOut, privacy.Unit{})
		if err != nil {
			t.Fatal(err)
		}
		e := sampled(0.01, 1/MuOf(target))
		wrong, right := line(t, e, 1e-7, privacy.ZeroOut, "amplification as printed, one release"), line(t, e, 1e-7, privacy.ZeroOut, "amplification, one release")
		if got := wrong.Exact / wrong.Epsilon; math.Abs(got/factor-1) > 0.02 || !strings.Contains(wrong.Verdict, "understates by") {
			t.Errorf("epsilon %v: a factor of %v, %q, want %v", epsilon, got, wrong.Verdict, factor)
		}
		if right.Verdict != "valid" || right.Epsilon > right.Exact*(1+1e-4) {
			t.Errorf("epsilon %v: the correct form gives %v, exactly %v: %q", epsilon, right.Epsilon, right.Exact, right.Verdict)
		}
	}
}

// TestTextbookFixedBatches holds that batches of fixed size cost several times what Poisson samples of the
// same probability do, and that the verdict says so.
func TestTextbookFixedBatches(t *testing.T) {
	e := times(1000, mechanism.WithoutReplacement{Records: 10000, Batch: 100, Event: gaussian(1)})
	l := line(t, e, 1e-5, privacy.ReplaceOne, "fixed batches taken for Poisson samples")
	if math.Abs(l.Epsilon-1.828) > 1e-3 || math.Abs(l.Exact-14.82) > 0.01 || !strings.HasPrefix(l.Verdict, "not a guarantee: understates by a factor of 8.1") {
		t.Errorf("got %+v", l)
	}
}

// TestTextbookValidLines checks textbook lines over many events. Every valid line is above the
// lower bound, proven theorems are always valid, and no number is NaN.
func TestTextbookValidLines(t *testing.T) {
	for i, e := range []mechanism.Event{
		gaussian(2), times(20, sampled(0.1, 2)), times(20, mechanism.Laplace{NoiseMultiplier: 5}), mechanism.TreeAggregation{NoiseMultiplier: 9, Steps: 100},
		times(20, mechanism.RandomizedResponse{Probability: 0.8, Outcomes: 3}), times(20, assumed(0.2, 1e-9)), times(20, mechanism.Exponential{Epsilon: 0.2}),
		times(20, mechanism.PermuteAndFlip{Epsilon: 0.2}), mechanism.AssumedZCDP{Rho: 0.1, Neighboring: privacy.ZeroOut}, times(20, mechanism.WithoutReplacement{Records: 100, Batch: 10, Event: gaussian(2)}),
		mechanism.RepeatAndSelect{Shape: 1, Mean: 5, Event: gaussian(9)}, times(20, mechanism.DiscreteLaplace{Scale: 6, Sensitivity: 1}),
	} {
		for n := privacy.AddOrRemoveOne; n <= privacy.ZeroOut; n++ {
			if mechanism.CheckNeighboring(e, n) != nil || !thorough && (i+int(n))%2 != 0 {
				continue
			}
			lines, err := Textbook(e, 1e-6, n, func(e mechanism.Event, delta float64) (Interval, error) {
				v, failed := lossDistributions{}.Epsilon(e, delta, n)
				if failed != nil {
					return RDP{}.Epsilon(e, delta, n)
				}
				return v, nil
			})
			if err != nil || len(lines) == 0 {
				t.Errorf("%v under %v: %v, %v", e, n, lines, err)
			}
			for _, l := range lines {
				if !(l.Epsilon >= 0) || l.Source == "" || l.Formula == "" || strings.HasPrefix(l.Verdict, "valid") && l.Epsilon < l.Exact*(1-1e-6) {
					t.Errorf("%v under %v: %+v", e, n, l)
				}
				theorem := strings.HasPrefix(l.Name, "sequential composition") || strings.HasPrefix(l.Name, "advanced composition") || l.Name == "amplification, one release"
				if theorem && l.Verdict != "valid" {
					t.Errorf("%v under %v: %s is %q", e, n, l.Name, l.Verdict)
				}
			}
		}
	}
	l := line(t, mechanism.KNorm{NoiseMultiplier: 4}, 1e-9, privacy.ReplaceOne, "norm mechanism with a factor 2")
	if l.Epsilon != 1 || math.Abs(l.Exact-0.5) > 1e-4 || l.Verdict != "valid" {
		t.Errorf("norm mechanism: %+v", l)
	}
}

// TestTextbookStatements holds the printed forms for statements with a δ of their own.
func TestTextbookStatements(t *testing.T) {
	e := times(1000, assumed(0.4, 1e-6))
	strong := line(t, e, 2e-3, privacy.ZeroOut, "strong composition as printed")
	moments := line(t, e, 2e-3, privacy.ZeroOut, "moments accountant as printed")
	if math.Abs(strong.Epsilon-0.4*math.Sqrt(1000*math.Log(1e6))) > 1e-9 || strong.Delta != 1000*1e-6 || !strings.Contains(strong.Verdict, "understates by") {
		t.Errorf("strong composition: %+v", strong)
	}
	if moments.Delta != 1e-6 || moments.Verdict != "not a guarantee: no finite epsilon holds at this delta" {
		t.Errorf("moments accountant: %+v", moments)
	}
}

// TestTextbookExercise compares the four boxed numbers of the exercise and their verdicts. The
// correct claim is between the cost of the worst algorithm and 1.5 times that cost.
func TestTextbookExercise(t *testing.T) {
	lines := TextbookExercise()
	for i, want := range []struct {
		epsilon, delta float64
		verdict        string
	}{
		{400, 1e-3, "valid"}, {30.98, 1e-3, "not a guarantee: understates"}, {0.3098, 1e-5, "not a guarantee: understates"},
		{0.1265, 1e-6, "not a guarantee: no finite epsilon"}, {0.6343, 1.1e-5, "valid"},
	} {
		l := lines[i]
		if math.Abs(l.Epsilon/want.epsilon-1) > 5e-4 || math.Abs(l.Delta/want.delta-1) > 1e-12 || !strings.HasPrefix(l.Verdict, want.verdict) {
			t.Errorf("line %d: got %+v, want %+v", i, l, want)
		}
	}
	if l := lines[4]; l.Exact > l.Epsilon || l.Exact < l.Epsilon/1.5 {
		t.Errorf("the correct claim is %v, the worst algorithm costs %v", l.Epsilon, l.Exact)
	}
	// log(1+q(e^ε-1))·√(2T·log(1/δ')) + drift, with δ' what (e) leaves for the composition.
	step := math.Log1p(0.01 * math.Expm1(0.4))
	closed := step*math.Sqrt(2000*-math.Log(1e-6)) + 1000*step*math.Tanh(step/2)
	if l := lines[4]; l.Epsilon > closed || l.Epsilon < closed/1.5 {
		t.Errorf("the correct claim is %v, the closed form gives %v", l.Epsilon, closed)
	}
}

func TestTextbookEdges(t *testing.T) {
	n := privacy.ZeroOut
	for _, e := range []mechanism.Event{mechanism.Sequence{}, mechanism.NonPrivate{}, mechanism.Sequence{gaussian(1), sampledOpen()}, times(0, gaussian(1))} {
		if lines, err := Textbook(e, 1e-6, n, exactly(n)); err != nil || len(lines) != 0 {
			t.Errorf("%v: %v, %v", e, lines, err)
		}
	}
	for _, delta := range []float64{0, 1, -1, math.NaN()} {
		if _, err := Textbook(gaussian(1), delta, n, exactly(n)); err == nil {
			t.Errorf("delta %v was taken", delta)
		}
	}
	broken := errors.New("no answer")
	if _, err := Textbook(gaussian(1), 1e-6, n, func(mechanism.Event, float64) (Interval, error) { return Interval{}, broken }); !errors.Is(err, broken) {
		t.Errorf("error of the accountant: got %v", err)
	}
	if _, err := Textbook(gaussian(0), 1e-6, n, exactly(n)); err == nil {
		t.Error("no noise was taken")
	}
	lines, err := Textbook(mechanism.Sequence{gaussian(3), assumed(1, 0)}, 1e-6, n, exactly(n))
	if err != nil || len(lines) != 2 {
		t.Errorf("different releases: %v, %v, want two lines of composition", lines, err)
	}
	undecided := formula{epsilon: 1}.judge(1e-6, Interval{0, 2, 2})
	if !strings.Contains(undecided.Verdict, "do not decide") {
		t.Errorf("wide bounds: %q", undecided.Verdict)
	}
}

func sampledOpen() mechanism.Event {
	return mechanism.PoissonSampled{Probability: 0.1, Event: mechanism.NonPrivate{}}
}

// What does a common exercise on composition really cost?
func ExampleTextbookExercise() {
	for _, l := range TextbookExercise() {
		fmt.Printf("%.4g at %.3g, exactly %.4g: %s\n", l.Epsilon, l.Delta, l.Exact, l.Verdict)
	}
	// Output:
	// 400 at 0.001, exactly 138.1: valid
	// 30.98 at 0.001, exactly 138.1: not a guarantee: understates by a factor of 4.46
	// 0.3098 at 1e-05, exactly 0.76: not a guarantee: understates by a factor of 2.45
	// 0.1265 at 1e-06, exactly +Inf: not a guarantee: no finite epsilon holds at this delta
	// 0.6343 at 1.1e-05, exactly 0.5177: valid
}
