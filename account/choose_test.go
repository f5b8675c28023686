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
		"sampled":    {sampled(0.1, 1), "rdp"},
		"deep":       {mechanism.Sequence{gaussian(1), mechanism.Repeat{Event: mechanism.Sequence{sampled(0.1, 1)}, Count: 2}}, "rdp"},
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
		exact, err := EpsilonGroup(GDP{}, e, 1e-6, privacy.AddOrRemoveOne, k)
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
