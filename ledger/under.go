package ledger

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/mechanism"
)

// Under connects the ledger to a durable budget. Call Under before the first reservation.
// Afterwards Reserve reserves in the durable budget first, and returns the errors of that budget.
// If about.Event is set, Under itself reserves this event, and the next call of Reserve returns the
// grant. So a run can reserve its cost before it opens a table. The context ctx limits how long
// reservations wait for other writers. The method Settle of the returned payment ends the run.
// After Settle no grant of the ledger pays. Without Settle, everything that was reserved stays
// spent.
func (l *Ledger) Under(ctx context.Context, b *budget.Book, about budget.Ask) (*budget.Payment, error) {
	payment, err := l.under(ctx, b, about)
	if err != nil || about.Event == nil {
		return payment, err
	}
	grant, err := l.reserve(about.Event, about.Purpose)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead = &ahead{about.Event, grant}
	return payment, nil
}

func (l *Ledger) under(ctx context.Context, b *budget.Book, about budget.Ask) (*budget.Payment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := b.Terms().Neighboring; {
	case l.payment != nil || len(l.entries) > 0:
		return nil, fmt.Errorf("ledger: something is reserved or pays for the ledger already, want a new ledger for each run")
	case n != l.limit.Neighboring():
		return nil, fmt.Errorf("ledger: the limit is under %v, want %v as in the durable ledger; plan the run under that relation, or keep a ledger of its own, whose cap comes on top", l.limit.Neighboring(), n)
	}
	l.payment = b.Pay(ctx, about)
	return l.payment, nil
}

// ahead is a reservation that was made before the run began.
type ahead struct {
	event mechanism.Event
	grant *Grant
}

// take returns the grant to the run that reserves the same event.
func (a *ahead) take(e mechanism.Event) (*Grant, error) {
	if e == nil || e.String() != a.event.String() {
		return nil, fmt.Errorf("ledger: the run reserves %v, want %v, for which the durable ledger was asked", e, a.event)
	}
	return a.grant, nil
}
