package auditing

import (
	"testing"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestRefutedShapesBoundNothing audits scores that deny the shape of the claim's curve: with
// probability 0.01 a canary shows itself, and else its score says nothing. That is ε = 0 at a δ of
// 0.01. The claim of normal noise is refuted, and no lower bound on ε at that δ is stated.
func TestRefutedShapesBoundNothing(t *testing.T) {
	claim, err := EventClaim(mechanism.Gaussian{NoiseMultiplier: 20}, privacy.AddOrRemoveOne, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	var s audit.Scores
	for i := range 50000 {
		score := float64(i % 1000)
		s.LeftOut = append(s.LeftOut, score)
		if i%100 == 0 {
			score = 2000
		}
		s.Included = append(s.Included, score)
	}
	section, err := Attack{Group: "scores", Design: audit.Design{Coins: true, Independent: true}, Confidence: 0.999}.OfScores(claim, s)
	if err != nil {
		t.Fatal(err)
	}
	if section.Verdict != Refuted || section.Note == "" {
		t.Errorf("the verdict is %s, with the note %q", section.Verdict, section.Note)
	}
	if *section.LowerBound > 0 {
		t.Errorf("the lower bound is %v where the true epsilon is 0", *section.LowerBound)
	}
}
