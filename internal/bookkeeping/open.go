// Package bookkeeping is the work of dither ledger: making durable ledgers, showing what is left of
// them, holding them and certificates against each other, and pricing plans. It prints nothing.
package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/user"
	"strings"

	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
)

// Ledger is an open ledger.
type Ledger struct {
	*budget.Book
	// Where is the name of the ledger's file, or its place on a server without anything secret.
	Where string
	store *remembering
}

// remembering is a store that keeps the records which were passed on.
type remembering struct {
	chain.Store
	records []chain.Record
}

// View is chain.Store.View.
func (r *remembering) View(ctx context.Context, seen func(chain.Record) error) error {
	return r.Store.View(ctx, func(c chain.Record) error {
		err := seen(c)
		if err == nil {
			r.records = append(r.records, c)
		}
		return err
	})
}

// Open opens the ledger in a file or on a server.
func Open(ctx context.Context, where string) (*Ledger, error) {
	if postgres.Is(where) {
		l, err := postgres.Parse(where)
		if err != nil {
			return nil, err
		}
		store, err := postgres.Open(ctx, l)
		if err != nil {
			return nil, refused(err)
		}
		return open(ctx, store, l.String())
	}
	if where == "" {
		return nil, errors.New("the name of the ledger is empty, want a file or postgres://user@host/database?ledger=NAME")
	}
	store, err := chain.Open(ctx, where)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; `dither ledger create %s` makes one", err, where)
	}
	if err != nil {
		return nil, refused(err)
	}
	return open(ctx, store, where)
}

func open(ctx context.Context, store chain.Store, where string) (*Ledger, error) {
	remembered := &remembering{Store: store}
	book, err := budget.Open(ctx, remembered)
	if err != nil {
		_ = store.Close() // the first error is the one that matters
		return nil, fmt.Errorf("%s: %w; nothing was changed", where, err)
	}
	return &Ledger{book, where, remembered}, nil
}

// refused marks damage as what was found. Other errors stay errors of a wrong name.
func refused(err error) error {
	if errors.Is(err, chain.ErrDamaged) {
		return failure.Running(err)
	}
	return err
}

// person returns who works with a ledger: the given name, else that of the user.
func person(given string) string {
	if given != "" {
		return given
	}
	if u, err := user.Current(); err == nil {
		return strings.TrimSpace(display.OneLine(u.Username))
	}
	return ""
}
