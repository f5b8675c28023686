package certificate

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestEditsOfSampledPricesAreRefused holds the price of Poisson sampled steps, which comes from a lattice, to the
// difference that two machines may have: one within it passes, and 1 % of either epsilon is refused, upward and
// downward.
func TestEditsOfSampledPricesAreRefused(t *testing.T) {
	plan := json.RawMessage(`{}`)
	d := Claim{Event: mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: 0.01, Event: mechanism.Gaussian{NoiseMultiplier: 2}}, Count: 20},
		Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: "one person", RowsPerPerson: 2}}
	sampled := map[string]Method{"sampled": func(json.RawMessage) (Claim, error) { return d, nil }}
	c, err := New("sampled", plan, d)
	if err != nil || c.Accountant != account.PLD.Name() || !(c.Epsilon > 0 && c.GroupEpsilon > c.Epsilon) || math.IsInf(float64(c.GroupEpsilon), 1) {
		t.Fatalf("%+v, %v; want finite prices by the accountant of lattices", c, err)
	}
	for _, edit := range []struct {
		one, group Epsilon
		same       bool
	}{
		{1, 1, true}, {1 - 1e-8, 1 + 1e-8, true}, {1 + 1e-8, 1 - 1e-8, true},
		{0.99, 1, false}, {1.01, 1, false}, {1, 0.99, false}, {1, 1.01, false},
	} {
		edited := c
		edited.Epsilon *= edit.one
		edited.GroupEpsilon *= edit.group
		if err := edited.VerifyPlan(sampled); (err == nil) != edit.same {
			t.Errorf("epsilon times %v and that of a person times %v: %v, want taken %v", edit.one, edit.group, err, edit.same)
		}
	}
}
