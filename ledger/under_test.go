package ledger

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func durable(t *testing.T, filter budget.Filter) (*budget.Book, *chain.Memory) {
	t.Helper()
	store := chain.NewMemory()
	b, err := budget.Create(t.Context(), store, budget.Terms{Name: "patients", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne,
		Unit: privacy.Unit{Row: "one person"}, Filter: filter, Who: "officer", Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return b, store
}

// runUnder is the ledger of one run with a durable budget behind it.
func runUnder(t *testing.T, b *budget.Book) (*Ledger, *budget.Payment) {
	t.Helper()
	g, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewSingle(g)
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Under(t.Context(), b, budget.Ask{Data: "patients", Person: "tester", Run: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return l, p
}

// TestUnderReservesDurablyFirst: runs share the durable budget, and a refusal leaves nothing on either side.
func TestUnderReservesDurablyFirst(t *testing.T) {
	b, store := durable(t, budget.Filter{Name: budget.GDP})
	for i := range 2 { // as in TestReserveKeepsTheLimit two of three fit
		l, p := runUnder(t, b)
		g, err := l.Reserve(gaussian(6), "a count")
		if err != nil {
			t.Fatal(err)
		}
		if places := p.Places(); len(places) != 1 || places[0].Where != b.Ledger() || b.Extends(places[0].Seq, places[0].Hash) != nil {
			t.Errorf("run %d is at %+v", i, places)
		}
		if again, failed := budget.Open(t.Context(), store.Open()); failed != nil || len(again.Summary().Releases) != i+1 {
			t.Errorf("before the first draw another process sees %+v, %v", again, failed)
		}
		if err = g.Pay(gaussian(6)); err != nil {
			t.Error(err)
		}
		if err = p.Settle(t.Context(), strings.Repeat("a", 64)); err != nil {
			t.Error(err)
		}
	}
	l, _ := runUnder(t, b)
	if _, err := l.Reserve(gaussian(6), "a third count"); !errors.Is(err, ErrOverBudget) || len(l.Event()) != 0 {
		t.Errorf("got %v with %v, want a refusal", err, l.Event())
	}
	for _, r := range b.Summary().Releases {
		if r.Outcome != budget.Released || r.Purpose != "a count" || r.Person != "tester" || r.Own.Epsilon <= 0 || r.Charge < r.Own.Epsilon*(1-1e-6) {
			t.Errorf("got %+v", r)
		}
	}
}

// TestUnderWantsTheNameOfTheData: the declared name decides what pays, so a plan without one has no ledger.
func TestUnderWantsTheNameOfTheData(t *testing.T) {
	b, _ := durable(t, budget.Filter{Name: budget.GDP})
	for name, want := range map[string]string{"": "have no declared name", "visits": `the data are "visits"`} {
		l, _ := runUnder(t, b)
		l.payment = b.Pay(t.Context(), budget.Ask{Data: name, Person: "tester"})
		if _, err := l.Reserve(gaussian(6), "a count"); err == nil || !strings.Contains(err.Error(), want) || len(b.Summary().Releases) > 0 {
			t.Errorf("data %q: got %v, want %q", name, err, want)
		}
	}
}

// TestUnderGivesBackWhatWasNeverBegun: the grant counts, and pays for nothing after it was counted.
func TestUnderGivesBackWhatWasNeverBegun(t *testing.T) {
	b, _ := durable(t, budget.Filter{Name: budget.RDP, Orders: []float64{16}, Deltas: []float64{1e-6}})
	step := mechanism.PoissonSampled{Probability: 0.01, Event: gaussian(2)}
	l, p := runUnder(t, b)
	g, err := l.Reserve(mechanism.Repeat{Event: step, Count: 50}, "training")
	if err != nil {
		t.Fatal(err)
	}
	copied := reflect.New(reflect.TypeOf(g).Elem()) // as a caller copies it whom go vet does not stop
	copied.Elem().Set(reflect.ValueOf(g).Elem())
	before := b.Summary().Spent
	for range 20 {
		if err = g.Pay(step); err != nil {
			t.Fatal(err)
		}
	}
	canceled, stop := context.WithCancel(t.Context())
	stop()
	if err = p.Settle(context.WithoutCancel(canceled), ""); err != nil {
		t.Fatal(err)
	}
	s := b.Summary()
	if r := s.Releases[0]; r.Outcome != budget.Stopped || r.Begun != 20 || !(s.Spent < before) {
		t.Errorf("got %+v at %v, want 20 of 50 releases and less than %v", r, s.Spent, before)
	}
	if g.Pay(step) == nil {
		t.Error("a grant paid after it was counted")
	}
	if copied.Interface().(*Grant).Pay(step) == nil {
		t.Error("a copy of the grant paid after it was counted")
	}
	if _, err = l.Reserve(step, "more"); err == nil {
		t.Error("a settled run reserved")
	}
	if p.Settle(t.Context(), "") == nil {
		t.Error("a run was settled twice")
	}
}

// TestUnderOnce: one durable budget stands behind a ledger, before anything is reserved.
func TestUnderOnce(t *testing.T) {
	b, _ := durable(t, budget.Filter{Name: budget.GDP})
	l, p := runUnder(t, b)
	if err := p.Settle(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Reserve(gaussian(6), "a count"); err == nil || len(b.Summary().Releases) != 0 {
		t.Error("a run that was settled before its first plan reserved one")
	}
	if _, err := l.Under(t.Context(), b, budget.Ask{}); err == nil {
		t.Error("two budgets stand behind a ledger")
	}
	used, _ := New(limit(t, 1))
	if _, err := used.Reserve(gaussian(6), "a count"); err != nil {
		t.Fatal(err)
	}
	if _, err := used.Under(t.Context(), b, budget.Ask{}); err == nil {
		t.Error("a used ledger was put over a durable budget")
	}
	replace, err := privacy.NewGuarantee(1, 1e-6, privacy.ReplaceOne, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := New(replace)
	if _, err := other.Under(t.Context(), b, budget.Ask{}); err == nil || !strings.Contains(err.Error(), "plan the run under that relation") {
		t.Errorf("got %v, want another relation refused with what to do", err)
	}
}
