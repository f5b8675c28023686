// Package ledger keeps the privacy budget of a data set: what was reserved for which purpose, under
// a limit that is never exceeded. A reservation comes before the first draw of noise, and nothing
// is refunded. This ledger lives in memory, for one process.
package ledger

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// ErrOverBudget is the error of a reservation that would pass the limit; errors wrap it.
var ErrOverBudget = errors.New("over budget")

// Entry is one reservation.
type Entry struct {
	Purpose string
	Event   mechanism.Event
}

// Ledger is the budget of one data set. It is safe for concurrent use.
//
// Plans may be chosen after the outputs of earlier plans were seen. So the limit is enforced by a
// filter that is valid for such plans. The filter sums one of these:
//
//   - squared parameters of Gaussian differential privacy (account.GDP)
//   - parameters of zero-concentrated differential privacy (account.ZCDP)
//   - Rényi divergences of one order, which is fixed when the ledger is made
//
// Stopping before such a sum passes a bound is valid for plans chosen after earlier outputs. A
// privacy loss distribution is no such filter.
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
	entries []Entry
}

// New returns an empty ledger under a limit, for Gaussian releases. A limit of infinite epsilon
// admits non-private releases; every other limit refuses them.
func New(limit privacy.Guarantee) (*Ledger, error) { return NewFiltered(limit, account.GDP) }

// NewFiltered returns an empty ledger with another filter: account.GDP, account.ZCDP, or
// account.RDP with exactly one order, which also prices sampled releases. It refuses other
// accountants, because their bounds do not add up over plans that depend on earlier outputs.
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

// NewSingle returns a ledger for one plan that is fixed before its first release. The accountant
// that prices the plan best applies; for several plans that accountant need not be a filter. A
// second reservation is refused.
func NewSingle(limit privacy.Guarantee) (*Ledger, error) {
	l, err := New(limit)
	if err != nil {
		return nil, err
	}
	l.filter, l.single = nil, true
	return l, nil
}

// Limit returns the guarantee that all reservations together keep.
func (l *Ledger) Limit() privacy.Guarantee { return l.limit }

// Entries returns the reservations so far, oldest first.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := append([]Entry(nil), l.entries...)
	for i := range entries {
		entries[i].Event = copied(entries[i].Event)
	}
	return entries
}

// Event returns everything reserved so far as one event.
func (l *Ledger) Event() mechanism.Event { return l.with(l.Entries(), nil) }

func (l *Ledger) with(entries []Entry, e mechanism.Event) mechanism.Sequence {
	s := make(mechanism.Sequence, 0, len(entries)+1)
	for _, entry := range entries {
		s = append(s, entry.Event)
	}
	if e != nil {
		s = append(s, e)
	}
	return s
}

// Reserve sets the cost of e aside and returns the grant that pays for its releases. When the limit
// would be passed, it reserves nothing and returns an error that wraps ErrOverBudget. The unused
// part of a grant is not refunded. The ledger keeps a copy of e.
func (l *Ledger) Reserve(e mechanism.Event, purpose string) (*Grant, error) {
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
			return nil, fmt.Errorf("ledger: %w: this ledger is for one plan, and %s is reserved, want a ledger made by New or NewFiltered for several", ErrOverBudget, l.entries[0].Purpose)
		}
		filter = account.ForDelta(e, l.limit.Delta())
	}
	cost, err := filter.Epsilon(l.with(l.entries, e), l.limit.Delta(), l.limit.Neighboring())
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
	l.entries = append(l.entries, Entry{purpose, e})
	return grant, nil
}
