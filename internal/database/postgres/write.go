package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/failure"
)

// Field is a column of a table that is written.
type Field struct{ Name, Type string }

// patience is the time that a commit may take after an interruption.
const patience = 30 * time.Second

// Write writes the rows that fill writes as CSV text with a header, in the order of the fields, into
// the table of an address. It makes the table if there is none. It refuses a table with rows, unless
// they are to be replaced. All of it is one transaction: after an error the table is as it was.
func Write(ctx context.Context, a Address, replace bool, fields []Field, fill func(io.Writer) error) error {
	conn, err := pgx.ConnectConfig(ctx, a.config.Copy())
	if err != nil {
		return unreachable(ctx, err)
	}
	defer closed(conn)
	name := pgx.Identifier(strings.Split(a.Table, ".")).Sanitize()
	if err = prepare(ctx, conn, name, replace, fields); err != nil {
		return err
	}
	if err = pour(ctx, conn, name, fields, fill); err != nil {
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if _, err = conn.Exec(last, "COMMIT"); err != nil {
		var server *pgconn.PgError
		if errors.As(err, &server) {
			return unwritten(ctx, err)
		}
		return &database.Problem{Problem: "the connection was lost at the end, and nobody knows whether the rows are in the table", Want: "a look at it",
			Remedy: "it has all rows or none of them", Err: failure.Running(errors.New("connection lost"))}
	}
	return nil
}

// described says of a table whether it exists, and whether it is a foreign table or has a foreign
// partition or child. It also says whether this user may only insert rows. PostgreSQL lets such a user
// take no lock that other writers wait for.
const described = `SELECT c.oid IS NOT NULL, EXISTS (WITH RECURSIVE heirs AS (SELECT c.oid UNION SELECT inhrelid FROM pg_inherits JOIN heirs ON inhparent = heirs.oid)
		SELECT FROM heirs JOIN pg_class AS of ON of.oid = heirs.oid AND of.relkind = 'f'),
	coalesce(has_table_privilege(c.oid, 'INSERT') AND NOT has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE'), false)
	FROM (SELECT to_regclass($1)::oid AS oid) AS named LEFT JOIN pg_class AS c USING (oid)`

// advisory is the upper half of the keys of the locks on tables that predictions are written into. The
// lower half is the number of the table.
const advisory = 0x646974 // "dit"

// prepare begins the transaction, and makes the table or checks it.
func prepare(ctx context.Context, conn *pgx.Conn, name string, replace bool, fields []Field) error {
	var exists, foreign, inserts, filled bool
	_, err := conn.Exec(ctx, "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL TimeZone = 'UTC'")
	if err == nil {
		err = conn.QueryRow(ctx, described, name).Scan(&exists, &foreign, &inserts)
	}
	if err == nil && foreign {
		return &database.Problem{Problem: "the table is a foreign one, or has a foreign partition or child", Want: "a table of this server, because another server may keep a part of the rows after an error",
			Remedy: "name a new table, and copy its rows with INSERT INTO … SELECT"}
	}
	if err == nil && !exists {
		var columns []string
		for _, f := range fields {
			columns = append(columns, identifier(f.Name)+" "+f.Type)
		}
		_, err = conn.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", ")))
	}
	if err == nil && exists { // another run of dither waits here until this transaction ends
		_, err = conn.Exec(ctx, "SELECT pg_advisory_xact_lock($1::int8 << 32 | to_regclass($2)::oid::int8)", advisory, name)
	}
	if err == nil && exists && !inserts { // and here every other writer
		_, err = conn.Exec(ctx, fmt.Sprintf("LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE", name))
	}
	if err == nil && exists {
		err = conn.QueryRow(ctx, fmt.Sprintf("SELECT EXISTS (SELECT FROM %s)", name), pgx.QueryExecModeSimpleProtocol).Scan(&filled)
	}
	var server *pgconn.PgError
	switch {
	case !exists && errors.As(err, &server) && (server.Code == "42P07" || server.Code == "23505"):
		return &database.Problem{Problem: "the table was just made by another", Want: "a table that nobody else writes", Remedy: "nothing was written; look at the table, or name a new one",
			Err: failure.Running(errors.New("unwritten"))}
	case err != nil:
		return unwritten(ctx, err)
	case filled && !replace:
		return &database.Problem{Problem: "the table has rows", Want: "a table without rows, or a new name", Remedy: "--replace deletes them"}
	case filled:
		if _, err = conn.Exec(ctx, "DELETE FROM "+name); err != nil {
			return unwritten(ctx, err)
		}
	}
	return nil
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }

// pour copies the rows into the table.
func pour(ctx context.Context, conn *pgx.Conn, name string, fields []Field, fill func(io.Writer) error) error {
	var names []string
	for _, f := range fields {
		names = append(names, identifier(f.Name))
	}
	r, w := io.Pipe()
	filled, counted := make(chan error, 1), counter{to: w}
	go func() {
		err := fill(&counted)
		_ = w.CloseWithError(err)
		filled <- err
	}()
	taken, err := conn.PgConn().CopyFrom(ctx, r, fmt.Sprintf("COPY %s (%s) FROM STDIN (FORMAT csv, HEADER, ENCODING 'UTF8')", name, strings.Join(names, ", ")))
	_ = r.CloseWithError(errEnough)
	if failed := <-filled; failed != nil && !errors.Is(failed, errEnough) {
		return failed
	}
	if err != nil {
		return unwritten(ctx, err)
	}
	if taken.RowsAffected() != counted.lines-1 { // without the header
		return &database.Problem{Problem: "the table does not keep every row, as a trigger may decide", Want: "a table that takes every row", Remedy: "nothing was written; name another table",
			Err: failure.Running(errors.New("unwritten"))}
	}
	return nil
}

// counter counts the rows of a CSV text that it passes on. A line within quotes ends no row.
type counter struct {
	to     io.Writer
	quoted bool
	lines  int64
}

// Write passes the text on.
func (c *counter) Write(text []byte) (int, error) {
	for _, b := range text {
		switch {
		case b == '"':
			c.quoted = !c.quoted
		case b == '\n' && !c.quoted:
			c.lines++
		}
	}
	return c.to.Write(text)
}

// unwritten returns the error of a server that takes no rows. Its message may quote a cell.
func unwritten(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return &database.Problem{Problem: "the connection to the database was lost", Want: "a server that takes every row", Remedy: "nothing was written; try again",
			Err: failure.Running(errors.New("connection lost"))}
	}
	p := &database.Problem{Problem: "the server does not write it (SQLSTATE " + server.Code + ")", Want: "a table for these columns", Remedy: "nothing was written; look at the table, or name a new one",
		Err: failure.Running(errors.New("unwritten"))}
	switch code := server.Code; {
	case code == "42501":
		p.Problem, p.Want, p.Err = "this user may not write it", "a user with the rights SELECT and INSERT on the table, with DELETE too for --replace, or CREATE on the schema for a new table", nil
		p.Remedy = "nothing was written; have them granted, or connect as another user"
	case code == "42809":
		p.Problem, p.Want, p.Err = "it takes no rows, as a view or an index does not", "an ordinary table", nil
	case strings.HasPrefix(code, "57P"):
		p.Problem, p.Want, p.Remedy = "the server ended the connection (SQLSTATE "+code+")", "a server that takes every row", "nothing was written; try again"
	case code == "3F000":
		p.Problem, p.Want, p.Err = "the database has no such schema", "the name of one that is there", nil
	case code == "42703" || code == "42804":
		p.Problem, p.Err = "the table has other columns, or its rules name some (SQLSTATE "+code+")", nil
	case code == "25006":
		p.Problem, p.Want, p.Err = "the server only reads", "one that writes", nil
	case strings.HasPrefix(code, "22"):
		p.Problem = "a cell does not fit the type of its column (SQLSTATE " + code + ")"
	case strings.HasPrefix(code, "23"):
		p.Problem = "a row breaks a condition of the table (SQLSTATE " + code + ")"
	}
	return p
}
