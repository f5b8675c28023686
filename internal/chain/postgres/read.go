package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/chain"
)

// connect opens a connection where there is none, and checks that the server keeps what it
// confirms.
func (s *Store) connect(ctx context.Context) error {
	if s.conn != nil && !s.conn.IsClosed() {
		return nil
	}
	var err error
	if s.conn, err = pgx.ConnectConfig(ctx, s.location.config.Copy()); err != nil {
		s.conn = nil
		return s.failed("cannot connect, want a server that runs there; check host, port and user", oneLine{err})
	}
	var fsync string
	var standby, plain, kept bool
	err = s.conn.QueryRow(ctx, settings).Scan(&fsync, &standby, &plain, &kept)
	switch {
	case err != nil:
		return s.failed("cannot read the settings", err)
	case fsync != "on":
		return fmt.Errorf("ledger: %v: server has fsync %s and would forget what was spent when the power fails, want fsync on", s.location, fsync)
	case standby:
		return fmt.Errorf("ledger: %v: server is a standby, want the primary server", s.location)
	case !plain:
		return fmt.Errorf("ledger: %v: %s is a view or another kind of table, so nothing shows that its rows outlast a crash, want the table that dither ledger create makes", s.location, Table)
	case !kept:
		return fmt.Errorf("ledger: %v: table %s is unlogged or temporary, so a crash empties it, want ALTER TABLE %s SET LOGGED", s.location, Table, Table)
	}
	return nil
}

// settings are whether the server keeps what it confirms: a crash empties tables that are not
// permanent, and a view, a partitioned or a foreign table may keep its rows in such a table. Where
// the table is not there yet, it is made plain and permanent.
const settings = `SELECT current_setting('fsync'), pg_is_in_recovery(),
	coalesce((SELECT relkind = 'r' FROM pg_class WHERE oid = to_regclass('` + Table + `')), true),
	coalesce((SELECT relpersistence = 'p' FROM pg_class WHERE oid = to_regclass('` + Table + `')), true)`

// durably makes the commit of a transaction wait for the disk, where the settings of role or
// database say that it does not. The setting is of the transaction, since a proxy can give the next
// one another session.
const durably = "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"

// readNew takes the records that are new into unseen, and checks all links. The newest known record
// is read again, so that a chain that was shortened or replaced is found.
func (s *Store) readNew(ctx context.Context, tx pgx.Tx) error {
	had, from := s.read > 0, s.read
	if had {
		from--
	}
	rows, err := tx.Query(ctx, "SELECT seq, time, payload, hash FROM "+Table+" WHERE ledger = $1 AND seq >= $2 ORDER BY seq", s.location.ledger, int64(from))
	if err != nil {
		return s.failed("cannot read", err)
	}
	defer rows.Close()
	known := false
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return s.failed("cannot read", err)
		}
		if had && !known {
			if known = r.Seq == s.last.Seq && r.Hash == s.last.Hash; !known {
				return s.damaged(fmt.Sprintf("record %d is not the one that was read before", s.last.Seq))
			}
			continue
		}
		if err := s.next(r); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return s.failed("cannot read", err)
	}
	if had && !known {
		return s.damaged(fmt.Sprintf("record %d is gone", s.last.Seq))
	}
	if s.read == 0 && !s.empty {
		return s.missing()
	}
	return nil
}

// next takes one record after the newest one.
func (s *Store) next(r chain.Record) error {
	if r.Seq != s.read {
		return s.damaged(fmt.Sprintf("record %d is missing", s.read))
	}
	if chain.CheckPayload(r.Payload) != nil || chain.Link(s.last.Hash, r.Seq, r.Time, r.Payload) != r.Hash {
		return s.damaged(fmt.Sprintf("record %d does not have the hash of what it holds", r.Seq))
	}
	s.unseen = append(s.unseen, r)
	s.took(r)
	return nil
}

// scan returns one row as a record.
func scan(rows pgx.Rows) (chain.Record, error) {
	var seq int64
	var r chain.Record
	var hash []byte
	if err := rows.Scan(&seq, &r.Time, &r.Payload, &hash); err != nil {
		return r, err
	}
	r.Seq = uint64(seq)
	copy(r.Hash[:], hash)
	return r, nil
}

func (s *Store) damaged(what string) error {
	return fmt.Errorf("%w: %v: %s; someone changed or restored the table: find out who, and start a new ledger whose budget counts all of this one as spent", chain.ErrDamaged, s.location, what)
}
