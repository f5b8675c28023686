package account

import (
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestGroupOfOneCostsWhatTheEventDoes holds that many choices cost a group of one record what they cost: their
// pairs dominate without being attained, and Rényi divergences are less.
func TestGroupOfOneCostsWhatTheEventDoes(t *testing.T) {
	for _, count := range []int{1, 5, 20, 60} {
		e := mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.2}, Count: count}
		one, err := PLD{}.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		group, err := EpsilonGroup(PLD{}, e, 1e-6, privacy.AddOrRemoveOne, 1)
		if err != nil || !(group <= one.Upper*(1+1e-9)) || !(group >= one.Upper*(1-1e-3)) {
			t.Errorf("%d choices: a group of one costs %v (%v), want %v", count, group, err, one.Upper)
		}
	}
}
