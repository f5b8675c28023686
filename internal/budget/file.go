package budget

import (
	"context"

	"github.com/ditherml/dither/internal/chain"
)

// First returns the first record of a new ledger. A store that is created with this record is such
// a ledger.
func First(t Terms) ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return encode(record{Create: t.record(secret(), secret())})
}

// Forfeited returns the record that gives up everything that is left. It is for a store that lost
// records.
func Forfeited(reason, who string) ([]byte, error) {
	if err := checkTexts(reason, who); err != nil {
		return nil, err
	}
	return encode(record{Forfeit: &forfeitRecord{Reason: reason, Who: who}})
}

// CreateFile returns a new ledger in a new file. If the name exists already, the error wraps
// fs.ErrExist.
func CreateFile(ctx context.Context, path string, t Terms) (*Book, error) {
	first, err := First(t)
	if err != nil {
		return nil, err
	}
	store, err := chain.Create(ctx, path, first)
	if err != nil {
		return nil, err
	}
	return open(ctx, store)
}

// OpenFile returns the ledger in a file.
func OpenFile(ctx context.Context, path string) (*Book, error) {
	store, err := chain.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return open(ctx, store)
}

// open closes a store that is no ledger.
func open(ctx context.Context, store chain.Store) (*Book, error) {
	b, err := Open(ctx, store)
	if err != nil {
		_ = store.Close()
	}
	return b, err
}
