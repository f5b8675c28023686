package account

import (
	"testing"

	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestThousandsOfDifferentStepsAreFewTerms counts the composed terms for thousands of different
// Poisson steps. Each direction has one term for each group and one for everything normal, for both
// bounds. So the time does not grow with the number of steps. Every step is counted.
func TestThousandsOfDifferentStepsAreFewTerms(t *testing.T) {
	const steps = 7500
	plan := mechanism.Sequence{gaussian(9), gaussian(11)}
	for i := range steps {
		plan = append(plan, sampled(0.001+1e-6*float64(i), 1+1e-4*float64((7*i)%steps)))
	}
	dear, err := compose(plan, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	less, known := cheaper(plan, privacy.AddOrRemoveOne)
	cheap, failed := composeOf(less, privacy.AddOrRemoveOne, pairsBelow)
	if !known || failed != nil {
		t.Fatalf("no cheaper event: %v, %v", less, failed)
	}
	if !dear.many || (lossDistributions{}).options(dear).Relative < 1e-3 {
		t.Errorf("thousands of different releases are composed as closely as few: %+v", (lossDistributions{}).options(dear))
	}
	for _, direction := range append(append([][]pld.Term{}, dear.directions...), cheap.directions...) {
		count := int64(0)
		for _, term := range direction {
			count += term.Count
		}
		if len(direction) > gathered+1 || count != steps+1 {
			t.Errorf("%d terms of %d releases are composed, want at most %d of %d", len(direction), count, gathered+1, steps+1)
		}
	}
	orders, err := terms(plan, privacy.AddOrRemoveOne)
	if few, any := gather(orders, true); err != nil || !any || len(few) > gathered+2 {
		t.Errorf("rdp has %d divergences to compute (%v), want at most %d", len(few), err, gathered+2)
	}
}
