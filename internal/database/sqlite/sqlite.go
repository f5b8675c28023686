// Package sqlite reads tables and queries of SQLite files as CSV text.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/rows"
	"github.com/ditherml/dither/internal/display"
)

// prefix marks the name of a file of SQLite, which may be followed by ?table=NAME or ?query=SQL.
const prefix = "sqlite:"

// magic are the first bytes of such a file.
const magic = "SQLite format 3\x00"

// Is reports whether a path names a file of SQLite: by its prefix, or by its first bytes.
func Is(path string) bool {
	return strings.HasPrefix(path, prefix) || IsFile(path)
}

// IsFile reports whether a file has the first bytes of SQLite.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == magic
}

// Built reports whether this build reads files of SQLite.
func Built() bool { return slices.Contains(sql.Drivers(), "sqlite") }

// Address is a file, with the table or query that its name is followed by.
type Address = database.File

// Parse returns the address in a path.
func Parse(path string) (Address, error) { return database.ParseFile(path, prefix) }

// Table is a table or query of a file. It implements [database.Table].
type Table struct{ address Address }

var _ database.Table = Table{}

// Open returns the table or query that the address names. It opens no file.
func Open(a Address) (Table, error) { return Table{a}, a.Check() }

// Name is [database.Table.Name].
func (t Table) Name() string { return t.address.Name() }

// Stored is [database.Table.Stored].
func (t Table) Stored() (database.Table, error) {
	a, err := t.address.OnlyStored()
	return Table{a}, err
}

// query opens the file for reading and returns the query of the table.
func (t Table) query(ctx context.Context) (q rows.Query, err error) {
	if _, err = os.Stat(t.address.File); err != nil {
		return q, &database.Problem{Problem: display.Printable(t.address.File) + " cannot be opened", Want: "a file of SQLite", Remedy: "check its name", Err: err}
	}
	if !Built() {
		return q, &database.Problem{Problem: "this build of dither reads no SQLite", Want: "a build for a system that its driver supports, without the tag nosqlite", Remedy: "go build ./cmd/dither; or export the table as CSV"}
	}
	if q.DB, err = sql.Open("sqlite", place(t.address.File, "mode=ro&_pragma=query_only(1)&_pragma=trusted_schema(0)")); err != nil {
		return q, failed(err)
	}
	q.Shown, q.Failed = t.Name(), failed
	if q.Text = strings.TrimRight(strings.TrimSpace(t.address.Query), "; \t\r\n"); q.Text == "" {
		var name string
		if name, err = t.resolve(ctx, q.DB); err == nil && t.address.Stored {
			q.Check = func(ctx context.Context, tx *sql.Tx) error { return ordinary(ctx, tx, name) }
			err = ordinary(ctx, q.DB, name)
		}
		q.Text = "SELECT * FROM main." + quote(name)
	}
	if err != nil {
		_ = q.DB.Close()
		return q, err
	}
	q.Describe = "SELECT * FROM (" + q.Text + "\n) LIMIT 0"
	if err = prepared(ctx, q); err != nil {
		_ = q.DB.Close()
		return q, err
	}
	return q, nil
}

// place returns the address of a file for the driver.
func place(file, settings string) string {
	if !strings.HasPrefix(file, "/") {
		return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: settings}).String()
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: settings}).String()
}

// prepared returns the error of preparing a query. EXPLAIN prepares it and runs none of it, so this
// text quotes no cell. The driver runs each statement of a text, so a text with a semicolon is left out.
func prepared(ctx context.Context, q rows.Query) error {
	if strings.Contains(q.Text, ";") {
		return nil
	}
	steps, err := q.DB.QueryContext(ctx, "EXPLAIN "+q.Describe)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refused(err)
	}
	return steps.Close()
}

// refused returns the error of preparing a query.
func refused(err error) error {
	text := err.Error()
	for _, known := range []string{"no such column", "no such table", "no such function", "syntax error", "incomplete input"} {
		if strings.Contains(text, known) {
			return &database.Problem{Problem: "SQLite refuses it: " + display.OneLine(text), Want: "a query that SQLite runs", Remedy: "try it in sqlite3"}
		}
	}
	return failed(err)
}

// failed returns the error of a running query without the text of the driver, which may quote a cell.
func failed(error) error {
	return &database.Problem{Problem: "SQLite does not read it to its end", Want: "a whole file of SQLite that is not locked, and a query that only reads", Remedy: "try it in sqlite3, which shows the message; it may quote a record"}
}

// resolve returns the name of the table as the file writes it.
func (t Table) resolve(ctx context.Context, db *sql.DB) (string, error) {
	found, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", failed(err)
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		if err = found.Scan(&name); err != nil {
			return "", failed(err)
		}
		if strings.EqualFold(name, t.address.Table) {
			return name, nil
		}
		names = append(names, display.Printable(name))
	}
	if err = found.Err(); err != nil {
		return "", failed(err)
	}
	p := &database.Problem{Problem: "the database has no such table", Want: "the name of a table or view", Remedy: "check the name and the database"}
	if len(names) > 0 {
		p.Remedy = "there are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	return "", p
}

// kinds gives the kind of a table. It reads sqlite_schema too, so that the transaction sees one moment from
// then on. The list of tables follows the statements that made them, whatever sqlite_schema calls them.
const kinds = "SELECT l.type FROM (SELECT 1 FROM main.sqlite_schema LIMIT 1), pragma_table_list AS l WHERE l.schema = 'main' AND l.name = ? COLLATE NOCASE"

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, arguments ...any) *sql.Row
}

// ordinary returns an error unless a name is that of an ordinary table.
func ordinary(ctx context.Context, in queryer, name string) error {
	var kind string
	switch err := in.QueryRowContext(ctx, kinds, name).Scan(&kind); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sql.ErrNoRows):
		return &database.Problem{Problem: "the table is gone", Want: "a table that stays while it is read", Remedy: "try again"}
	case err != nil:
		return failed(err)
	case kind == "table":
		return nil
	case kind == "view":
		return database.ErrComputed(kind)
	default:
		return database.ErrComputed(kind + " table")
	}
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Read is [database.Table.Read].
func (t Table) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	q, err := t.query(ctx)
	if err != nil {
		return err
	}
	defer q.DB.Close()
	return q.Read(ctx, choose, take)
}

// Declared is [database.Table.Declared]. A query has no declarations.
func (t Table) Declared(ctx context.Context) ([]database.Declared, string, error) {
	q, err := t.query(ctx)
	if err != nil {
		return nil, "", err
	}
	defer q.DB.Close()
	if t.address.Query != "" {
		return q.Declared(ctx)
	}
	var statement string
	_ = q.DB.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", t.address.Table).Scan(&statement) // a view has none
	found, err := q.DB.QueryContext(ctx, fmt.Sprintf("SELECT name, \"notnull\", pk, (SELECT count(*) FROM pragma_table_info(%[1]s) WHERE pk > 0) FROM pragma_table_info(%[1]s) ORDER BY cid", literal(t.address.Table)))
	if err != nil {
		return nil, "", failed(err)
	}
	defer found.Close()
	var out []database.Declared
	for found.Next() {
		var name string
		var required bool
		var key, keys int
		if err = found.Scan(&name, &required, &key, &keys); err != nil {
			return nil, "", failed(err)
		}
		d := database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1), Required: required, Key: key > 0 && keys == 1}
		d.CheckTable(statement, name)
		out = append(out, d)
	}
	if err = found.Err(); err != nil {
		return nil, "", failed(err)
	}
	return out, "", nil
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
