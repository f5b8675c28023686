// Package ledger keeps the privacy budget of a data set. A Ledger records every reservation and
// never lets the total cost exceed its limit. The cost of a release is reserved before the first
// draw of its noise. Nothing is refunded. A Ledger is in memory, for one process. Under connects it
// to a durable budget that several processes share.
package ledger

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// ErrOverBudget is the error of a reservation that would exceed the limit. Returned errors wrap it.
var ErrOverBudget = budget.ErrOverBudget

// entry is one reservation.
type entry struct {
	purpose string
	event   mechanism.Event
}

// Ledger is the budget of one data set. It is safe for concurrent use.
//
// A plan may be chosen after the outputs of earlier plans are known. Therefore the limit is
// enforced by a filter: a bounded sum of costs that stays valid for such plans. The filter sums one
// of these costs:
//
//   - squared parameters of Gaussian differential privacy (account.GDP)
//   - parameters of zero-concentrated differential privacy (account.ZCDP)
//   - Rényi divergences of one order, which is fixed when the ledger is made (account.RDP)
//
// Composition of privacy loss distributions is not a filter: it is not valid for such plans.
//
// (Smith & Thakurta, "Fully Adaptive Composition for Gaussian Differential Privacy", 2022,
// https://arxiv.org/abs/2210.17520; Feldman & Zrnic, "Individual Privacy Accounting via a Rényi
// Filter", NeurIPS 2021, https://arxiv.org/abs/2008.11193; Whitehouse, Ramdas, Rogers & Wu,
// "Fully-Adaptive Composition in Differential Privacy", ICML 2023,
// https://arxiv.org/abs/2203.05481.)
type Ledger struct {
	limit   privacy.Guarantee
	filter  account.Accountant
	single  bool // one reservation at most
	mu      sync.Mutex
	entries []entry
	payment *budget.Payment // of a durable budget; nil for none
	ahead   *ahead          // reserved before the run began; nil for nothing
}

// New returns an empty ledger that pays for Gaussian releases up to a limit. Releases without
// privacy are admitted only if the limit has an infinite epsilon.
func New(limit privacy.Guarantee) (*Ledger, error) { return NewFiltered(limit, account.GDP) }

// NewFiltered returns an empty ledger with a given filter. The filter is account.GDP, account.ZCDP,
// or account.RDP with exactly one order. Only RDP prices sampled releases with the benefit of
// sampling. Other accountants are an error, because their costs do not add up over plans that
// depend on earlier outputs.
func NewFiltered(limit privacy.Guarantee, filter account.Accountant) (*Ledger, error) {
	if limit == (privacy.Guarantee{}) {
		return nil, fmt.Errorf("ledger: the limit is empty, want a guarantee made by privacy.NewGuarantee")
	}
	if filter == account.GDP || filter == account.ZCDP {
		return &Ledger{limit: limit, filter: filter}, nil
	}
	if f, is := filter.(account.RDP); is && len(f.Orders) == 1 {
		return &Ledger{limit: limit, filter: account.RDP{Orders: []float64{f.Orders[0]}}}, nil
	}
	return nil, fmt.Errorf("ledger: the filter is not valid for plans chosen after earlier outputs, want account.GDP, account.ZCDP or account.RDP with exactly one order")
}

// NewSingle returns a ledger that pays for a single plan. The plan must be fixed before its first
// release. Its price comes from the accountant that account.ForDelta chooses. A second reservation
// is an error.
func NewSingle(limit privacy.Guarantee) (*Ledger, error) {
	l, err := New(limit)
	if err != nil {
		return nil, err
	}
	l.filter, l.single = nil, true
	return l, nil
}

// Limit returns the guarantee that all reservations together satisfy.
func (l *Ledger) Limit() privacy.Guarantee { return l.limit }

// Event returns everything reserved so far: one event for each reservation, oldest first. An event
// that Under reserved is included only after Reserve returned its grant.
func (l *Ledger) Event() mechanism.Sequence {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.with(nil)
	if l.ahead != nil {
		all = all[:len(all)-1]
	}
	for i := range all {
		all[i] = copied(all[i])
	}
	return all
}

// with returns everything reserved so far and e, if there is one.
func (l *Ledger) with(e mechanism.Event) mechanism.Sequence {
	s := make(mechanism.Sequence, 0, len(l.entries)+1)
	for _, entry := range l.entries {
		s = append(s, entry.event)
	}
	if e != nil {
		s = append(s, e)
	}
	return s
}

// Reserve reserves the cost of the event e and returns the grant that pays for the releases of e.
// If the cost would exceed the limit, Reserve returns an error that wraps ErrOverBudget and
// reserves nothing. The unused part of a grant is not refunded. The ledger keeps a copy of e, and
// records the purpose in words.
func (l *Ledger) Reserve(e mechanism.Event, purpose string) (*Grant, error) {
	l.mu.Lock()
	a := l.ahead
	l.ahead = nil
	l.mu.Unlock()
	if a != nil {
		return a.take(e)
	}
	return l.reserve(e, purpose)
}

func (l *Ledger) reserve(e mechanism.Event, purpose string) (*Grant, error) {
	e = copied(e)
	grant, err := newGrant(e)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	filter := l.filter
	if l.single {
		if len(l.entries) > 0 {
			return nil, fmt.Errorf("ledger: %w: this ledger is for one plan, and %s is reserved, want a ledger made by New or NewFiltered for several", ErrOverBudget, l.entries[0].purpose)
		}
		filter = account.ForDelta(e, l.limit.Delta())
	}
	cost, err := filter.Epsilon(l.with(e), l.limit.Delta(), l.limit.Neighboring())
	if err != nil {
		return nil, err
	}
	if !(cost.Upper <= l.limit.Epsilon()) {
		return nil, fmt.Errorf("ledger: %w: with %s the data set would stand at epsilon %.6g (delta %g, %v), want at most %.6g; ask for less or raise the limit",
			ErrOverBudget, purpose, cost.Upper, l.limit.Delta(), l.limit.Neighboring(), l.limit.Epsilon())
	}
	if math.IsInf(cost.Upper, 1) && l.limit.Private() {
		return nil, fmt.Errorf("ledger: %w: %s is not private", ErrOverBudget, purpose)
	}
	if l.payment != nil {
		if err = l.payment.Reserve(e, purpose, l.limit, grant.end); err != nil {
			return nil, err
		}
	}
	l.entries = append(l.entries, entry{purpose, e})
	return grant, nil
}
