// Package postgres keeps a chain of records in a table of PostgreSQL, so that a team shares a
// ledger.
//
// A writer holds an advisory lock of the ledger, so that writers wait for each other. The guarantee
// does not depend on that lock: transactions are serializable, and the primary key admits each
// sequence number once. Each reader checks the hashes of all records, and that the records which it
// knows are still there.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ditherml/dither/internal/chain"
)

// Table is the table of all ledgers of a database.
const Table = "dither_ledger"

// create makes the table. A database role that may only read and insert can use it, and cannot
// change records.
const create = `CREATE TABLE IF NOT EXISTS ` + Table + ` (
	ledger  text   NOT NULL,
	seq     bigint NOT NULL CHECK (seq >= 0),
	time    bigint NOT NULL,
	payload bytea  NOT NULL,
	hash    bytea  NOT NULL CHECK (length(hash) = 32),
	PRIMARY KEY (ledger, seq))`

// patience is the time that an append may take after it can no longer be called off.
const patience = 30 * time.Second

// Store is a chain in a table. It implements [chain.Store].
type Store struct {
	location Location
	turn     chan struct{} // holds one value while a call runs
	conn     *pgx.Conn     // nil: none is open
	last     chain.Record  // the newest record that was read; its payload is dropped
	read     uint64        // number of records that were read
	unseen   []chain.Record
	dead     error
	empty    bool // a chain without records is expected
}

var _ chain.Store = (*Store)(nil)

// Open returns the store of a ledger that exists. It errs when the server cannot be reached, does
// not keep what it confirms (fsync is off), is a standby, or has no such ledger.
func Open(ctx context.Context, l Location) (*Store, error) {
	s := &Store{location: l, turn: make(chan struct{}, 1)}
	if err := s.View(ctx, func(chain.Record) error { return errEnough }); !errors.Is(err, errEnough) {
		s.drop()
		return nil, err
	}
	return s, nil
}

// errEnough ends a first look at a ledger.
var errEnough = errors.New("enough")

// Create makes the table where there is none, appends the first record of a new ledger, and returns
// its store. It errs when the ledger exists.
func Create(ctx context.Context, l Location, first []byte) (*Store, error) {
	s := &Store{location: l, turn: make(chan struct{}, 1), empty: true}
	exists := fmt.Errorf("ledger: %v exists, want another name: postgres://…?ledger=NAME", l)
	_, err := s.Update(ctx, func(chain.Record) error { return exists }, func() ([]byte, error) { return first, nil })
	if err != nil {
		s.drop()
		return nil, err
	}
	s.empty = false
	return s, nil
}

// Update is [chain.Store.Update].
func (s *Store) Update(ctx context.Context, seen func(chain.Record) error, next func() ([]byte, error)) (chain.Record, error) {
	var added chain.Record
	err := s.held(ctx, true, seen, func(tx pgx.Tx) error {
		payload, err := next()
		if err != nil {
			return err
		}
		if err = chain.CheckPayload(payload); err != nil {
			return err
		}
		added, err = s.append(ctx, tx, payload)
		return err
	})
	return added, err
}

// View is [chain.Store.View]. It takes no lock: a transaction sees the records of one moment.
func (s *Store) View(ctx context.Context, seen func(chain.Record) error) error {
	return s.held(ctx, false, seen, func(pgx.Tx) error { return nil })
}

// Close is [chain.Store.Close].
func (s *Store) Close() error {
	if err := s.enter(context.Background()); err != nil {
		return err
	}
	defer s.leave()
	s.dead = chain.ErrClosed
	s.drop()
	return nil
}

func (s *Store) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := ctx.Err()
	if s.dead != nil {
		err = s.dead
	}
	if err != nil {
		s.leave()
	}
	return err
}

func (s *Store) leave() { <-s.turn }

// drop gives up the connection, and with it lock and transaction.
func (s *Store) drop() {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // the server ends a session whose connection is gone
	s.conn = nil
}

// held connects, takes the lock where something is to be written, passes on what is new, and calls
// do in the same transaction. Whatever ends it early drops the connection.
func (s *Store) held(ctx context.Context, write bool, seen func(chain.Record) error, do func(pgx.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	done := false
	defer func() {
		if !done {
			s.drop()
		}
	}()
	if err := s.connect(ctx); err != nil {
		return err
	}
	if write {
		// Before the transaction: what it sees is then newer than the lock.
		if _, err := s.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", s.lock()); err != nil {
			return s.failed("cannot lock", err)
		}
	}
	err := s.transact(ctx, write, seen, do)
	if err == nil && write {
		_, failed := s.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", s.lock())
		done = failed == nil // else the end of the session frees it
		return nil
	}
	done = err == nil
	return err
}

// lock returns the number of the advisory lock of the ledger.
func (s *Store) lock() int64 {
	h := fnv.New64a()
	h.Write([]byte("dither ledger\n" + s.location.ledger))
	return int64(h.Sum64())
}

// transact passes on what is new and calls do, in one serializable transaction.
func (s *Store) transact(ctx context.Context, write bool, seen func(chain.Record) error, do func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly}
	if write {
		options.AccessMode = pgx.ReadWrite
	}
	tx, err := s.conn.BeginTx(ctx, options)
	if err != nil {
		return s.failed("cannot begin a transaction", err)
	}
	if write {
		if _, err := tx.Exec(ctx, durably); err != nil {
			return s.failed("cannot make commits durable", err)
		}
	}
	if write && s.empty {
		if _, err := tx.Exec(ctx, create); err != nil {
			return s.failed("cannot make table "+Table, err)
		}
	}
	if err := s.readNew(ctx, tx); err != nil {
		return err
	}
	for len(s.unseen) > 0 {
		if err := seen(s.unseen[0]); err != nil {
			return err
		}
		s.unseen = s.unseen[1:]
	}
	if err := do(tx); err != nil {
		return err
	}
	if write {
		return nil // append has committed
	}
	if err := tx.Commit(ctx); err != nil {
		return s.failed("cannot end a transaction", err)
	}
	return nil
}

// append adds a record and commits. From here on nothing calls it off: an answer that does not come
// leaves open whether the record is there, and the store refuses everything after it.
func (s *Store) append(ctx context.Context, tx pgx.Tx, payload []byte) (chain.Record, error) {
	r := chain.Record{Seq: s.read, Time: chain.Clock().Unix(), Payload: payload}
	r.Hash = chain.Link(s.last.Hash, r.Seq, r.Time, r.Payload)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	done, err := tx.Exec(ctx, "INSERT INTO "+Table+" (ledger, seq, time, payload, hash) VALUES ($1, $2, $3, $4, $5)",
		s.location.ledger, int64(r.Seq), r.Time, r.Payload, r.Hash[:])
	if err == nil && done.RowsAffected() != 1 { // a trigger or rule of the table can drop a row without an error
		err = fmt.Errorf("server inserted %d rows, want 1: take triggers and rules away from table "+Table, done.RowsAffected())
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		s.dead = fmt.Errorf("%w: %w", chain.ErrPoisoned, s.failed("cannot append", err))
		return chain.Record{}, s.dead
	}
	s.took(r)
	return r, nil
}

// took notes the newest record.
func (s *Store) took(r chain.Record) {
	r.Payload = nil
	s.last, s.read = r, r.Seq+1
}

// failed returns an error of the server in words. It names the ledger and no secret.
func (s *Store) failed(what string, err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) && server.Code == undefinedTable {
		return s.missing()
	}
	return fmt.Errorf("ledger: %v: %s: %w", s.location, what, err)
}

// oneLine is an error whose text stands on one line.
type oneLine struct{ error }

// Error is the text of the error with spaces for all white space.
func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

// Unwrap returns the error itself.
func (e oneLine) Unwrap() error { return e.error }

// undefinedTable is PostgreSQL's code of a table that is not there.
const undefinedTable = "42P01"

func (s *Store) missing() error {
	return fmt.Errorf("ledger: %v is not there, want one that dither ledger create made", s.location)
}
