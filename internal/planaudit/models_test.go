package planaudit

import (
	"testing"

	"github.com/ditherml/dither/internal/auditing"
)

// TestFinalModelsAreAttacked attacks the final models of all kinds. None is refuted, each with
// probability at most 1e-6 of being so by chance, and progress never falls.
func TestFinalModelsAreAttacked(t *testing.T) {
	before := 0.0
	sections, err := FinalModels(t.Context(), 1e-6, 40, &Kept{}, func(_ string, done float64) {
		if done < before || done > 1 {
			t.Errorf("progress goes from %v to %v", before, done)
		}
		before = done
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.Verdict != auditing.NotRefuted || s.Group != "models" || len(s.Bounds) < 5 {
			t.Errorf("%s: %s: %s with %d bounds", s.Group, s.Name, s.Verdict, len(s.Bounds))
		}
	}
	if len(sections) != len(kindsOfModels()) {
		t.Errorf("there are %d attacks, want %d", len(sections), len(kindsOfModels()))
	}
}
