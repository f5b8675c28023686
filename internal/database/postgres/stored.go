package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
)

// kind is an expression for the kind of a relation in words. It is empty for a table that the database stores.
const kind = `CASE WHEN n.nspname IN ('pg_catalog', 'information_schema') THEN 'system table' WHEN c.relkind IN ('r', 'p') THEN ''
	WHEN c.relkind = 'v' THEN 'view' WHEN c.relkind = 'm' THEN 'materialized view' WHEN c.relkind = 'f' THEN 'foreign table' ELSE 'relation of another kind' END`

// whole has a row for the first reason why a name, its partitions and those who inherit from it are not read.
const whole = `WITH RECURSIVE tree(oid, part) AS (SELECT to_regclass($1)::oid, false
	UNION SELECT i.inhrelid, true FROM pg_inherits i JOIN tree ON i.inhparent = tree.oid)
	SELECT part, kind, guarded FROM (SELECT tree.part, ` + kind + ` AS kind, NOT tree.part AND coalesce(row_security_active(tree.oid), false) AS guarded
		FROM tree LEFT JOIN pg_class c ON c.oid = tree.oid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace) AS t
	WHERE kind <> '' OR guarded ORDER BY part, kind DESC LIMIT 1`

// touched gives the kind of a relation that this transaction has used. Tables, their indexes and their long texts
// are left out. A relation that the transaction does not see is younger than the transaction. Each use holds a lock
// until the end. Numbers below 16384 belong to the catalog.
const touched = `SELECT ` + kind + ` FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE l.locktype = 'relation' AND l.pid = pg_backend_pid() AND l.relation >= 16384
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND (c.relkind IS NULL OR c.relkind NOT IN ('r', 'p', 'i', 'I', 't')) LIMIT 1`

// hold begins the transaction anew with a lock on a table, and then checks what it is. The lock comes before the
// first statement that sees rows, so the rows are those after the last change that the lock waited for.
// A stored table is read without row-level security, so PostgreSQL itself refuses what a policy would filter.
func (t Table) hold(ctx context.Context, conn *pgx.Conn, name string) error {
	_, err := conn.Exec(ctx, "ROLLBACK;"+begin+";"+serial+"; SET LOCAL row_security = off; LOCK TABLE "+name+" IN ACCESS SHARE MODE")
	switch {
	case isCode(err, "42P01") || isCode(err, "3F000") || isCode(err, "42809"): // it is gone, its schema is, or it is of a kind that has no locks
		return changed()
	case err != nil:
		return refused(ctx, err)
	}
	var part, guarded bool
	var computed string
	switch err = conn.QueryRow(ctx, whole, name).Scan(&part, &computed, &guarded); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return refused(ctx, err)
	case guarded:
		return &database.Problem{Problem: "row-level security chooses rows of this table for this user", Want: "a user to whom it shows all rows",
			Remedy: "connect as a user with the attribute BYPASSRLS; a policy can mix persons, and no certificate would show it"}
	case part:
		return &database.Problem{Problem: "some of the rows are those of a " + computed + ", as a partition or by inheritance", Want: "a table of this database",
			Remedy: "make a table of them; a " + computed + " can mix persons, and no certificate would show it"}
	}
	return database.ErrComputed(computed)
}

// held returns an error if the transaction read anything but tables that the database stores. A partition that
// was attached after the check is such a thing, unless it is a table that stood there before.
func held(ctx context.Context, conn *pgx.Conn) error {
	var computed string
	switch err := conn.QueryRow(ctx, touched).Scan(&computed); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return refused(ctx, err)
	}
	return changed()
}

// changed returns the error of a table that is another one than at the beginning.
func changed() error {
	return &database.Problem{Problem: "the table changed while it was read", Want: "a table that stays", Remedy: "try again"}
}
