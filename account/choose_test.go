package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func TestFor(t *testing.T) {
	for name, c := range map[string]struct {
		event mechanism.Event
		want  string
	}{
		"gaussian":   {mechanism.Sequence{gaussian(1), mechanism.Repeat{Event: gaussian(2), Count: 3}}, "gdp"},
		"sampled":    {sampled(0.1, 1), "pld"},
		"deep":       {mechanism.Sequence{gaussian(1), mechanism.Repeat{Event: mechanism.Sequence{sampled(0.1, 1)}, Count: 2}}, "pld"},
		"tuned":      {mechanism.RepeatAndSelect{Shape: 1, Mean: 3, Event: gaussian(3)}, "rdp"},
		"no privacy": {mechanism.NonPrivate{}, "gdp"},
	} {
		if got := For(c.event).Name(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// TestEpsilonGroupGeneric holds the generic bound above the exact one where that is known, and
// growing with the group.
func TestEpsilonGroupGeneric(t *testing.T) {
	e := mechanism.Repeat{Event: gaussian(100), Count: 40}
	last := 0.0
	for _, k := range []int{1, 2, 5, 10} {
		exact, err := EpsilonGroup(gaussianDP{}, e, 1e-6, privacy.AddOrRemoveOne, k)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EpsilonGroup(RDP{}, e, 1e-6, privacy.AddOrRemoveOne, k)
		if err != nil || got < exact || got > 4*exact || got <= last {
			t.Errorf("%d records: got %v (%v), exact %v, smaller group %v", k, got, err, exact, last)
		}
		last = got
	}
	if _, err := EpsilonGroup(RDP{}, e, 1e-6, privacy.AddOrRemoveOne, 0); err == nil {
		t.Error("a group of 0 was priced")
	}
	if got, err := EpsilonGroup(RDP{}, gaussian(0.01), 1e-6, privacy.AddOrRemoveOne, 50); err != nil || !math.IsInf(got, 1) {
		t.Errorf("a hopeless group: got %v, %v, want +Inf", got, err)
	}
}

// TestGroupsOfSampledRecords compares groups with what bounds them: at k = 1 the event itself, and for k
// the group that is always sampled together from below and the general bound from above.
func TestGroupsOfSampledRecords(t *testing.T) {
	skipShort(t)
	e, a := repeated(200, sampled(0.02, 1.5)), lossDistributions{width: conformanceWidth}
	one, err := a.Epsilon(e, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	if got, failed := EpsilonGroup(a, e, 1e-6, privacy.AddOrRemoveOne, 1); failed != nil || got != one.Upper {
		t.Errorf("one record: got %v (%v), want %v", got, failed, one.Upper)
	}
	last := one.Upper
	for _, k := range []int{2, 9} {
		got, failed := EpsilonGroup(a, e, 1e-6, privacy.AddOrRemoveOne, k)
		if failed != nil {
			t.Fatal(failed)
		}
		general := math.Inf(1)
		if k == 2 || thorough {
			general, failed = EpsilonGroup(RDP{}, e, 1e-6, privacy.AddOrRemoveOne, k)
		}
		if failed != nil || !(got > last) || got > general {
			t.Errorf("%d records: got %v, fewer %v, the general bound %v (%v)", k, got, last, general, failed)
		}
		// A mixture of the same law, as an event.
		m := mechanism.MixtureOfGaussians{NoiseMultiplier: 1.5}
		for i := range k + 1 {
			m.Sensitivities = append(m.Sensitivities, float64(i))
			m.Probabilities = append(m.Probabilities, binomialShifts(0.02, 1.5, k).P[i].Weight)
		}
		v, failed := a.Epsilon(repeated(200, m), 1e-6, privacy.AddOrRemoveOne)
		if failed != nil || math.Abs(v.Upper/got-1) > 1e-6 {
			t.Errorf("%d records: got %v, as a mixture %v (%v)", k, got, v.Upper, failed)
		}
		last = got
	}
	for e, n := range map[mechanism.Event]privacy.Neighboring{
		mechanism.Event(mechanism.Repeat{Event: sampled(0.02, 3), Count: 20}):                      privacy.ReplaceOne,
		mechanism.Event(mechanism.Repeat{Event: mechanism.Laplace{NoiseMultiplier: 50}, Count: 2}): privacy.AddOrRemoveOne,
		mechanism.Event(mechanism.DiscreteLaplace{Scale: 50, Sensitivity: 1}):                      privacy.AddOrRemoveOne,
	} {
		if got, failed := EpsilonGroup(lossDistributions{}, e, 1e-6, n, 3); failed != nil || !(got > 0) || math.IsInf(got, 1) {
			t.Errorf("%v: got %v, %v", e, got, failed)
		}
	}
}

// TestEpsilonGroupBesideChoices prices a group by hand. For large noise, k records move noise by k
// bounds, widen the range of a choice k times, and pass a threshold with at most k·δ. The general
// bound in steps does not exist here, since δ' of a step is below the δ of the event.
func TestEpsilonGroupBesideChoices(t *testing.T) {
	of := func(k float64) mechanism.Event {
		return mechanism.Sequence{mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.03 * k}, Count: 6}, mechanism.Gaussian{NoiseMultiplier: 40 / k}, mechanism.AssumedDP{Delta: 5e-8 * k, Neighboring: privacy.AddOrRemoveOne},
			mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 40 / k}, Count: 59}, mechanism.PermuteAndFlip{Epsilon: 0.02 * k}, mechanism.KNorm{NoiseMultiplier: 50 / k}}
	}
	for _, k := range []int{2, 5, 9} {
		got, err := EpsilonGroup(lossDistributions{}, of(1), 1e-6, privacy.AddOrRemoveOne, k)
		if err != nil {
			t.Fatal(err)
		}
		want, err := lossDistributions{}.Epsilon(of(float64(k)), 1e-6, privacy.AddOrRemoveOne)
		if err != nil || !(got >= want.Upper*(1-1e-3) && got <= want.Upper*1.05) {
			t.Errorf("%d records cost %v, want about %v (%v)", k, got, want.Upper, err)
		}
	}
	apart := mechanism.Parallel{of(1), mechanism.Gaussian{NoiseMultiplier: 30}}
	got, err := EpsilonGroup(For(apart), apart, 1e-6, privacy.AddOrRemoveOne, 5)
	want, failed := lossDistributions{}.Epsilon(mechanism.Sequence{of(5), mechanism.Gaussian{NoiseMultiplier: 6}}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil || failed != nil || !(got <= want.Upper*1.05) {
		t.Errorf("5 records in two parts cost %v (%v), want at most %v (%v), what all of them cost in both", got, err, want.Upper, failed)
	}
	if e := (mechanism.AssumedDP{Epsilon: 0.5, Delta: 1e-9, Neighboring: privacy.AddOrRemoveOne}); true {
		got, err := EpsilonGroup(lossDistributions{}, e, 1e-9*(1+math.Exp(0.5)+math.E)*1.0001, privacy.AddOrRemoveOne, 3)
		if err != nil || !(got <= 1.501 && got > 1.49) {
			t.Errorf("three records of %v cost %v (%v), want 1.5", e, got, err)
		}
	}
}
