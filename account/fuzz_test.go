package account

import (
	"math"
	"testing"
	"time"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// FuzzPrice prices whatever event can be read, under every relation, at any delta and epsilon: no panic,
// no interval out of order, no NaN, and no answer after a minute (the machine may be busy; an
// answer takes a second at most).
func FuzzPrice(f *testing.F) {
	for i, s := range samples {
		if i%8 == 1 || !testing.Short() {
			f.Add(s.event, 1e-6, 1.0)
		}
	}
	if testing.Short() {
		f.Add("repeat(9007199254740992, gaussian(5e-324))", 5e-324, 1e308)
		f.Fuzz(fuzzPrice)
		return
	}
	f.Add("repeat(9007199254740992, poisson(1e-300, gaussian(5e-324)))", 5e-324, 1e308)
	f.Add("repeat(2147483647, laplace(1e-308))", 0.999999, 0.0)
	f.Add("sequence(assumed-dp(1e308, 1, zero-out), without-replacement(2, 1, gaussian(1e308)))", 0.0, 1e-320)
	f.Add("jl-clipping(1e-9, 1, 1e9, 1e-9)", 1e-15, 20.0)
	f.Add("truncated-poisson(0.5, 1000000000, 3, gaussian(0.01))", 1e-15, 20.0)
	f.Add("with-replacement(1, 1000000, gaussian(0.01))", 1e-15, 20.0)
	f.Fuzz(fuzzPrice)
}

func fuzzPrice(t *testing.T, text string, delta, epsilon float64) {
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		return
	}
	for _, a := range All() {
		for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
			start := time.Now()
			v, failed := a.Epsilon(e, delta, n)
			checkInterval(t, a.Name()+" epsilon", e, v, failed, math.Inf(1))
			w, failed := a.Delta(e, epsilon, n)
			checkInterval(t, a.Name()+" delta", e, w, failed, 1)
			if d := time.Since(start); d > time.Minute {
				t.Errorf("%s of %v under %v at delta %v and epsilon %v took %v", a.Name(), e, n, delta, epsilon, d)
			}
		}
	}
}

func checkInterval(t *testing.T, what string, e mechanism.Event, v Interval, err error, most float64) {
	t.Helper()
	if err == nil && !(0 <= v.Lower && v.Lower <= v.Estimate && v.Estimate <= v.Upper && v.Upper <= most) {
		t.Errorf("%s of %v: got %+v", what, e, v)
	}
}
