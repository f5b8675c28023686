package sweep

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/slack"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Cost is the privacy cost of all runs of a sweep together, if the records are private. It is one
// guarantee that covers everything that the runs release.
type Cost struct {
	// Epsilon is the ε of the guarantee, in nats. Runs without privacy are not included.
	Epsilon certificate.Epsilon
	// Delta is the δ of the guarantee, the largest δ of all candidates.
	Delta float64
	// Neighboring is the neighboring relation of the guarantee.
	Neighboring privacy.Neighboring
	// Unit describes in words what one row stands for.
	Unit string
	// Accountant is the name of the accountant that computed Epsilon.
	Accountant string
	// Runs is the number of runs that the cost includes.
	Runs int
}

// CostOf returns the total cost of all runs of the candidates. The argument runs is a function that
// returns the number of runs of a candidate. Runs without privacy are left out. All candidates must
// have the same neighboring relation and unit. The runs must be fixed before the first of them
// begins.
//
// The bound is exact for Gaussian releases without sampling. For other releases it comes from
// account.RDP if that accountant has a proof, otherwise from account.Best. The executed noise is
// rounded, and the cost includes the difference that this makes.
func CostOf(candidates []Candidate, runs func(*Candidate) int) (Cost, error) {
	all, out, draws := mechanism.Sequence{}, Cost{}, 0
	for i := range candidates {
		c := &candidates[i]
		n := runs(c)
		if !c.Certificate.Private || n == 0 {
			continue
		}
		if out.Runs > 0 && (c.Certificate.Neighboring != out.Neighboring || c.Certificate.Unit != out.Unit) {
			return out, fmt.Errorf("sweep: configurations are under %v for %q and %v for %q, want one relation and unit, since runs about the same records are priced together", out.Neighboring, out.Unit, c.Certificate.Neighboring, c.Certificate.Unit)
		}
		out.Neighboring, out.Unit = c.Certificate.Neighboring, c.Certificate.Unit
		out.Delta, out.Runs = max(out.Delta, c.Certificate.Delta), out.Runs+n
		draws += n * c.Certificate.NoiseDraws
		all = append(all, repeated(c.event(), n))
	}
	if out.Runs == 0 {
		return out, nil
	}
	a := account.ForDelta(all, out.Delta)
	if a.Name() == account.PLD.Name() {
		a = account.RDP{}
	}
	epsilon, err := priced(a, all, out, draws)
	if err != nil {
		a = account.Best
		epsilon, err = priced(a, all, out, draws)
	}
	out.Epsilon = certificate.Epsilon(epsilon)
	out.Accountant = a.Name()
	return out, err
}

// repeated returns an event n times.
func repeated(e mechanism.Event, n int) mechanism.Event {
	if n == 1 {
		return e
	}
	return mechanism.Repeat{Event: e, Count: n}
}

// priced returns the epsilon of an event with this number of draws of rounded noise.
func priced(a account.Accountant, e mechanism.Event, c Cost, draws int) (float64, error) {
	distance := slack.Of(draws)
	rough, err := a.Epsilon(e, c.Delta, c.Neighboring)
	if err != nil || math.IsInf(rough.Upper, 1) || distance == (slack.Distance{}) {
		return rough.Upper, err
	}
	_, delta := distance.Narrow(rough.Upper+1, c.Delta)
	if !(delta > 0) {
		return math.Inf(1), nil
	}
	v, err := a.Epsilon(e, delta, c.Neighboring)
	if err != nil || !(v.Upper <= rough.Upper+1) {
		return math.Inf(1), err
	}
	widened, _ := distance.Widen(v.Upper, delta)
	return widened, nil
}

// allowance is the budget for the runs of one candidate: a limit under a filter.
type allowance struct {
	limit  privacy.Guarantee
	filter account.Accountant // nil means one run alone, under the accountant that prices it best
}

// allowanceOf returns the allowance for one run of a candidate. Filters price quickly and add up
// runs. A plan that no filter prices is reserved alone.
func allowanceOf(c *Candidate) (allowance, error) {
	d := c.Certificate
	unit := privacy.Unit{Row: d.Unit, RowsPerPerson: d.GroupRows}
	if filter, err := c.filter(); err == nil && d.Private {
		if price, failed := filter.Epsilon(c.event(), d.Delta, d.Neighboring); failed == nil && !math.IsInf(price.Upper, 1) {
			limit, limitErr := privacy.NewGuarantee(price.Upper*(1+1e-9), d.Delta, d.Neighboring, unit)
			return allowance{limit, filter}, limitErr
		}
	}
	// The ledger prices the plan again, at a delta that the slack of the noise does not narrow.
	// There pld may choose another lattice; both bounds are proven.
	limit, err := privacy.NewGuarantee(float64(d.Epsilon)*(1+priceTolerance), d.Delta, d.Neighboring, unit)
	return allowance{limit: limit}, err
}

// filter returns the filter for a ledger of several runs of the candidate.
func (c *Candidate) filter() (account.Accountant, error) {
	switch {
	case c.Linear != nil:
		return c.Linear.Plan.Filter()
	case c.Network != nil:
		return c.Network.Plan.Filter()
	}
	return nil, fmt.Errorf("sweep: the method has no filter of its own")
}

// ledger returns a ledger that admits one run.
func (a allowance) ledger() (*ledger.Ledger, error) {
	if a.filter == nil {
		return ledger.NewSingle(a.limit)
	}
	return ledger.NewFiltered(a.limit, a.filter)
}

// ledgerFor returns a ledger that admits exactly these runs of Gaussian releases on all records.
func ledgerFor(candidates []*Candidate) (*ledger.Ledger, error) {
	c := candidates[0].Certificate
	all, delta := mechanism.Sequence{}, 0.0
	for _, each := range candidates {
		all, delta = append(all, each.event()), max(delta, each.Certificate.Delta)
	}
	price, err := account.GDP.Epsilon(all, delta, c.Neighboring)
	if err != nil {
		return nil, err
	}
	limit, err := privacy.NewGuarantee(price.Upper*(1+1e-9), delta, c.Neighboring, privacy.Unit{Row: c.Unit, RowsPerPerson: c.GroupRows})
	if err != nil {
		return nil, err
	}
	return ledger.New(limit)
}

// priceTolerance is the largest relative difference between two proven bounds on one plan.
const priceTolerance = 3e-4
