//go:build long

package canary

import (
	"testing"

	"github.com/ditherml/dither/internal/auditing"
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
