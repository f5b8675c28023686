package budget

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Payment connects one run to a Book. The ledger of the run first reserves each of its plans here.
type Payment struct {
	book    *Book
	ctx     context.Context
	about   Ask
	mu      sync.Mutex
	list    []payment
	settled bool
	key     ed25519.PrivateKey // of the process, and in its memory alone
}

// payment is one reservation, and what ends its grant: it returns how many releases were paid for.
type payment struct {
	reservation *Reservation
	end         func() int
}

// Pay returns the payment of a run. The argument about contains what all plans of the run have in
// common: purpose, person, run, population and data. If there is only one plan, it also contains
// the draws and the own guarantee of that plan. The context limits how long a reservation waits for
// other writers.
func (b *Book) Pay(ctx context.Context, about Ask) *Payment {
	_, key, _ := ed25519.GenerateKey(nil) // never fails
	return &Payment{book: b, ctx: ctx, about: about, key: key}
}

// Reserve durably reserves a plan for a run under a limit. Settle calls the function end once. This
// function must stop the grant of the plan for good, and return the number of releases that were
// paid for.
func (p *Payment) Reserve(e mechanism.Event, purpose string, limit privacy.Guarantee, end func() int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settled {
		return errors.New("budget: the run is settled, want a new one for another plan")
	}
	a := p.about
	if a.Data == "" {
		name := p.book.Terms().Name
		return fmt.Errorf("budget: the data have no declared name, want %q, which the ledger is for; write name: %s into the schema if the persons are the same", name, name)
	}
	if earlier := a.Earlier; earlier > 0 {
		if a.Event == nil || e.String() != a.Event.String() || len(p.list) > 0 {
			return fmt.Errorf("budget: the run reserves %v, want %v once, a part of which is paid for", e, a.Event)
		}
		if e = After(e, earlier); e == nil {
			return errors.New("budget: earlier records paid for all of the plan, want a part that is left")
		}
		all := end
		end = func() int { return max(0, all()-earlier) }
	}
	a.Event, a.Neighboring, a.Unit = e, limit.Neighboring(), limit.Unit()
	if a.Delta == 0 {
		a.Delta = limit.Delta()
	}
	if a.Purpose == "" {
		a.Purpose = purpose
	}
	if a.Run == "" { // no two records are alike then, not even on two copies of a ledger
		a.Run = hex.EncodeToString(p.key.Public().(ed25519.PublicKey))
	}
	r, err := p.book.Reserve(p.ctx, a)
	if err == nil {
		p.list = append(p.list, payment{r, end})
	}
	return err
}

// Places returns the records of the reservations, as a certificate names them. Each has its number
// and its head, and Where is the identifier of the ledger.
func (p *Payment) Places() []Anchor {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Anchor
	for _, one := range p.list {
		seq, head := one.reservation.Place()
		out = append(out, Anchor{Seq: seq, Hash: head, Where: p.book.Ledger()})
	}
	return out
}

// Settle ends the run. Afterwards its grants pay for nothing more. Releases that were paid for stay
// spent. Releases that never began are given back if the filter has a proof for this. The argument
// certificate is the hash of the run's certificate, or "". A run that reserved nothing settles
// nothing.
func (p *Payment) Settle(ctx context.Context, certificate string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.settled {
		return errors.New("budget: the run is settled, want each settled once")
	}
	p.settled = true
	var failures []error
	for _, one := range p.list {
		if _, err := one.reservation.Settle(ctx, one.end(), certificate); err != nil {
			failures = append(failures, fmt.Errorf("budget: what became of the run is not noted, and all of it stays spent: %w", err))
		}
	}
	return errors.Join(failures...)
}
