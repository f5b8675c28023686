package budget

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/chain"
)

// TestNeverAboveTheCap makes random plans that depend on what was granted before, under each filter. The sums are
// within the capacity after each, in 2,500 sequences in all, or 10,000 with the tag long.
func TestNeverAboveTheCap(t *testing.T) {
	sequences := 500
	if thorough {
		sequences = 2000
	}
	events := []string{"gaussian(%v)", "repeat(7, gaussian(%v))", "poisson(0.1, gaussian(%v))", "sequence(gaussian(%v), gaussian(9))"}
	for _, terms := range []Terms{termsOf(Basic), termsOf(GDP), termsOf(ZCDP), termsOf(RDP), ordersOf()} {
		r, err := newRules(terms)
		if err != nil {
			t.Fatal(err)
		}
		plans := map[string]priced{}
		random := newRandom()
		refused, granted := 0, 0
		for range sequences {
			s := &state{rules: r, spent: newSpent(terms, r.filter.size())}
			noise := 1 << random.below(4)
			for range 12 {
				event := fmt.Sprintf(events[random.below(len(events))], noise)
				p, is := plans[event]
				if !is {
					if p, err = r.quote(askOf(t, terms, event)); err != nil {
						t.Fatal(err)
					}
					plans[event] = p
				}
				if !s.spent.with(p.population, p.price, r.filter) { // later plans depend on the answers
					noise, refused = min(noise*2, 64), refused+1
					continue
				}
				s.spent.add(p.population, p.price)
				granted++
				if v := s.spent.epsilon(r.filter); v > terms.Epsilon {
					t.Fatalf("%s: stands at %v, want at most %v", terms.Filter.Name, v, terms.Epsilon)
				}
			}
		}
		if refused < sequences/2 || granted < sequences/2 {
			t.Errorf("%s: %d refused, %d granted: the sequences do not meet the cap", terms.Filter.Name, refused, granted)
		}
	}
}

// TestReplayIsTheLiveState reads a ledger with records of every kind again.
func TestReplayIsTheLiveState(t *testing.T) {
	b, store := everyKind(t)
	again := opened(t, store)
	sameTotals(t, b, again)
	one, other := b.Summary(), again.Summary()
	if fmt.Sprint(one) != fmt.Sprint(other) {
		t.Errorf("live %+v\nagain %+v", one, other)
	}
	if one.Open != 1 || len(one.Releases) != 6 || !one.Forfeited || one.Left.Epsilon != 0 || len(one.Anchors) != 1 {
		t.Errorf("got %+v", one)
	}
}

func hashOf(digit string) string { return strings.Repeat(digit, 64) }

// everyKind makes a ledger with records of every kind.
func everyKind(t testing.TB) (*Book, *chain.Memory) {
	terms := termsOf(ZCDP)
	terms.Populations = []Population{{"north", "live north of the river"}, {"south", "live south of it"}}
	b, store := made(t, terms)
	a := askOf(t, terms, "repeat(5, gaussian(20))")
	var held []*Reservation
	for range 5 {
		r, fit := reserve(t, b, a)
		if !fit {
			t.Fatal("does not fit")
		}
		held = append(held, r)
	}
	a.Population = "south"
	_, _ = held[0].Settle(background, 5, hashOf("a"))
	_, _ = held[1].Settle(background, 2, "")
	_, _ = held[2].Settle(background, 0, "")
	seq, _ := held[3].Place()
	for _, err := range []error{b.Forfeit(background, seq, "the machine stopped", "officer"), b.Note(background, "hello", "officer"),
		b.Import(background, a, hashOf("b"), "an old folder")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Anchor(background, "printed"); err != nil {
		t.Fatal(err)
	}
	if err := b.ForfeitAll(background, "a test", "officer"); err != nil {
		t.Fatal(err)
	}
	return b, store
}

// TestSettle: only releases that were never begun come back, once, and only where prices add up.
// TestCertificatesAreWhole: a run with a certificate gives nothing back, whatever its grant counted.
func TestCertificatesAreWhole(t *testing.T) {
	b, _ := made(t, termsOf(GDP))
	r, _ := reserve(t, b, askOf(t, b.Terms(), "repeat(4, gaussian(20))"))
	spent := b.Summary().Spent
	if outcome, err := r.Settle(background, 0, hashOf("a")); err != nil || outcome != Released || b.Summary().Spent != spent {
		t.Errorf("got %q (%v) and %v spent, want it released and %v", outcome, err, b.Summary().Spent, spent)
	}
}

func TestSettle(t *testing.T) {
	const event = "sequence(gaussian(50), repeat(4, sequence(gaussian(60), gaussian(70))))"
	for _, c := range []struct {
		filter  string
		event   string
		begun   int
		outcome Outcome
		left    string // the event whose price stays
	}{
		{GDP, event, 9, Released, event},
		{GDP, event, 0, Stopped, ""},
		{GDP, event, 4, Stopped, "sequence(gaussian(50), gaussian(60), gaussian(70), gaussian(60))"},
		{RDP, "repeat(100, poisson(0.01, gaussian(2)))", 30, Stopped, "repeat(30, poisson(0.01, gaussian(2)))"},
		{Basic, event, 4, Unknown, event},
		{Basic, event, 0, Stopped, ""},
		{ZCDP, "parallel(gaussian(50), gaussian(60))", 1, Unknown, "parallel(gaussian(50), gaussian(60))"},
		{ZCDP, event, 99, Released, event},
	} {
		terms := termsOf(c.filter)
		b, store := made(t, terms)
		r, fit := reserve(t, b, askOf(t, terms, c.event))
		if !fit {
			t.Fatal("does not fit")
		}
		outcome, err := r.Settle(background, c.begun, "")
		if err != nil || outcome != c.outcome {
			t.Errorf("%s %s after %d: got %q, %v, want %q", c.filter, c.event, c.begun, outcome, err, c.outcome)
		}
		want := make([]float64, b.state.filter.size())
		if c.left != "" {
			p, failed := b.state.quote(askOf(t, terms, c.left))
			if failed != nil {
				t.Fatal(failed)
			}
			want = p.price.Near
		}
		if got := b.state.spent.all.floats(); !near(got[0]/max(want[0], 1e-300), min(1, want[0]*1e300), 1e-9) {
			t.Errorf("%s %s after %d: %v stays, want %v", c.filter, c.event, c.begun, got, want)
		}
		if _, err := r.Settle(background, 0, ""); err == nil {
			t.Error("a reservation was settled twice")
		}
		sameTotals(t, b, opened(t, store))
	}
}

// TestCertificateOfNothing: a run that has a certificate and counted no release gets nothing back.
func TestCertificateOfNothing(t *testing.T) {
	b, _ := made(t, termsOf(GDP))
	r, _ := reserve(t, b, askOf(t, b.Terms(), "gaussian(2)"))
	if outcome, err := r.Settle(background, 0, hashOf("a")); err != nil || outcome != Released || !(b.Summary().Spent > 0) {
		t.Errorf("got %q, %v and %v spent, want all of it", outcome, err, b.Summary().Spent)
	}
}

// TestSilenceIsSpent: what nobody settles stays, also for a process that opens the ledger later.
func TestSilenceIsSpent(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	a := askOf(t, b.Terms(), "gaussian(2)")
	if _, fit := reserve(t, b, a); !fit {
		t.Fatal("does not fit")
	}
	again := opened(t, store)
	if _, fit := reserve(t, again, a); fit {
		t.Error("the second plan fits, and the first is not known to have ended")
	}
	if err := again.Forfeit(background, 1, "silent", "officer"); err != nil {
		t.Error(err)
	}
	if _, fit := reserve(t, again, a); fit {
		t.Error("forfeiting gave something back")
	}
	if err := again.Forfeit(background, 1, "silent", "officer"); err == nil {
		t.Error("a reservation was forfeited twice")
	}
}

// TestRecordsThatLie: payloads that state less than their events cost, newer ones and other spellings are refused
// although the chain is whole.
func TestRecordsThatLie(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	r, _ := reserve(t, b, askOf(t, b.Terms(), "repeat(4, gaussian(20))"))
	if _, err := r.Settle(background, 2, ""); err != nil {
		t.Fatal(err)
	}
	var payloads [][]byte
	if err := store.Open().View(background, func(c chain.Record) error { payloads = append(payloads, c.Payload); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at             int
		old, new, want string
	}{
		{1, `"charge":[0.01`, `"charge":[0.001`, "charges"},
		{1, `repeat(4, gaussian(20))`, `repeat(4, gaussian(19))`, "charges"},
		{1, `repeat(4, gaussian(20))`, `repeat(4,gaussian(20))`, "spelled"},
		{1, `"neighboring":"add-or-remove-one"`, `"neighboring":"zero-out"`, "relation"},
		{1, `"rows":1`, `"rows":2`, "rows"},
		{1, `"version":1`, `"version":2`, "newer"},
		{1, `"version":1`, `"version": 1`, "spelling"},
		{1, `"version":1`, `"version":1,"other":{}`, "unknown"},
		{1, `"reserve":{`, `"import":{`, "spelling"},
		{2, `"begun":2`, `"begun":4`, "fewer"},
		{2, `"begun":2`, `"begun":-1`, "fewer"},
		{2, `"reserve":1`, `"reserve":0`, "open"},
		{2, `"stopped"`, `"returned"`, "outcome"},
		{2, `"begun":2`, `"begun":2,"certificate":"A"`, "hexadecimal"},
		{0, `"epsilon":3`, `"epsilon":0`, "epsilon"},
		{0, `"gdp"`, `"pld"`, "filter"},
	} {
		if !bytes.Contains(payloads[c.at], []byte(c.old)) {
			t.Errorf("record %d is %s, want %s in it", c.at, payloads[c.at], c.old)
			continue
		}
		fresh := chain.NewMemory()
		for i, p := range payloads {
			if i == c.at {
				p = bytes.Replace(p, []byte(c.old), []byte(c.new), 1)
			}
			if _, err := fresh.Update(background, func(chain.Record) error { return nil }, func() ([]byte, error) { return p, nil }); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(background, fresh.Open()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want an error about %q", c.new, c.old, err, c.want)
		}
	}
}

// TestMutatedPayloads changes every byte of a reservation. What is still read charges no less.
func TestMutatedPayloads(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	reserve(t, b, askOf(t, b.Terms(), "repeat(4, gaussian(20))"))
	var payload []byte
	if err := store.Open().View(background, func(c chain.Record) error { payload = c.Payload; return nil }); err != nil {
		t.Fatal(err)
	}
	whole := float(&b.state.spent.all[0])
	for at := range payload {
		for _, flip := range []byte{1, 2, 4, 8, 16} {
			p := bytes.Clone(payload)
			p[at] ^= flip
			s := newState()
			if err := s.takeCreate(b.state.create); err != nil {
				t.Fatal(err)
			}
			s.heads = make([][32]byte, 1)
			if err := s.apply(chain.Record{Seq: 1, Payload: p}); err != nil {
				continue
			}
			price, failed := s.quote(askOf(t, b.Terms(), s.list[0].plan.record.Event))
			if got := float(&s.spent.all[0]); failed != nil || got < price.price.Near[0] || got < whole*(1-2*tolerance) {
				t.Errorf("%s: charges %v for an event that costs %v", p, got, price.price.Near)
			}
		}
	}
}

// TestRace: 16 holders with stores of their own race for a cap of 100 units. The sum granted reaches the cap,
// and never passes it.
func TestRace(t *testing.T) {
	terms := termsOf(Basic)
	terms.Epsilon, terms.Delta = 100, 0
	_, store := made(t, terms)
	one := askOf(t, terms, "assumed-dp(1, 0, add-or-remove-one)")
	one.Delta = 0
	var granted, refused atomic.Int64
	var wait sync.WaitGroup
	for range 16 {
		b := opened(t, store)
		wait.Go(func() {
			for range 20 {
				switch _, err := b.Reserve(background, one); {
				case err == nil:
					granted.Add(1)
				case errors.Is(err, ErrOverBudget):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if granted.Load() != 100 || refused.Load() != 220 {
		t.Errorf("granted %d, refused %d, want 100 and 220", granted.Load(), refused.Load())
	}
	if s := opened(t, store).Summary(); s.Spent != 100 || len(s.Releases) != 100 || s.Left.Epsilon != 0 {
		t.Errorf("stands at %v with %d releases, want 100", s.Spent, len(s.Releases))
	}
}

// TestShares: the shares of one-number filters add up to what is taken, and what is given back counts no more.
func TestShares(t *testing.T) {
	b, _ := made(t, termsOf(RDP))
	a := askOf(t, b.Terms(), "repeat(4, gaussian(10))")
	q, err := b.Quote(background, a)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for ; count < 5000; count++ {
		r, fit := reserve(t, b, a)
		if !fit {
			break
		}
		if count == 0 {
			if _, err := r.Settle(background, 1, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := int(1/q.Share + 0.75); count != want || count < 3 {
		t.Errorf("%d plans of share %v fit, want %d", count, q.Share, want)
	}
	if list := b.Summary().Releases; !near(list[0].Share, q.Share/4, 1e-9) || !near(list[1].Share, q.Share, 1e-12) {
		t.Errorf("shares are %v and %v, want %v and %v", list[0].Share, list[1].Share, q.Share/4, q.Share)
	}
}

// TestDrawsAreBounded: the slack that is taken off the cap is for a number of draws, and no more draws are paid for.
func TestDrawsAreBounded(t *testing.T) {
	b, _ := made(t, termsOf(GDP))
	a := askOf(t, b.Terms(), "gaussian(1e6)")
	a.Draws = math.MaxInt
	count := 0
	for ; count < 100; count++ {
		if _, fit := reserve(t, b, a); !fit {
			break
		}
	}
	if count != 32 {
		t.Errorf("%d plans of 2^63 draws fit, want 32", count)
	}
}

// TestCreateOnce: a ledger is made once, and never over another.
func TestCreateOnce(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	if _, err := Create(background, store.Open(), termsOf(GDP)); err == nil {
		t.Error("a ledger was made over another")
	}
	if _, err := Open(background, chain.NewMemory()); err == nil {
		t.Error("an empty chain was opened")
	}
	if again := opened(t, store); again.Ledger() != b.Ledger() || len(again.state.heads) != 1 {
		t.Error("the ledger changed")
	}
	canceled, stop := context.WithCancel(background)
	stop()
	if _, err := b.Reserve(canceled, askOf(t, b.Terms(), "gaussian(20)")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was canceled", err)
	}
}

// torn is a store whose appends happen and are reported as failed.
type torn struct{ chain.Store }

var errTorn = errors.New("torn")

func (s torn) Update(ctx context.Context, seen func(chain.Record) error, next func() ([]byte, error)) (chain.Record, error) {
	c, err := s.Store.Update(ctx, seen, next)
	if err == nil {
		err = errTorn
	}
	return c, err
}

// TestUnknownAppendIsSpent: after an append that may have happened the Book grants nothing more.
func TestUnknownAppendIsSpent(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	b.store = torn{b.store}
	a := askOf(t, b.Terms(), "gaussian(2)")
	if _, err := b.Reserve(background, a); !errors.Is(err, errTorn) {
		t.Errorf("got %v, want that it is torn", err)
	}
	b.store = store.Open()
	if _, err := b.Reserve(background, a); !errors.Is(err, errTorn) {
		t.Errorf("then got %v, want that it is torn", err)
	}
	if _, fit := reserve(t, opened(t, store), a); fit {
		t.Error("the plan was given back")
	}
}

// TestExtends: a ledger that lost records or has others is found by what a certificate names.
func TestExtends(t *testing.T) {
	b, store := made(t, termsOf(GDP))
	r, _ := reserve(t, b, askOf(t, b.Terms(), "gaussian(20)"))
	seq, head := r.Place()
	if err := opened(t, store).Extends(seq, head); err != nil {
		t.Error(err)
	}
	other, _ := made(t, termsOf(GDP))
	if other.Extends(seq, head) == nil {
		t.Error("a shorter ledger extends the head")
	}
	reserve(t, other, askOf(t, b.Terms(), "gaussian(20)"))
	if other.Extends(seq, head) == nil {
		t.Error("another ledger extends the head")
	}
	if err := b.Import(background, askOf(t, b.Terms(), "gaussian(50)"), hashOf("c"), "a folder"); err != nil {
		t.Error(err)
	}
	if err := b.Import(background, askOf(t, b.Terms(), "gaussian(50)"), hashOf("c"), "a folder"); err == nil {
		t.Error("a certificate was counted twice")
	}
}

// TestFit finds the largest plan that fits.
func TestFit(t *testing.T) {
	b, _ := made(t, termsOf(RDP))
	plans := 0
	plan := func(epsilon float64) (Ask, error) {
		plans++
		return askOf(t, b.Terms(), fmt.Sprintf("repeat(100, poisson(0.05, gaussian(%v)))", 3/epsilon)), nil
	}
	var epsilon float64
	var best Ask
	for _, most := range []float64{1e-3, 8, 9, 11, 13, 14, 10} {
		var err error
		if epsilon, best, err = b.Fit(background, most, math.Inf(1), true, plan); err != nil {
			t.Fatal(err)
		}
		if own, _ := plan(epsilon); own.Event.String() != best.Event.String() {
			t.Errorf("the plan is %v, want %v, that of epsilon %v", best.Event, own.Event, epsilon)
		}
	}
	part, less, err := b.Fit(background, 10, 0.25, true, plan)
	if q, failed := b.Quote(background, less); err != nil || failed != nil || q.Share > 0.25 || q.Share < 0.249 || part >= epsilon {
		t.Errorf("a quarter: epsilon %v takes %v of the capacity, errors %v and %v, want nearly 0.25", part, q.Share, err, failed)
	}
	more, _ := plan(epsilon * 1.002)
	if q, err := b.Quote(background, more); err != nil || q.Fits {
		t.Errorf("epsilon %v fits by %+v, %v", epsilon*1.002, q, err)
	}
	if plans > 90 {
		t.Errorf("%d plans were made, want at most 90", plans)
	}
	if _, fit := reserve(t, b, best); !fit {
		t.Errorf("epsilon %v does not fit", epsilon)
	}
	if err := b.ForfeitAll(background, "a test", "officer"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Fit(background, 10, math.Inf(1), true, plan); !errors.Is(err, ErrOverBudget) {
		t.Errorf("got %v, want nothing that fits", err)
	}
}

// TestMerge adds up caps and what was spent.
func TestMerge(t *testing.T) {
	a, first := made(t, ordersOf())
	b, _ := made(t, ordersOf())
	reserve(t, a, askOf(t, a.Terms(), "gaussian(20)"))
	r, _ := reserve(t, b, askOf(t, a.Terms(), "repeat(4, gaussian(30))"))
	if _, err := r.Settle(background, 1, hashOf("d")); err != nil {
		t.Fatal(err)
	}
	store := chain.NewMemory()
	m, err := Merge(background, store, "officer", "test", a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := a.state.spent.all.plus(b.state.spent.all).floats()
	if got := m.state.spent.all.floats(); !near(got[0]/want[0], 1, 1e-12) || m.Terms().Epsilon != 6 || m.Terms().Delta != 2e-6 {
		t.Errorf("merged spent %v under %+v, want %v under 6 and 2e-6", got, m.Terms(), want)
	}
	sameTotals(t, m, opened(t, store))
	if _, err := Merge(background, chain.NewMemory(), "officer", "test", a, opened(t, first)); err == nil {
		t.Error("two copies of one ledger were merged")
	}
	c, _ := made(t, termsOf(GDP))
	if _, err := Merge(background, chain.NewMemory(), "officer", "test", a, c); err == nil {
		t.Error("ledgers of different filters were merged")
	}
}

// TestMergeFits nearly fills ledgers, by plans whose best orders differ: what each cap held, the sum of the caps holds.
func TestMergeFits(t *testing.T) {
	events := []string{"gaussian(3)", "poisson(0.02, gaussian(2))", "laplace(100)", "poisson(0.001, gaussian(1))"}
	for _, c := range []struct {
		terms  Terms
		events []string
	}{
		{termsOf(Basic), []string{"laplace(100)", "laplace(9)"}}, // caps add up exactly, and others have more room
		{termsOf(GDP), []string{"gaussian(3)", "gaussian(40)"}},
		{termsOf(ZCDP), []string{"gaussian(3)", "laplace(100)"}},
		{wideOrders(), []string{"gaussian(3)", "laplace(100)"}},
		{termsOf(RDP), events},
		{ordersOf(), events},
	} {
		var full, again []*Book
		for _, event := range c.events {
			one := filled(t, c.terms, event)
			if share := one.state.filter.share(one.state.spent.all.floats()); !(share > 0.75) {
				t.Errorf("%v: %s takes %v of the cap, want it nearly full", c.terms.Filter, event, share)
			}
			full, again = append(full, one), append(again, filled(t, c.terms, event))
		}
		for i, one := range full {
			for _, other := range again[i:] {
				m, err := Merge(background, chain.NewMemory(), "officer", "test", one, other)
				if err != nil {
					t.Fatal(err)
				}
				if !m.state.spent.fits(m.state.filter) {
					t.Errorf("%v: %v beside %v: no room", c.terms.Filter, one.state.spent.all.floats(), other.state.spent.all.floats())
				}
			}
		}
	}
}

// wideOrders are terms under rdp with an order at which the conversion would add less than nothing.
func wideOrders() Terms {
	t := termsOf(RDP)
	t.Delta, t.Filter.Orders, t.Filter.Deltas = 2e-3, []float64{8, 1e5}, []float64{1e-3, 1e-3}
	return t
}

// filled is a ledger in which an event was reserved until it did not fit.
func filled(t *testing.T, terms Terms, event string) *Book {
	b, _ := made(t, terms)
	for count := 1 << 14; count > 0; count /= 4 {
		ask := askOf(t, terms, fmt.Sprintf("repeat(%d, %s)", count, event))
		for range 20 {
			if _, fit := reserve(t, b, ask); !fit {
				break
			}
		}
	}
	return b
}

// TestSucceed closes a merged ledger. What another process spent meanwhile is imported first.
func TestSucceed(t *testing.T) {
	a, store := made(t, termsOf(GDP))
	b, _ := made(t, termsOf(GDP))
	plan := askOf(t, a.Terms(), "gaussian(9)")
	reserve(t, a, plan)
	m, err := Merge(background, chain.NewMemory(), "officer", "test", a, b)
	if err != nil {
		t.Fatal(err)
	}
	other := opened(t, store)
	reserve(t, other, plan)
	if err := m.Succeed(background, a, "merged", "officer"); err != nil {
		t.Fatal(err)
	}
	if n := len(m.Summary().Releases); n != 2 || m.Summary().Forfeited {
		t.Errorf("the new ledger has %d releases, want 2", n)
	}
	if _, fit := reserve(t, other, plan); fit {
		t.Error("a closed ledger reserved a plan")
	}
}

// TestManyReleases reads 10,000 reservations of 50 plans.
func TestManyReleases(t *testing.T) {
	terms := termsOf(RDP)
	b, store := made(t, terms)
	var payloads [][]byte
	for i := range 50 {
		p, err := b.quote(background, askOf(t, terms, fmt.Sprintf("repeat(2, poisson(0.001, gaussian(%v)))", 50+i)))
		if err != nil {
			t.Fatal(err)
		}
		payload, err := encode(record{Reserve: &reserveRecord{planRecord: p.record}})
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, payload)
	}
	none, at := func(chain.Record) error { return nil }, 0
	for at = range 10000 {
		if _, err := store.Update(background, none, func() ([]byte, error) { return payloads[at%50], nil }); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	again := opened(t, store)
	t.Logf("10,000 reservations were read in %v", time.Since(start))
	s := again.Summary()
	t.Logf("and shown after %v", time.Since(start))
	if len(s.Releases) != 10000 || !(s.Spent < 3) || !(s.Left.Epsilon > 0) {
		t.Errorf("stands at %v with %d releases, %v left", s.Spent, len(s.Releases), s.Left)
	}
	one, err := again.quote(background, askOf(t, terms, "repeat(10000, poisson(0.001, gaussian(60)))"))
	if err != nil || !near(again.state.spent.all.floats()[0]/one.price.Near[0], 1, 1) {
		t.Errorf("sums are %v, want about %v (%v)", again.state.spent.all.floats(), one.price.Near, err)
	}
}

// TestFitStops stops while Fit plans. What the plan says of it is kept.
func TestFitStops(t *testing.T) {
	b, _ := made(t, termsOf(GDP))
	ctx, stop := context.WithCancel(background)
	stopped, plans := errors.New("stopped before the price was known"), 0
	_, _, err := b.Fit(ctx, 100, 0.1, false, func(float64) (Ask, error) {
		if plans++; plans == 3 {
			stop()
			return Ask{}, stopped
		}
		return askOf(t, b.Terms(), "gaussian(0.1)"), nil
	})
	if !errors.Is(err, stopped) || plans != 3 {
		t.Errorf("got %v after %d plans, want it stopped at the third", err, plans)
	}
}

// TestMergeNeeds holds the two facts about rdp that Merge rests on.
func TestMergeNeeds(t *testing.T) {
	if got := rising([]float64{1, 3, 2, math.Inf(1)}); got[0] != above(1) || got[1] != above(2) || got[2] != above(2) || got[3] != unpriced {
		t.Errorf("got %v, want 1, 2, 2 and no price", got)
	}
	if offset, capacity, err := (rdp{t: termsOf(RDP)}).capacityAt(1e6, 1e-3); err != nil || offset < 0 || capacity > 3 {
		t.Errorf("order 1e6 at delta 1e-3: offset %v, capacity %v (%v), want 0 or more and at most 3", offset, capacity, err)
	}
}
