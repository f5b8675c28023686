package curve

import (
	"fmt"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
)

// TestKeptAttacker asks one keeper about certificates that differ in one thing each, and wants what each of them proves.
func TestKeptAttacker(t *testing.T) {
	base := certificate.Certificate{Private: true, Event: "gaussian(2)", Accountant: "gdp", Epsilon: 2.5, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
	event, epsilon, delta, relation := base, base, base, base
	event.Event, epsilon.Epsilon, delta.Delta, relation.Neighboring = "gaussian(9)", 0.1, 0.01, privacy.ReplaceOne
	var kept Kept
	seen := map[string]bool{}
	for _, c := range []certificate.Certificate{base, base, event, base, epsilon, base, delta, base, relation} {
		got, want := fmt.Sprint(kept.ForPage(c)), fmt.Sprint(ForPage(c))
		if got != want {
			t.Errorf("%+v: got %s, want %s", c, got, want)
		}
		seen[fmt.Sprint(kept.of)] = true
	}
	if len(seen) != 5 {
		t.Errorf("got %d keys, want 5", len(seen))
	}
	if c := (certificate.Certificate{}); kept.ForPage(c) != nil {
		t.Error("a baseline has an attacker, want none")
	}
}
