package budget

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ditherml/dither/internal/chain"
)

// Book is an open ledger. Several processes and goroutines may share its chain, and several
// goroutines may share the Book.
type Book struct {
	store chain.Store
	mu    sync.Mutex
	state *state
	dead  error // of an append that may have happened
	// imported is how many plans Merge took from each ledger.
	imported map[*Book]int
}

// Create returns a new ledger with the given terms in an empty chain.
func Create(ctx context.Context, store chain.Store, t Terms) (*Book, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	b := &Book{store: store, state: newState()}
	first := true
	_, err := b.appendTo(ctx, func() (record, error) {
		if first = len(b.state.heads) == 0; !first {
			return record{}, errors.New("budget: the ledger exists, want a new name; nothing was changed")
		}
		return record{Create: t.record(secret(), secret())}, nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// secret returns 32 random bytes, hexadecimal.
func secret() string {
	var bytes [32]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return hex.EncodeToString(bytes[:])
}

// Open returns the ledger in a chain. It computes every price again.
func Open(ctx context.Context, store chain.Store) (*Book, error) {
	b := &Book{store: store, state: newState()}
	if err := store.View(ctx, b.state.apply); err != nil {
		return nil, err
	}
	if b.state.create == nil {
		return nil, errEmpty
	}
	return b, nil
}

// Close closes the chain.
func (b *Book) Close() error { return b.store.Close() }

// Refresh reads the records that others have appended since the last reading.
func (b *Book) Refresh(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead != nil {
		return b.dead
	}
	return b.store.View(ctx, b.state.apply)
}

// appendTo appends what next returns, under the lock of all writers and with all earlier records
// taken in. The record is taken in before it is written: so no record is written that cannot be
// read. Where writing fails, the record may be there or not, and the Book refuses everything from
// then on.
func (b *Book) appendTo(ctx context.Context, next func() (record, error)) (chain.Record, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead != nil {
		return chain.Record{}, b.dead
	}
	taken := false
	c, err := b.store.Update(ctx, b.state.apply, func() ([]byte, error) {
		r, failed := next()
		if failed != nil {
			return nil, failed
		}
		payload, failed := encode(r)
		if failed == nil {
			failed = chain.CheckPayload(payload)
		}
		if failed == nil {
			failed = b.state.apply(chain.Record{Seq: uint64(len(b.state.heads)), Time: time.Now().Unix(), Payload: payload})
		}
		taken = failed == nil
		return payload, failed
	})
	if err != nil {
		if taken {
			b.dead = fmt.Errorf("budget: the ledger may have one more record, which counts as spent: %w", err)
			return c, b.dead
		}
		return c, err
	}
	b.state.heads[c.Seq] = c.Hash
	if h, is := b.state.at[c.Seq]; is {
		h.Time, h.Hash = c.Time, hex.EncodeToString(c.Hash[:])
	}
	return c, nil
}

// Reservation is a plan for which the ledger has paid. Only the process that made the reservation
// may end it.
type Reservation struct {
	book *Book
	seq  uint64
	head string
	mu   sync.Mutex
	done bool
}

// Reserve writes the price of a plan to durable storage before it returns. If the plan does not
// fit, the error wraps ErrOverBudget and states what would fit.
func (b *Book) Reserve(ctx context.Context, a Ask) (*Reservation, error) {
	p, err := b.quote(ctx, a)
	if err != nil {
		return nil, err
	}
	c, err := b.appendTo(ctx, func() (record, error) {
		return record{Reserve: &reserveRecord{planRecord: p.record, Run: a.Run}}, b.state.admits(p)
	})
	if err != nil {
		return nil, err
	}
	return &Reservation{book: b, seq: c.Seq, head: hex.EncodeToString(c.Hash[:])}, nil
}

// quote prices a plan.
func (b *Book) quote(ctx context.Context, a Ask) (priced, error) {
	if err := ctx.Err(); err != nil {
		return priced{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead != nil {
		return priced{}, b.dead
	}
	return b.state.quote(a)
}

// Place returns the number of the reservation's record, and the head of the chain after this record
// in hexadecimal digits. A certificate names both, and Extends checks them.
func (r *Reservation) Place() (seq uint64, head string) { return r.seq, r.head }

// Settle ends a reservation and returns its outcome. The argument begun is the number of releases
// that this process counted before it drew noise. No release of the plan may begin afterwards. The
// argument certificate is the hash of the run's certificate, or "" if there is none.
//
// If the plan ended early, the price of releases that never began is given back if the filter has a
// proof for this. A reservation that is not settled stays spent. If there is a certificate, the
// whole plan stays spent, whatever begun is.
func (r *Reservation) Settle(ctx context.Context, begun int, certificate string) (Outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return "", fmt.Errorf("budget: reservation %d is settled, want each settled once", r.seq)
	}
	r.done = true
	var outcome Outcome
	_, err := r.book.appendTo(ctx, func() (record, error) {
		h, failed := r.book.state.open(r.seq)
		if failed != nil {
			return record{}, failed
		}
		s := settleRecord{Reserve: r.seq, Outcome: Released, Certificate: certificate}
		if certificate == "" && more(h.plan.event, begun) { // a certificate states the whole plan
			if _, failed = r.book.state.begun(h, begun); failed == nil {
				s.Outcome, s.Begun = Stopped, begun
			} else {
				s.Outcome = Unknown
			}
		}
		outcome = s.Outcome
		return record{Settle: &s}, nil
	})
	return outcome, err
}

// Forfeit gives up one open reservation whose run ended in an unknown way. The reservation stays
// spent.
func (b *Book) Forfeit(ctx context.Context, seq uint64, reason, who string) error {
	_, err := b.appendTo(ctx, func() (record, error) {
		return record{Forfeit: &forfeitRecord{Reserve: &seq, Reason: reason, Who: who}}, nil
	})
	return err
}

// ForfeitAll gives up everything that is left. Use it after damage, because nobody knows what was
// spent.
func (b *Book) ForfeitAll(ctx context.Context, reason, who string) error {
	_, err := b.appendTo(ctx, func() (record, error) {
		return record{Forfeit: &forfeitRecord{Reason: reason, Who: who}}, nil
	})
	return err
}

// Anchor records that the head of the chain is kept at another place. It returns this head.
func (b *Book) Anchor(ctx context.Context, where string) (Anchor, error) {
	var a Anchor
	_, err := b.appendTo(ctx, func() (record, error) {
		a = b.state.head()
		a.Where = where
		return record{Anchor: &a}, nil
	})
	return a, err
}

// Note appends a text for people to read.
func (b *Book) Note(ctx context.Context, text, who string) error {
	_, err := b.appendTo(ctx, func() (record, error) { return record{Note: &noteRecord{Text: text, Who: who}}, nil })
	return err
}

// Import counts a release that was made without the ledger, even if it exceeds the cap. The
// argument certificate is the hash of its certificate, and source states where the certificate was
// found.
func (b *Book) Import(ctx context.Context, a Ask, certificate, source string) error {
	p, err := b.quote(ctx, a)
	if err != nil {
		return err
	}
	_, err = b.appendTo(ctx, func() (record, error) {
		return record{Import: &importRecord{planRecord: p.record, Certificate: certificate, Source: source}}, nil
	})
	return err
}

// Extends returns nil if the ledger has this record with this head. Then the ledger is the ledger
// that a certificate names, or a continuation of that ledger.
func (b *Book) Extends(seq uint64, head string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.extends(seq, head)
}

// head returns the last record.
func (s *state) head() Anchor {
	last := len(s.heads) - 1
	return Anchor{Seq: uint64(last), Hash: hex.EncodeToString(s.heads[last][:])}
}

// Terms returns the terms of the ledger.
func (b *Book) Terms() Terms {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.state.terms
	t.Populations, t.Filter.Orders, t.Filter.Deltas = slices.Clone(t.Populations), slices.Clone(t.Filter.Orders), slices.Clone(t.Filter.Deltas)
	return t
}

// WitnessKey returns half of the key for the digests of content, in hexadecimal digits. The other
// half is outside the ledger.
func (b *Book) WitnessKey() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.create.WitnessKey
}

// Ledger returns the random identifier of the ledger. Copies of the ledger have the same
// identifier.
func (b *Book) Ledger() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.create.Ledger
}
