//go:build long

package canary

import (
	"testing"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/option"
)

// TestManyBoundsStayBelowClaims runs 1,000 true trainings.
func TestManyBoundsStayBelowClaims(t *testing.T) { checkBounds(t, 1000) }

// TestLargeTrueTrainingsPass attacks all kinds of runs as an audit does. The test of package attack does
// so with few canaries.
func TestLargeTrueTrainingsPass(t *testing.T) {
	kept := &Kept{}
	for _, s := range settings() {
		checkTraining(t, s, 20000, kept)
	}
}

func checkTraining(t *testing.T, of setting, canaries int, kept *Kept) {
	t.Helper()
	s, err := of.attack(t.Context(), Options{Canaries: canaries, Kept: kept}, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if s.Verdict != auditing.NotRefuted || s.LowerBound == nil || s.Claimed == nil || *s.LowerBound > *s.Claimed {
		t.Errorf("%s: %s: lower bound %v of the claim %v", s.Name, s.Verdict, s.LowerBound, s.Claimed)
	}
}

// TestSampledRunsAreSeen is the same for samplings, at ε = 4. The floors are far below the bounds of
// simulations, so that each run falls below with probability under 1e-6: of Poisson samples 3.3 to
// 3.5, of parts in turn 2.5 to 2.7, of shuffled ones 2.2 to 2.5, of samples of parts 2.3 to 2.6.
func TestSampledRunsAreSeen(t *testing.T) {
	floors := map[string]float64{option.SamplingPoisson: 2.7, option.SamplingPartition: 1.9, option.SamplingShuffle: 1.7, option.SamplingCyclic: 1.7}
	for sampling, floor := range floors {
		k := kind{method: option.MethodNetwork, sampling: sampling, clipping: "flat"}
		p, scores := trained(t, k.plan(), 20000)
		if s := judged(t, p, scores, 0.05); *s.LowerBound < floor || *s.LowerBound > 4 {
			t.Errorf("%s: the claim 4 has the lower bound %v, want at least %v", k.name(), *s.LowerBound, floor)
		}
	}
}
