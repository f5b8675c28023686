package ledger

import (
	"fmt"
	"sync"

	"github.com/ditherml/dither/mechanism"
)

// maxRuns bounds the length of a flattened event.
const maxRuns = 1 << 20

// Grant is the permission to make the releases of one reserved event. The grant pays for each
// release once, in the order of the event. A Grant is safe for concurrent use. A copy of a Grant
// pays for nothing.
type Grant struct {
	self *Grant // the address that Reserve returned: a copy would pay after the grant has ended
	mu   sync.Mutex
	runs []run
	paid int // releases so far
}

var _ mechanism.Payer = (*Grant)(nil)

// run is one simple event that may still be paid count times.
type run struct {
	event mechanism.Event
	count int
}

func newGrant(e mechanism.Event) (*Grant, error) {
	if err := mechanism.CheckEvent(e); err != nil {
		return nil, err
	}
	runs, err := flatten(nil, e)
	g := &Grant{runs: runs}
	g.self = g
	return g, err
}

// flatten appends the simple events of e in order.
func flatten(runs []run, e mechanism.Event) ([]run, error) {
	var err error
	switch e := e.(type) {
	case mechanism.Sequence:
		for _, part := range e {
			if runs, err = flatten(runs, part); err != nil {
				return nil, err
			}
		}
		return runs, nil
	case mechanism.Parallel: // the parts are released in order
		for _, part := range e {
			if runs, err = flatten(runs, part); err != nil {
				return nil, err
			}
		}
		return runs, nil
	case mechanism.Repeat:
		if simple(e.Event) {
			return append(runs, run{e.Event, e.Count}), nil
		}
		for range e.Count {
			if runs, err = flatten(runs, e.Event); err != nil {
				return nil, err
			}
		}
		return runs, nil
	}
	if len(runs) >= maxRuns {
		return nil, fmt.Errorf("ledger: the event has more than %d parts, want a shorter plan", maxRuns)
	}
	return append(runs, run{e, 1}), nil
}

func simple(e mechanism.Event) bool {
	switch e.(type) {
	case mechanism.Sequence, mechanism.Parallel, mechanism.Repeat:
		return false
	}
	return true
}

// Pay pays for the next release of the reserved event, which must be e. If the next release is not
// e, or if all releases were paid, Pay returns an error and changes nothing.
func (g *Grant) Pay(e mechanism.Event) error {
	if g == nil || g.self != g {
		return fmt.Errorf("ledger: the grant is nil, empty or a copy, want the pointer that Reserve returned")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.runs) > 0 && g.runs[0].count == 0 {
		g.runs = g.runs[1:]
	}
	if len(g.runs) == 0 {
		return fmt.Errorf("ledger: the grant has nothing left for %v, want no more releases than were reserved", e)
	}
	if want := g.runs[0].event; e == nil || want.String() != e.String() {
		return fmt.Errorf("ledger: the release is %v, want %v, the next one that was reserved", e, want)
	}
	g.runs[0].count--
	g.paid++
	return nil
}

// end stops the grant for good, and returns how many releases it paid for.
func (g *Grant) end() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs = nil
	return g.paid
}
