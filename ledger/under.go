package ledger

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/internal/budget"
)

// Under puts the ledger under a durable budget, before anything is reserved. From then on each
// reservation is made in the durable budget first, before a record is read. A reservation that the
// durable budget refuses is refused by the ledger too. ctx bounds how long reservations wait for
// other writers. The returned payment ends the run: after Settle no grant of the ledger pays.
// Without Settle every reservation stays spent.
func (l *Ledger) Under(ctx context.Context, b *budget.Book, about budget.Ask) (*budget.Payment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := b.Terms().Neighboring; {
	case l.payment != nil || len(l.entries) > 0:
		return nil, fmt.Errorf("ledger: something is reserved or pays for the ledger already, want a new ledger for each run")
	case n != l.limit.Neighboring():
		return nil, fmt.Errorf("ledger: the limit is under %v, want %v as in the durable ledger", l.limit.Neighboring(), n)
	}
	l.payment = b.Pay(ctx, about)
	return l.payment, nil
}
