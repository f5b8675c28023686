package budget

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

var background = context.Background()

// termsOf are terms of one filter under a cap of 3 at 1e-6.
func termsOf(name string) Terms {
	t := Terms{Name: "patients", Epsilon: 3, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: "one person"},
		Filter: Filter{Name: name}, Who: "officer", Tool: "test"}
	if name == RDP {
		t.Filter.Orders, t.Filter.Deltas = []float64{8}, []float64{1e-6}
	}
	return t
}

// ordersOf are terms under rdp with three orders.
func ordersOf() Terms {
	t := termsOf(RDP)
	t.Filter.Orders, t.Filter.Deltas = []float64{6, 10, 20}, []float64{3e-7, 4e-7, 3e-7}
	return t
}

func made(t testing.TB, terms Terms) (*Book, *chain.Memory) {
	t.Helper()
	store := chain.NewMemory()
	b, err := Create(background, store, terms)
	if err != nil {
		t.Fatal(err)
	}
	return b, store
}

func opened(t testing.TB, store *chain.Memory) *Book {
	t.Helper()
	b, err := Open(background, store.Open())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// askOf is a plan in the words of its event, as the terms want it.
func askOf(_ testing.TB, terms Terms, event string) Ask {
	e, err := mechanism.ParseEvent(event)
	if err != nil {
		panic(err)
	}
	a := Ask{Data: terms.Name, Event: e, Neighboring: terms.Neighboring, Unit: terms.Unit, Purpose: "a test", Person: "tester", Own: Guarantee{1, 1e-7, "stated"}}
	if terms.Filter.Name == Basic {
		a.Delta = 1e-8
	}
	return a
}

// reserve reserves, and reports whether the plan fit.
func reserve(t testing.TB, b *Book, a Ask) (*Reservation, bool) {
	t.Helper()
	r, err := b.Reserve(background, a)
	if err != nil && !errors.Is(err, ErrOverBudget) {
		t.Fatal(err)
	}
	return r, err == nil
}

// sameTotals holds that two books have the same exact sums.
func sameTotals(t testing.TB, a, b *Book) {
	t.Helper()
	one, other := a.state.spent, b.state.spent
	for i := range one.all {
		if one.all[i].Cmp(&other.all[i]) != 0 {
			t.Errorf("sum %d of all: %v and %v differ", i, one.all.floats(), other.all.floats())
		}
	}
	for p := range one.near {
		for i := range one.near[p] {
			if one.near[p][i].Cmp(&other.near[p][i]) != 0 || one.moved != nil && one.moved[p][i].Cmp(&other.moved[p][i]) != 0 {
				t.Errorf("population %d: sums differ", p)
			}
		}
	}
	if a.state.draws != b.state.draws || len(a.state.list) != len(b.state.list) || a.state.forfeit != b.state.forfeit {
		t.Error("states differ")
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Max(1, math.Abs(b)) }
