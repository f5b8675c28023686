package ledger

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func limit(t *testing.T, epsilon float64) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewGuarantee(epsilon, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func gaussian(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} }

func TestReserveKeepsTheLimit(t *testing.T) {
	l, err := New(limit(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	// The limit is μ 0.2367; one release of multiplier 6 has μ 0.1667, two 0.2357,
	// three 0.2887.
	for i := range 2 {
		if _, err := l.Reserve(gaussian(6), "count"); err != nil {
			t.Fatalf("reservation %d: %v", i, err)
		}
	}
	if _, err := l.Reserve(gaussian(6), "count"); !errors.Is(err, ErrOverBudget) {
		t.Errorf("third reservation: got %v, want ErrOverBudget", err)
	}
	if _, err := l.Reserve(mechanism.NonPrivate{}, "baseline"); !errors.Is(err, ErrOverBudget) {
		t.Errorf("non-private: got %v, want ErrOverBudget", err)
	}
	if n := len(l.Event()); n != 2 {
		t.Errorf("entries: got %d, want 2", n)
	}
	if _, err := New(privacy.Guarantee{}); err == nil {
		t.Error("an empty limit was taken")
	}
}

func TestInfiniteLimitAdmitsNonPrivate(t *testing.T) {
	l, _ := New(limit(t, math.Inf(1)))
	g, err := l.Reserve(mechanism.NonPrivate{}, "baseline")
	if err != nil || g.Pay(mechanism.NonPrivate{}) != nil {
		t.Errorf("got %v, want a grant that pays", err)
	}
}

func TestReserveUnderRace(t *testing.T) {
	l, _ := New(limit(t, 1))
	var wait sync.WaitGroup
	for range 64 {
		wait.Go(func() { _, _ = l.Reserve(gaussian(6), "count") })
	}
	wait.Wait()
	if n := len(l.Event()); n != 2 {
		t.Errorf("reservations granted: got %d, want 2", n)
	}
}

func TestGrantPaysEachReleaseOnceInOrder(t *testing.T) {
	l, _ := New(limit(t, 100))
	g, err := l.Reserve(mechanism.Sequence{gaussian(3), mechanism.Repeat{Event: gaussian(5), Count: 2}}, "training")
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		event mechanism.Event
		paid  bool
	}{
		{gaussian(5), false}, {gaussian(3), true}, {gaussian(3), false}, {gaussian(5), true},
		{gaussian(4), false}, {gaussian(5), true}, {gaussian(5), false}, {nil, false},
	}
	for i, s := range steps {
		if err := g.Pay(s.event); (err == nil) != s.paid {
			t.Errorf("payment %d of %v: got %v, want paid %v", i, s.event, err, s.paid)
		}
	}
	var none *Grant
	if none.Pay(gaussian(1)) == nil {
		t.Error("a nil grant paid")
	}
	nested := mechanism.Repeat{Event: mechanism.Sequence{gaussian(9), gaussian(8)}, Count: 2}
	g, _ = l.Reserve(nested, "nested")
	for _, z := range []float64{9, 8, 9, 8} {
		if err := g.Pay(gaussian(z)); err != nil {
			t.Errorf("nested: %v", err)
		}
	}
	if g.Pay(gaussian(9)) == nil {
		t.Error("a fifth release of four was paid")
	}
}

func TestFilters(t *testing.T) {
	sampled := mechanism.PoissonSampled{Probability: 0.01, Event: gaussian(2)}
	for name, f := range map[string]account.Accountant{
		"none": nil, "many orders": account.RDP{}, "two orders": account.RDP{Orders: []float64{2, 3}},
		"loss distributions": account.PLD, "best": account.Best, "basic": account.Basic,
	} {
		if _, err := NewFiltered(limit(t, 1), f); err == nil {
			t.Errorf("%s: got a ledger, want an error", name)
		}
	}
	l, err := NewFiltered(limit(t, 1), account.RDP{Orders: []float64{20}})
	if err != nil {
		t.Fatal(err)
	}
	granted := 0
	for range 100000 {
		if _, err = l.Reserve(mechanism.Repeat{Event: sampled, Count: 100}, "steps"); err != nil {
			if !errors.Is(err, ErrOverBudget) {
				t.Fatal(err)
			}
			break
		}
		granted++
	}
	one, err := account.RDP{Orders: []float64{20}}.Epsilon(mechanism.Repeat{Event: sampled, Count: 100 * granted}, 1e-6, privacy.AddOrRemoveOne)
	if err != nil || granted < 2 || one.Upper > 1 {
		t.Errorf("%d reservations cost %v (%v), want several and at most 1", granted, one.Upper, err)
	}
	concentrated, err := NewFiltered(limit(t, 1), account.ZCDP)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = concentrated.Reserve(mechanism.Exponential{Epsilon: 0.3}, "a choice"); err != nil {
		t.Error(err)
	}
	if _, err = concentrated.Reserve(mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.3}, Count: 10}, "more"); !errors.Is(err, ErrOverBudget) {
		t.Errorf("beyond the limit: %v", err)
	}
	plain, err := New(limit(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Reserve(sampled, "a step"); err == nil {
		t.Error("a Gaussian ledger took a sampled release")
	}
}

// TestSingleHoldsOnePlan prices one plan as a whole, and refuses a second one whatever it costs.
func TestSingleHoldsOnePlan(t *testing.T) {
	limit, err := privacy.NewGuarantee(1.83, 1e-5, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	plan := mechanism.Repeat{Count: 1000, Event: mechanism.PoissonSampled{Probability: 0.01, Event: mechanism.Gaussian{NoiseMultiplier: 1}}}
	l, err := NewSingle(limit)
	if err != nil {
		t.Fatal(err)
	}
	more := plan
	more.Count = 1010
	if _, err = l.Reserve(more, "a longer plan"); !errors.Is(err, ErrOverBudget) {
		t.Errorf("a plan beyond the limit: %v", err)
	}
	if _, err = l.Reserve(plan, "the plan"); err != nil {
		t.Fatal(err)
	}
	if _, err = l.Reserve(mechanism.Gaussian{NoiseMultiplier: 1e9}, "another"); !errors.Is(err, ErrOverBudget) {
		t.Errorf("a second plan: %v", err)
	}
	if _, err = NewSingle(privacy.Guarantee{}); err == nil {
		t.Error("an empty limit was taken")
	}
}

// ofEveryKind are events of every name, those with parts around a sequence.
var ofEveryKind = []string{
	"adaptive-clipping(1.1, 12.8)", "assumed-dp(0.5, 1e-06, add-or-remove-one)", "assumed-xi-zcdp(0.05, 0.1, add-or-remove-one)",
	"assumed-zcdp(0.1, add-or-remove-one)", "banded-matrix(2, 8, 1000, 0.01)", "discrete-gaussian(4, 1)", "discrete-laplace(2, 1)",
	"exponential(0.5)", "gaussian(1.1)", "jl-clipping(4, 20, 2, 0.01)", "k-norm(2)", "laplace(2)", "last-iterate(40, 0.99, 1000)",
	"last-iterate-convex(40, 25, 1000)", "mixture-of-gaussians(1, 0, 0.99, 1, 0.01)", "non-private()", "objective-perturbation(5, 0.025)",
	"parallel(gaussian(3), sequence(k-norm(2)))", "partition(100, sequence(gaussian(1.1)))", "permute-and-flip(0.5)",
	"poisson(0.01, sequence(gaussian(1.1)))", "random-allocation(100, sequence(gaussian(1.1)))", "randomized-response(0.5, 2)",
	"repeat(60, sequence(gaussian(1.1)))", "repeat-and-select(1, 10, sequence(gaussian(5)))", "sequence(gaussian(3), sequence(gaussian(1.1)))",
	"tree-aggregation(5, 1000)", "truncated-poisson(0.01, 10000, 150, sequence(gaussian(1.1)))",
	"with-replacement(60000, 256, sequence(gaussian(1.1)))", "without-replacement(60000, 256, sequence(gaussian(1.1)))",
}

// overwrite changes what all slices within an event hold, and reports whether there are any.
func overwrite(v reflect.Value) (changed bool) {
	switch v.Kind() {
	case reflect.Interface:
		return overwrite(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			changed = overwrite(v.Field(i)) || changed
		}
	case reflect.Slice:
		for i := range v.Len() {
			if overwrite(v.Index(i)); v.Type().Elem().Kind() == reflect.Float64 {
				v.Index(i).SetFloat(0.5)
			} else {
				v.Index(i).Set(reflect.ValueOf(gaussian(1e9)))
			}
		}
		return true
	}
	return changed
}

// TestCopiedEventsKeepWhatTheyWere overwrites the slices of an event of every kind after it was
// copied.
func TestCopiedEventsKeepWhatTheyWere(t *testing.T) {
	var names []string
	for _, text := range ofEveryKind {
		e, err := mechanism.ParseEvent(text)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(text, "(")
		names = append(names, name)
		kept := copied(e)
		if changed := overwrite(reflect.ValueOf(e)); changed != (e.String() != text) || kept.String() != text {
			t.Errorf("got %v after a change to %v, want %s", kept, e, text)
		}
	}
	if !slices.Equal(names, mechanism.EventNames()) {
		t.Errorf("got events of the kinds %v, want one of each of %v", names, mechanism.EventNames())
	}
}

// TestReservedEventsDoNotChange has callers write to what they reserved, and to what the ledger
// shows them.
func TestReservedEventsDoNotChange(t *testing.T) {
	for name, write := range map[string]func(l *Ledger, reserved mechanism.Sequence){
		"the event that was reserved": func(_ *Ledger, reserved mechanism.Sequence) { reserved[0] = gaussian(1e9) },
		"an entry":                    func(l *Ledger, _ mechanism.Sequence) { l.Event()[0].(mechanism.Sequence)[0] = gaussian(1e9) },
		"the event of all entries": func(l *Ledger, _ mechanism.Sequence) {
			l.Event()[0].(mechanism.Sequence)[0] = gaussian(1e9)
		},
	} {
		l, _ := New(limit(t, 1)) // which two of these pass
		for range 3 {
			e := mechanism.Sequence{gaussian(6)}
			if _, err := l.Reserve(e, "count"); err == nil {
				write(l, e)
			}
		}
		if n := len(l.Event()); n != 2 {
			t.Errorf("%s was written to: got %d reservations, want 2", name, n)
		}
	}
	l, _ := NewSingle(limit(t, 1))
	joined := mechanism.Sequence{gaussian(20), gaussian(20)}
	g, err := l.Reserve(mechanism.PoissonSampled{Probability: 0.01, Event: joined}, "step")
	if err != nil {
		t.Fatal(err)
	}
	joined[0] = gaussian(0.1)
	if g.Pay(mechanism.PoissonSampled{Probability: 0.01, Event: joined}) == nil {
		t.Error("a grant paid for less noise than was reserved")
	}
}
