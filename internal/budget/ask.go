package budget

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Ask is a request that a ledger pays for a plan.
type Ask struct {
	// Data is the declared name of the data. "" means the name in the terms of the ledger.
	Data  string
	Event mechanism.Event
	// Draws is the number of random numbers in the noise. It is 0 if nobody counted them.
	Draws int
	// Delta is the δ of the plan. The filter basic adds up these numbers, and the other filters
	// only record them.
	Delta float64
	// Own is the plan's own guarantee if the plan's certificate states it. Otherwise the guarantee
	// is computed at Delta.
	Own         Guarantee
	Neighboring privacy.Neighboring
	Unit        privacy.Unit
	// Population is the population to which the records of the plan belong. "" means all
	// populations.
	Population string
	// Purpose states the purpose of the plan in words. Person is the person who asks, and Run
	// identifies the run.
	Purpose, Person, Run string
	// Earlier is the number of releases at the beginning of Event for which earlier records paid. A
	// Payment reserves only the releases after them. Everything else ignores this number.
	Earlier int
}

// priced is a plan with its price.
type priced struct {
	record     planRecord
	event      mechanism.Event
	population int
	price      Price
	draws      float64
}

// rules are the terms of a ledger, its filter, and the prices that were computed before.
type rules struct {
	terms  Terms
	filter filter
	known  map[priceKey][]float64
	events map[string]mechanism.Event // by their texts
}

// priceKey is what a price depends on.
type priceKey struct {
	event        string
	n            privacy.Neighboring
	rows         int
	delta, draws float64
}

func newRules(t Terms) (*rules, error) {
	f, err := newFilter(t)
	return &rules{terms: t, filter: f, known: map[priceKey][]float64{}, events: map[string]mechanism.Event{}}, err
}

// check returns the plan of an ask whose event has this text, without its price.
func (r *rules) check(a Ask, text string) (priced, error) {
	out := priced{event: a.Event}
	if a.Data != "" && a.Data != r.terms.Name {
		return out, fmt.Errorf("budget: the data are %q, want %q, which the ledger is for; open the ledger of those data, or write name: %s into the schema if the persons are the same", a.Data, r.terms.Name, r.terms.Name)
	}
	if err := r.terms.checkRelation(a.Neighboring); err != nil {
		return out, err
	}
	rows, err := r.terms.rows(a.Unit)
	if err != nil {
		return out, err
	}
	if a.Purpose == "" || a.Draws < 0 || !(a.Delta >= 0 && a.Delta < 1) {
		return out, fmt.Errorf("budget: purpose is %q, noise draws %d and delta %v, want a purpose, 0 or more draws and a delta of 0 to 1", a.Purpose, a.Draws, a.Delta)
	}
	if err = checkTexts(a.Purpose, a.Person, a.Population, a.Run, a.Own.Accountant); err != nil {
		return out, err
	}
	out.population, err = r.terms.population(a.Population)
	out.record = planRecord{Purpose: a.Purpose, Person: a.Person, Population: a.Population, Event: text, Draws: a.Draws, Rows: rows, Delta: a.Delta, Relation: a.Neighboring, Own: a.Own}
	return out, err
}

// quote returns the plan of an ask with its price, and with its own guarantee.
func (r *rules) quote(a Ask) (priced, error) {
	if err := mechanism.CheckEvent(a.Event); err != nil {
		return priced{}, err
	}
	out, err := r.check(a, a.Event.String())
	if err == nil {
		err = r.price(&out)
	}
	if err != nil || out.record.Own != (Guarantee{}) {
		return out, err
	}
	own, name, err := bestPrice(plan{a.Event, out.record.Event, a.Neighboring, out.record.Rows, a.Delta, out.draws})
	if math.IsInf(own, 1) { // of a plan whose own delta is 0, and that is private at the delta of the ledger
		own, name, err = bestPrice(plan{a.Event, out.record.Event, a.Neighboring, out.record.Rows, r.terms.Delta, out.draws})
		a.Delta = r.terms.Delta
	}
	if err != nil || math.IsInf(own, 1) {
		return out, errors.Join(fmt.Errorf("budget: %v has no guarantee of its own", a.Event), err)
	}
	out.record.Own = Guarantee{Epsilon: own, Delta: a.Delta, Accountant: name}
	return out, nil
}

// price fills in the price and the draws that count.
func (r *rules) price(p *priced) error {
	p.draws = float64(p.record.Draws)
	if p.draws == 0 {
		p.draws = unknownDraws
	}
	one := plan{p.event, p.record.Event, p.record.Relation, p.record.Rows, p.record.Delta, p.draws}
	var err error
	if p.price.Near, err = r.once(one); err != nil {
		return err
	}
	if p.price.Moved = nil; p.population >= 0 && r.terms.Neighboring == privacy.ReplaceOne {
		one.n = relationOfMoves
		if p.price.Moved, err = r.once(one); err != nil {
			return fmt.Errorf("%w; under replace-one a person may leave a population for another, want a plan with a price under %v too, or one about all", err, relationOfMoves)
		}
	}
	p.record.Near, p.record.Moved = p.price.Near, p.price.Moved
	return nil
}

// mostKnown bounds how many prices are kept.
const mostKnown = 1 << 16

// once is the price of the filter, computed once for equal plans.
func (r *rules) once(p plan) ([]float64, error) {
	key := priceKey{p.text, p.n, p.rows, p.delta, p.draws}
	if v, ok := r.known[key]; ok {
		return v, nil
	}
	v, err := r.filter.price(p)
	if err == nil && len(r.known) < mostKnown {
		r.known[key] = v
	}
	return v, err
}

// tolerance is by how much prices may differ that two machines compute for one event.
const tolerance = 1e-9

// read returns the plan that a record states, at the price that is computed again. A record that states
// less is refused. Where it states more, as an earlier program may have found, that counts.
func (r *rules) read(p planRecord) (priced, error) {
	event, err := r.parse(p.Event)
	if err != nil {
		return priced{}, err
	}
	out, err := r.check(Ask{Event: event, Draws: p.Draws, Delta: p.Delta, Own: p.Own, Neighboring: p.Relation,
		Unit: r.terms.Unit, Population: p.Population, Purpose: p.Purpose, Person: p.Person}, p.Event)
	if err != nil {
		return out, err
	}
	if whole := out.record.Rows; p.Rows != whole && !(p.Rows == 1 && r.terms.Column != "") {
		return out, fmt.Errorf("budget: the plan counts %d rows of one unit, want %d", p.Rows, whole)
	}
	if !(p.Own.Epsilon >= 0 && p.Own.Delta >= 0 && p.Own.Delta < 1) || math.IsInf(p.Own.Epsilon, 1) {
		return out, fmt.Errorf("budget: own guarantee is epsilon %v at delta %v, want numbers of 0 or more", p.Own.Epsilon, p.Own.Delta)
	}
	out.record = p
	if err = r.price(&out); err != nil {
		return out, err
	}
	if out.price.Near, err = noLess(p.Near, out.price.Near); err == nil {
		out.price.Moved, err = noLess(p.Moved, out.price.Moved)
	}
	return out, err
}

// parse reads the text of an event, once for equal texts.
func (r *rules) parse(text string) (mechanism.Event, error) {
	if e, known := r.events[text]; known {
		return e, nil
	}
	e, err := mechanism.ParseEvent(text)
	if err == nil && e.String() != text {
		err = fmt.Errorf("budget: event is spelled %.80q, want %.80q", text, e)
	}
	if err == nil && len(r.events) < mostKnown {
		r.events[text] = e
	}
	return e, err
}

// noLess returns the larger of two prices at each number. It errs where what was stated is less than what
// was computed.
func noLess(stated, computed []float64) ([]float64, error) {
	if len(stated) != len(computed) {
		return nil, fmt.Errorf("budget: the record charges %d numbers, want %d", len(stated), len(computed))
	}
	out := slices.Clone(computed)
	for i, v := range stated {
		if !(v >= computed[i]*(1-tolerance)) || v > 2*unpriced {
			return nil, fmt.Errorf("budget: the record charges %v, want at least %v, the price of its event", stated, computed)
		}
		out[i] = max(v, computed[i])
	}
	return out, nil
}
