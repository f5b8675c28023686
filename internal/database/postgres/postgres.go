// Package postgres reads tables and queries of PostgreSQL as CSV text.
//
// The server itself writes the text, by COPY in a read-only transaction that sees one moment of the
// database. Rows pass through buffers of fixed size, so the memory does not depend on their number.
package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
)

// bufferBytes is the size of the buffer between the server and the reader of the text.
const bufferBytes = 256 << 10

// Table is a table or query of one database. It implements [database.Table].
type Table struct {
	address Address
	stored  bool
}

var _ database.Table = Table{}

// Open returns the table or query that the address names. It does not connect.
func Open(a Address) (Table, error) {
	if (a.Table == "") == (a.Query == "") {
		return Table{}, errors.New("the database is named without a table or query, or with both, want --table NAME or --query \"select …\"")
	}
	return Table{address: a}, database.CheckQuery(a.Query)
}

// Name returns the name of the table, or the text of the query.
func (t Table) Name() string {
	if t.address.Query != "" {
		return database.QueryName(t.address.Query)
	}
	return database.TableName(t.address.Table)
}

// Stored is [database.Table.Stored].
func (t Table) Stored() (database.Table, error) {
	if t.address.Query != "" {
		return nil, database.ErrComputed("query")
	}
	t.stored = true
	return t, nil
}

// begin starts a transaction that sees one moment and writes nothing. Dates and numbers are written
// in one way, whatever the settings of the server are. A table is read in the order of its pages, so
// that two readings of an unchanged table agree.
const begin = `BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
	SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL TimeZone = 'UTC'; SET LOCAL extra_float_digits = 1; SET LOCAL synchronize_seqscans = off`

// serial keeps the order of the pages where several processes would read a table.
const serial = `SET LOCAL max_parallel_workers_per_gather = 0`

// Read is [database.Table.Read].
func (t Table) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	conn, query, columns, err := t.describe(ctx)
	if err != nil {
		return err
	}
	defer closed(conn)
	cells, err := choose(columns)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	var check func(context.Context, *pgx.Conn) error
	if t.stored {
		check = held
	}
	return copied(ctx, conn, statement(query, columns, cells), take, check)
}

// connect opens a connection and begins the transaction.
func (t Table) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, t.address.config.Copy())
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	settings := begin
	if t.address.Query == "" {
		settings += ";" + serial
	}
	if _, err = conn.Exec(ctx, settings); err != nil {
		closed(conn)
		return nil, refused(ctx, err)
	}
	return conn, nil
}

// describe connects and returns the query of the table with its columns. It reads no row.
func (t Table) describe(ctx context.Context) (conn *pgx.Conn, query string, columns []database.Column, err error) {
	if conn, err = t.connect(ctx); err != nil {
		return nil, "", nil, err
	}
	if query, err = t.text(ctx, conn); err == nil {
		columns, err = columnsOf(ctx, conn, query)
	}
	if err != nil {
		closed(conn)
		return nil, "", nil, err
	}
	return conn, query, columns, nil
}

// text returns the query that reads the table.
func (t Table) text(ctx context.Context, conn *pgx.Conn) (string, error) {
	if t.address.Query != "" {
		return strings.TrimRight(strings.TrimSpace(t.address.Query), "; \t\r\n"), nil
	}
	name, err := t.resolve(ctx, conn)
	if err == nil && t.stored {
		err = t.hold(ctx, conn, name)
	}
	return "SELECT * FROM " + name, err
}

// named finds a table by its exact name, or by a name as SQL writes it, with a schema perhaps.
const named = `SELECT format('%I.%I', n.nspname, c.relname), ` + kind + ` FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND c.oid = coalesce(to_regclass(quote_ident($1)), to_regclass($1))`

// others lists the tables that a name could have meant.
const others = `SELECT coalesce(string_agg(name, ', '), '') FROM (SELECT quote_ident(relname) AS name FROM pg_class
	WHERE relkind IN ('r', 'v', 'm', 'p', 'f') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
	AND pg_table_is_visible(oid) AND has_table_privilege(oid, 'SELECT') ORDER BY 1 LIMIT 8) AS tables`

// resolve returns the name of a table as SQL writes it, with its schema.
func (t Table) resolve(ctx context.Context, conn *pgx.Conn) (name string, err error) {
	var computed string
	err = conn.QueryRow(ctx, named, t.address.Table).Scan(&name, &computed)
	switch {
	case err == nil && computed != "" && t.stored:
		return "", database.ErrComputed(computed)
	case err == nil:
		return name, nil
	case isCode(err, "42602"): // SQL cannot read the name, so no table has it
		if _, err = conn.Exec(ctx, "ROLLBACK;"+begin); err != nil {
			return "", refused(ctx, err)
		}
	case !errors.Is(err, pgx.ErrNoRows):
		return "", refused(ctx, err)
	}
	p := &database.Problem{Problem: "the database has no such table", Want: "the name of a table or view", Remedy: "check the name and the database"}
	var found string
	if conn.QueryRow(ctx, others, pgx.QueryExecModeSimpleProtocol).Scan(&found) == nil && found != "" {
		p.Remedy = "there are " + found
	}
	return "", p
}

// closed gives up a connection. The server ends the session of a connection that is gone.
func closed(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// copied passes the rows of a COPY statement to take. It returns after both ends have stopped. If check is given,
// it is called after the last row, and its error is the end of the text. No reader stops before it then.
func copied(ctx context.Context, conn *pgx.Conn, statement string, take func(io.Reader) error, check func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		buffer := bufio.NewWriterSize(w, bufferBytes)
		_, err := conn.PgConn().CopyTo(ctx, buffer, statement)
		if err == nil {
			err = buffer.Flush()
		} else {
			err = refused(ctx, err)
		}
		if err == nil && check != nil {
			err = check(ctx, conn)
		}
		_ = w.CloseWithError(err) // nil ends the text
	}()
	err := take(r)
	if err == nil && check != nil {
		_, err = io.Copy(io.Discard, r)
	}
	_ = r.CloseWithError(errEnough)
	cancel()
	<-stopped
	return err
}

// errEnough ends a reading whose rows nobody wants any more.
var errEnough = fmt.Errorf("enough")
