package account

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// extremes are events with numbers at the ends of what can be written.
var extremes = []string{
	"repeat(9007199254740992, poisson(1e-300, gaussian(5e-324)))",
	"repeat(9007199254740992, gaussian(1e308))",
	"repeat(2147483647, laplace(1e-308))",
	"repeat(10000000, laplace(100000))",
	"sequence(assumed-dp(1e308, 1, zero-out), gaussian(1e308))",
	"without-replacement(2, 1, gaussian(1e308))",
	"jl-clipping(1e-9, 1, 1e9, 1e-9)",
	"truncated-poisson(0.5, 1000000000, 3, gaussian(0.01))",
	"with-replacement(1, 1000000, gaussian(0.01))",
	"with-replacement(1000000, 1000000, gaussian(100))",
	"discrete-laplace(1e-300, 4503599627370496)",
	"discrete-gaussian(1e300, 1)",
	"randomized-response(0, 2)",
	"randomized-response(1, 9223372036854775807)",
	"mixture-of-gaussians(1e-5, 1e9, 0.5, 0, 0.5)",
	"repeat-and-select(-0.999999, 1e300, gaussian(1e-9))",
	"objective-perturbation(1e-9, 0.999999999999)",
	"last-iterate-convex(1e-300, 1e300, 9223372036854775807)",
	"banded-matrix(1e-300, 1, 9223372036854775807, 1e-300)",
	"repeat(0, non-private())",
	"repeat(9007199254740992, random-allocation(2, gaussian(1e308)))",
	"repeat(1000, random-allocation(1048576, gaussian(1e-300)))",
	"random-allocation(3, gaussian(0.3))",
	"repeat(9007199254740992, poisson(1e-300, discrete-gaussian(1e300, 1)))",
	"poisson(0.5, discrete-laplace(1e-300, 4503599627370496))",
}

// TestExtremeEvents prices them by every accountant under every relation: no panic, no interval out of
// order, nothing that is no number. Zero-out is priced as add-or-remove-one where that has a proof, and then
// beside it in the long run only.
func TestExtremeEvents(t *testing.T) {
	if !thorough {
		skipShort(t)
	}
	for i, text := range extremes {
		again := mechanism.CheckNeighboring(parsed(t, text), privacy.AddOrRemoveOne) == nil
		for which := range uint8(len(accountants()) * len(relations)) {
			if !thorough && (i+int(which))%3 != 0 {
				continue
			}
			if thorough || !again || relations[int(which)/len(accountants())] != privacy.ZeroOut {
				priceAny(t, text, 1e-15, 3, which)
			}
		}
	}
}

// FuzzPrice prices whatever event can be read, by any accountant under any relation, at any delta and
// epsilon. An answer takes a second at most; the test waits for a busy machine.
func FuzzPrice(f *testing.F) {
	for i, s := range samples {
		f.Add(s.event, 1e-6, 1.0, uint8(i))
	}
	for i, text := range extremes {
		f.Add(text, 5e-324, 1e308, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, delta, epsilon float64, which uint8) {
		for _, slow := range []string{"jl-clipping", "with-replacement", "truncated", "random-allocation"} {
			if strings.Contains(text, slow) {
				return // seconds each, and memory that a fuzzing worker has not: see TestExtremeEvents
			}
		}
		priceAny(t, text, delta, epsilon, which)
	})
}

// priceAny is one accountant's answers about one event.
func priceAny(t *testing.T, text string, delta, epsilon float64, which uint8) {
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		return
	}
	all := accountants()
	a, n := all[int(which)%len(all)], relations[int(which)/len(all)%len(relations)]
	start := time.Now()
	v, failed := a.Epsilon(e, delta, n)
	checkInterval(t, a.Name()+" epsilon", e, v, failed, math.Inf(1))
	w, failed := a.Delta(e, epsilon, n)
	checkInterval(t, a.Name()+" delta", e, w, failed, 1)
	if d := time.Since(start); d > time.Minute {
		t.Errorf("%s of %v under %v at delta %v and epsilon %v took %v", a.Name(), e, n, delta, epsilon, d)
	}
}

func checkInterval(t *testing.T, what string, e mechanism.Event, v Interval, err error, most float64) {
	t.Helper()
	if err == nil && !(0 <= v.Lower && v.Lower <= v.Estimate && v.Estimate <= v.Upper && v.Upper <= most) {
		t.Errorf("%s of %v: got %+v", what, e, v)
	}
}

// TestHugeEpsilon asks for δ where nothing is left of it.
func TestHugeEpsilon(t *testing.T) {
	skipShort(t)
	for i, text := range []string{"jl-clipping(1, 1, 1, 1)", "poisson(0.1, gaussian(1))", "laplace(1)", "exponential(1)", "discrete-gaussian(3, 1)", "repeat(9, poisson(0.1, gaussian(1)))"} {
		for j, epsilon := range []float64{1e3, 1e9, 1e308, math.Inf(1)} {
			if !thorough && (i+j)%2 != 0 {
				continue
			}
			v, err := lossDistributions{}.Delta(parsed(t, text), epsilon, privacy.AddOrRemoveOne)
			checkInterval(t, "δ", parsed(t, text), v, err, 1e-290)
			if err != nil {
				t.Error(err)
			}
		}
	}
}
