package budget

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestCapacities compares what each filter holds with an accountant that prices everything as one event.
func TestCapacities(t *testing.T) {
	const release = "gaussian(20)"
	for _, c := range []struct {
		terms Terms
		a     account.Accountant
	}{{termsOf(GDP), account.GDP}, {termsOf(ZCDP), account.ZCDP}, {termsOf(RDP), account.RDP{Orders: []float64{8}}}} {
		b, _ := made(t, c.terms)
		count := 0
		for ; count < 5000; count++ {
			if _, fit := reserve(t, b, askOf(t, c.terms, release)); !fit {
				break
			}
		}
		price := func(count int) float64 {
			v, err := c.a.Epsilon(mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 20}, Count: count}, 1e-6, privacy.AddOrRemoveOne)
			if err != nil {
				t.Fatal(err)
			}
			return v.Upper
		}
		if price(count) > 3 || price(count+1) <= 3 {
			t.Errorf("%s: %d fit at %v, want the largest count within 3 (one more costs %v)", c.terms.Filter.Name, count, price(count), price(count+1))
		}
		if s := b.Summary(); s.Spent > 3 || s.Spent < price(count)*(1-1e-9) {
			t.Errorf("%s: stands at %v, want %v or a little more", c.terms.Filter.Name, s.Spent, price(count))
		}
	}
}

// TestBasicReachesItsCap adds plans whose sum is the cap.
func TestBasicReachesItsCap(t *testing.T) {
	terms := termsOf(Basic)
	terms.Epsilon, terms.Delta = 1, 0
	b, _ := made(t, terms)
	a := askOf(t, terms, "assumed-dp(0.1, 0, add-or-remove-one)")
	a.Delta = 0
	for i := range 10 {
		if _, fit := reserve(t, b, a); !fit {
			t.Fatalf("plan %d of ten at 0.1 does not fit into 1", i+1)
		}
	}
	a.Event = mechanism.Laplace{NoiseMultiplier: 1e12}
	if _, fit := reserve(t, b, a); fit {
		t.Error("a plan fits into nothing")
	}
	if left, _ := b.Left(""); left.Epsilon != 0 {
		t.Errorf("left: got %v, want 0", left)
	}
}

// TestBasicSumsDeltas: plans that take of delta share it, and pure ones take nothing.
func TestBasicSumsDeltas(t *testing.T) {
	terms := termsOf(Basic)
	terms.Epsilon = 50
	b, _ := made(t, terms)
	a := askOf(t, terms, "gaussian(8)")
	a.Delta = 4e-7
	for i, want := range []bool{true, true, false} {
		if _, fit := reserve(t, b, a); fit != want {
			t.Errorf("plan %d fits: %v, want %v", i, fit, want)
		}
	}
	a.Event = mechanism.Laplace{NoiseMultiplier: 3}
	if _, fit := reserve(t, b, a); !fit {
		t.Error("a pure plan does not fit")
	}
	a.Delta = 2e-6
	a.Event = mechanism.Gaussian{NoiseMultiplier: 8}
	if _, fit := reserve(t, b, a); fit {
		t.Error("a plan with more than delta fits")
	}
}

// TestSampledPlans: every filter prices DP-SGD. Only rdp and basic charge less than for full batches.
func TestSampledPlans(t *testing.T) {
	const plan = "repeat(200, poisson(0.01, gaussian(1)))"
	for name, most := range map[string]float64{Basic: 2, RDP: 2} {
		b, _ := made(t, termsOf(name))
		if q, err := b.Quote(background, askOf(t, b.Terms(), plan)); err != nil || !q.Fits || q.Charge > most {
			t.Errorf("%s: got %+v, %v, want a charge below %v", name, q, err, most)
		}
	}
	for _, name := range []string{GDP, ZCDP} {
		b, _ := made(t, termsOf(name))
		sampled, err := b.Quote(background, askOf(t, b.Terms(), "repeat(20, poisson(0.01, gaussian(20)))"))
		full, failed := b.Quote(background, askOf(t, b.Terms(), "repeat(20, gaussian(20))"))
		if err != nil || failed != nil || sampled.Charge != full.Charge {
			t.Errorf("%s: sampled %+v, full %+v, %v, %v, want equal charges", name, sampled, full, err, failed)
		}
		if !strings.Contains(b.Terms().Filter.Note(), "as if every record took part") {
			t.Errorf("%s: the note does not say so", name)
		}
	}
}

// TestNoPrice: what a filter cannot price is refused with what to do, and nothing is spent.
func TestNoPrice(t *testing.T) {
	for name, event := range map[string]string{GDP: "laplace(3)", ZCDP: "assumed-dp(0.1, 1e-9, add-or-remove-one)", RDP: "non-private()", Basic: "non-private()"} {
		b, _ := made(t, termsOf(name))
		_, err := b.Reserve(background, askOf(t, b.Terms(), event))
		if err == nil || !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "keep a ledger under") {
			t.Errorf("%s: got %v, want a refusal that says what to do", name, err)
		}
		if len(b.state.heads) != 1 {
			t.Errorf("%s: the refusal left a record", name)
		}
	}
}

// TestOrderOfSumIsFree: sums are exact, so the order in which plans come has no effect.
func TestOrderOfSumIsFree(t *testing.T) {
	for _, terms := range []Terms{termsOf(Basic), termsOf(GDP), termsOf(ZCDP), ordersOf()} {
		terms.Epsilon = 40
		a, _ := made(t, terms)
		b, _ := made(t, terms)
		for i := range 20 {
			reserve(t, a, askOf(t, terms, fmt.Sprintf("gaussian(%v)", 4+float64(i)/7)))
			reserve(t, b, askOf(t, terms, fmt.Sprintf("gaussian(%v)", 4+float64(19-i)/7)))
		}
		if len(a.state.list) != 20 {
			t.Fatalf("%s: %d plans fit, want 20", terms.Filter.Name, len(a.state.list))
		}
		sameTotals(t, a, b)
	}
}

// TestStepsCostNoMoreThanTheirPlan: a plan has reserved the sum of its steps, and keeps that of the
// steps that it began, at each order. A price of all steps together that is below their sum would be
// no filter.
func TestStepsCostNoMoreThanTheirPlan(t *testing.T) {
	steps := []string{"gaussian(5)", "poisson(0.01, gaussian(1))", "laplace(20)", "poisson(0.3, gaussian(4))", "gaussian(9)", "k-norm(30)",
		"exponential(0.1)", "partition(3, gaussian(6))", "permute-and-flip(0.05)", "discrete-laplace(9, 1)", "truncated-poisson(0.1, 50, 9, gaussian(3))", "poisson(0.2, sequence(gaussian(7), gaussian(8)))"}
	for _, terms := range []Terms{termsOf(GDP), termsOf(ZCDP), ordersOf()} {
		f, err := newFilter(terms)
		if err != nil {
			t.Fatal(err)
		}
		price := func(e mechanism.Event) []float64 {
			v, failed := f.price(plan{event: e, text: e.String(), n: privacy.AddOrRemoveOne, rows: 1})
			if failed != nil {
				return nil // the filter has no price for it
			}
			return v
		}
		all, sum, own := mechanism.Sequence{}, make([]float64, f.size()), 0
		for _, text := range steps {
			step, failed := mechanism.ParseEvent(text)
			if failed != nil {
				t.Fatal(failed)
			}
			one := price(step)
			if one == nil {
				continue
			}
			own++
			all = append(all, mechanism.Repeat{Event: step, Count: 3})
			for begun := 1; begun <= 3; begun++ {
				for j, v := range one {
					sum[j] += v
				}
				rest, _ := first(all, 3*(own-1)+begun)
				for j, v := range price(rest) {
					if !f.stepwise() || v < sum[j]*(1-1e-12) {
						t.Errorf("%s: %d steps up to %s cost %v together, want at least %v, the sum of them", terms.Filter.Name, 3*(own-1)+begun, text, v, sum[j])
					}
				}
			}
		}
		if own < 3 {
			t.Errorf("%s has a price for %d events, want more", terms.Filter.Name, own)
		}
	}
}

// TestSeveralOrders: a plan fits while one order has room, and the capacity of an order is what its share of
// delta leaves.
func TestSeveralOrders(t *testing.T) {
	terms := ordersOf()
	b, _ := made(t, terms)
	f := b.state.filter.(rdp)
	for j, order := range terms.Filter.Orders {
		capacity := float(f.capacity[j])
		one := account.RDP{Orders: []float64{order}}
		v, err := one.Epsilon(mechanism.AssumedXiZCDP{Xi: capacity * (1 - 1e-8), Neighboring: terms.Neighboring}, terms.Filter.Deltas[j], terms.Neighboring)
		if err != nil || v.Upper > 3 || v.Upper < 3-1e-6 {
			t.Errorf("order %v: its capacity proves %v (%v), want just below 3", order, v.Upper, err)
		}
	}
	sum := newSums(3)
	sum.add([]float64{unpriced, unpriced, float(f.capacity[2]) / 2})
	if !f.fits(sum) {
		t.Error("the last order has room, and the filter refuses")
	}
	sum.add([]float64{0, 0, float(f.capacity[2])})
	if f.fits(sum) {
		t.Error("no order has room, and the filter admits")
	}
	terms.Filter.Deltas = []float64{4e-7, 4e-7, 3e-7}
	if err := terms.Check(); err == nil {
		t.Error("a split of more than delta was taken")
	}
	terms.Filter.Orders, terms.Filter.Deltas = []float64{1.5}, []float64{1e-6}
	if err := terms.Check(); err == nil {
		t.Error("an order without room was taken")
	}
}

// TestTermsAreChecked: terms that make no sense are refused.
func TestTermsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Terms){
		"infinite":            func(t *Terms) { t.Epsilon = math.Inf(1) },
		"no name":             func(t *Terms) { t.Name = "" },
		"two lines":           func(t *Terms) { t.Name = "a\nb" },
		"no unit":             func(t *Terms) { t.Unit.Row = "" },
		"no relation":         func(t *Terms) { t.Neighboring = 0 },
		"unknown filter":      func(t *Terms) { t.Filter.Name = "pld" },
		"orders of none":      func(t *Terms) { t.Filter.Orders = []float64{2} },
		"pure gdp":            func(t *Terms) { t.Delta = 0 },
		"persons without row": func(t *Terms) { t.Person = true },
		"column for rows":     func(t *Terms) { t.Column = "id" },
		"undeclared":          func(t *Terms) { t.Populations = []Population{{Name: "north"}} },
		"twice":               func(t *Terms) { t.Populations = []Population{{"north", "x"}, {"north", "y"}} },
		"tiny delta":          func(t *Terms) { t.Delta = 1e-34 },
		"tiny epsilon":        func(t *Terms) { t.Epsilon, t.Delta = 1e-9, 1e-12 }, // MuOf returns 1e-9, which costs 2.7e-9
	} {
		terms := termsOf(GDP)
		if err := terms.Check(); err != nil {
			t.Fatal(err)
		}
		if change(&terms); terms.Check() == nil {
			t.Errorf("%s: the terms were taken", name)
		}
	}
}

// TestHugeCap: the largest number is a cap like others, and sums below it are counted.
func TestHugeCap(t *testing.T) {
	terms := termsOf(Basic)
	terms.Epsilon = math.MaxFloat64
	b, _ := made(t, terms)
	if _, fit := reserve(t, b, askOf(t, terms, "laplace(1e-150)")); !fit {
		t.Error("a plan of epsilon 1e150 does not fit")
	}
}

// TestUnits: rows, persons by their number of rows, and persons as records.
func TestUnits(t *testing.T) {
	visit := privacy.Unit{Row: "one visit", RowsPerPerson: 5}
	var terms Terms
	var b *Book
	var rows Ask
	for _, name := range []string{GDP, ZCDP} {
		terms = termsOf(name)
		terms.Unit, terms.Person, terms.Column = visit, true, "id"
		b, _ = made(t, terms)
		rows = askOf(t, terms, "gaussian(50)")
		persons := rows
		persons.Unit = privacy.Unit{Row: "all rows with one id, of which at most 9 are used"}
		one, err := b.state.quote(persons)
		five, failed := b.state.quote(rows)
		if err != nil || failed != nil || !near(five.price.Near[0]/one.price.Near[0], 25, 1e-9) {
			t.Errorf("%s: five rows are charged %v, one person %v (%v, %v), want 25 times as much", name, five.price, one.price, failed, err)
		}
	}
	for name, change := range map[string]func(*Ask){
		"another unit":      func(a *Ask) { a.Unit.Row = "one bill" },
		"other rows":        func(a *Ask) { a.Unit.RowsPerPerson = 4 },
		"persons by others": func(a *Ask) { a.Unit = privacy.Unit{Row: "all rows with one identity, of which at most 9 are used"} },
		"relation":          func(a *Ask) { a.Neighboring = privacy.ReplaceOne },
		"data":              func(a *Ask) { a.Data = "others" },
		"population":        func(a *Ask) { a.Population = "north" },
		"no purpose":        func(a *Ask) { a.Purpose = "" },
		"no event":          func(a *Ask) { a.Event = nil },
	} {
		a := rows
		change(&a)
		if _, err := b.Reserve(background, a); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: got %v, want a refusal that says what to do", name, err)
		}
	}
	terms = termsOf(RDP)
	terms.Unit, terms.Person = visit, true
	b, _ = made(t, terms)
	if _, err := b.Reserve(background, askOf(t, terms, "gaussian(50)")); err == nil {
		t.Error("rdp priced five rows together")
	}
}

// TestRoundsUpward: sums are at or above the exact ones, capacities at or below.
func TestRoundsUpward(t *testing.T) {
	for _, v := range []float64{1e-300, 0.1, math.Pi, 1e200, math.SmallestNonzeroFloat64} {
		exact := new(big.Float).SetMantExp(big.NewFloat(v), unitBits)
		up, down := new(big.Float).SetInt(unitsOf(v)), new(big.Float).SetInt(room(v))
		if up.Cmp(exact) < 0 || down.Cmp(exact) > 0 {
			t.Errorf("%v: units %v to %v do not hold %v", v, down, up, exact)
		}
		if got := float(unitsOf(v)); got < v {
			t.Errorf("%v came back as %v", v, got)
		}
	}
}

// TestOverBudgetSaysWhatFits: the refusal names a plan that then fits.
func TestOverBudgetSaysWhatFits(t *testing.T) {
	for _, terms := range []Terms{termsOf(GDP), termsOf(ZCDP), termsOf(RDP), ordersOf()} {
		b, _ := made(t, terms)
		reserve(t, b, askOf(t, terms, "gaussian(3)"))
		_, err := b.Reserve(background, askOf(t, terms, "gaussian(1.5)"))
		if !errors.Is(err, ErrOverBudget) || !strings.Contains(err.Error(), "or less by itself fits") {
			t.Errorf("%s: got %v", terms.Filter.Name, err)
		}
		left, err := b.Left("")
		if err != nil || !(left.Epsilon > 0 && left.Epsilon < 3) {
			t.Fatalf("%s: left is %v, %v", terms.Filter.Name, left, err)
		}
		z, err := account.Calibrate(account.GDP, guarantee(t, left.Epsilon), func(z float64) mechanism.Event { return mechanism.Gaussian{NoiseMultiplier: z} })
		if err != nil {
			t.Fatal(err)
		}
		if _, fit := reserve(t, b, askOf(t, terms, mechanism.Gaussian{NoiseMultiplier: z}.String())); !fit {
			t.Errorf("%s: what is left does not fit", terms.Filter.Name)
		}
		if after, _ := b.Left(""); after.Epsilon > left.Epsilon/100 {
			t.Errorf("%s: after all was taken %v is left of %v", terms.Filter.Name, after, left)
		}
	}
}

func guarantee(t testing.TB, epsilon float64) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewGuarantee(epsilon, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
