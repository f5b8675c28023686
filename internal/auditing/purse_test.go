package auditing

import (
	"errors"
	"strings"
	"testing"

	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestPursePaysForOneEvent trains by one plan, and then by others, with one purse.
func TestPursePaysForOneEvent(t *testing.T) {
	limit, err := privacy.NewGuarantee(5, 1e-5, privacy.AddOrRemoveOne, privacy.Unit{Row: "one canary"})
	if err != nil {
		t.Fatal(err)
	}
	var largest float64
	reserve := func(text string) func(*ledger.Ledger) error {
		e, failed := mechanism.ParseEvent(text)
		if failed != nil {
			t.Fatal(failed)
		}
		return func(l *ledger.Ledger) error {
			largest = l.Limit().Epsilon()
			_, failed := l.Reserve(e, "a training")
			return failed
		}
	}
	for _, event := range []string{"repeat(4, gaussian(3))", "laplace(1)", "repeat(8, poisson(0.25, gaussian(2)))", "assumed-dp(1, 1e-06, add-or-remove-one)"} {
		p := NewPurse(limit)
		if err = p.Train(reserve("gaussian(0.1)")); !errors.Is(err, ledger.ErrOverBudget) {
			t.Errorf("a first training above the limit gives the error %v", err)
		}
		if err = p.Train(reserve(event)); err != nil || largest != 5 {
			t.Errorf("%s: the first training has a limit of %v and the error %v, want 5 and none", event, largest, err)
		}
		if err = p.Train(reserve(event)); err != nil || largest != plenty {
			t.Errorf("%s: the second training has a limit of %v and the error %v, want a large one and none", event, largest, err)
		}
		if err = p.Train(reserve("repeat(2, " + event + ")")); err == nil || !strings.Contains(err.Error(), "want sequence("+event) {
			t.Errorf("%s: a training of another event gives the error %v, want one that names both", event, err)
		}
		if err = p.Train(func(*ledger.Ledger) error { return nil }); err == nil {
			t.Errorf("%s: a training without an event gives no error", event)
		}
	}
}
