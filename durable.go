package dither

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// OpenBudget returns the budget of a durable ledger that `dither ledger create` made. The argument
// where is the name of a file, or postgres://user@host/database?ledger=NAME without a password. The
// budget has the epsilon, delta and relation of the ledger. All processes that open the ledger
// spend from the same budget. It is an error if a schema has another name than the ledger, or names
// another ledger. Train, Query and Evaluate reserve their cost in the ledger before they read a
// record. A reservation stays spent when the program ends early. Close closes the file or the
// connection.
func OpenBudget(ctx context.Context, where string) (*Budget, error) {
	book, err := openBook(ctx, where)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("dither: %w; `dither ledger create` makes a ledger", err)
	case err != nil:
		return nil, err
	}
	t := book.Terms()
	b, err := NewBudget(t.Epsilon, t.Delta, t.Neighboring)
	if err != nil {
		_ = book.Close()
		return nil, err
	}
	b.book, b.where = book, where
	return b, nil
}

// openBook opens the ledger in a file or on a server.
func openBook(ctx context.Context, where string) (*budget.Book, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if where == "" {
		return nil, errors.New("dither: name of the ledger is empty, want a file or postgres://user@host/database?ledger=NAME")
	}
	if !postgres.Is(where) {
		return budget.OpenFile(ctx, where)
	}
	place, err := postgres.Parse(where)
	if err != nil {
		return nil, err
	}
	store, err := postgres.Open(ctx, place)
	if err != nil {
		return nil, err
	}
	book, err := budget.Open(ctx, store)
	if err != nil {
		_ = store.Close() // the first error is the one that matters
		return nil, fmt.Errorf("dither: %v: %w", place, err)
	}
	return book, nil
}

// Close closes the file or the connection that OpenBudget opened. It waits until a running call has
// ended. Afterwards Train, Query and Evaluate return an error for b, and Left returns 0. A second
// Close does nothing. Close does nothing to a Budget that NewBudget returned.
func (b *Budget) Close() error {
	if !b.made() {
		return errors.New("dither: budget is nil, a copy or a zero value, want the pointer that OpenBudget returned")
	}
	b.calls.Lock()
	defer b.calls.Unlock()
	if b.book == nil || b.closed {
		return nil
	}
	b.closed = true
	return b.book.Close()
}

// reachable returns an error if a durable ledger is closed or cannot be read.
func (b *Budget) reachable(ctx context.Context) error {
	if b.closed {
		return errors.New("dither: budget is closed, want one that OpenBudget returned and that is still open")
	}
	if b.book == nil {
		return nil
	}
	return b.book.Refresh(ctx)
}

// leftInBook is Left of a durable ledger.
func (b *Budget) leftInBook(ctx context.Context) (float64, error) {
	if err := b.book.Refresh(ctx); err != nil {
		return 0, err
	}
	left, err := b.book.Left("")
	return left.Epsilon * (1 - 1e-6), err // a plan pays for the rounding of its noise too
}

// openUnder reserves what a call asks for in the durable ledger, and returns the ledger of the
// call. settle ends the call.
func (b *Budget) openUnder(ctx context.Context, unit privacy.Unit, about budget.Ask) (*ledger.Ledger, error) {
	limit, err := privacy.NewGuarantee(b.epsilon, b.delta, b.neighboring, unit)
	if err != nil {
		return nil, err
	}
	opened, err := ledger.NewSingle(limit)
	if err != nil {
		return nil, err
	}
	b.payment, err = opened.Under(ctx, b.book, about)
	return opened, err
}

// note names in a certificate the record of the durable ledger that pays for the call, if one does.
func (b *Budget) note(c *certificate.Certificate) {
	if b.payment == nil {
		return
	}
	at := b.payment.Places()[0]
	terms := b.book.Terms()
	others, spent := b.book.Before(at.Seq)
	draft.Paid(c, certificate.LedgerRecord{Ledger: at.Where, Sequence: at.Seq, Head: at.Hash, Others: others,
		Spent: certificate.Epsilon(spent), Limit: certificate.Epsilon(terms.Epsilon), LimitDelta: terms.Delta})
	c.Recorded.SignWith(b.payment.SignCertificate)
}

// settle ends a call that spent: text is the file of its certificate, nil for none. When the
// durable ledger cannot note the end, everything that was reserved stays spent, which is what the
// ledger says of it then.
func (b *Budget) settle(ctx context.Context, text []byte) {
	if b.payment == nil {
		return
	}
	name := ""
	if text != nil {
		name = certificate.Hash(text)
	}
	_ = b.payment.Settle(context.WithoutCancel(ctx), name)
	b.payment = nil
}
