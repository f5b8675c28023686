// Package duckdb reads tables and queries of DuckDB files as CSV text.
//
// The database itself writes the cells as texts. Its driver keeps the result of a query in memory, so a
// table is read in parts of many rows. The file is opened for reading only, and a query reaches nothing
// outside of it.
package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/rows"
	"github.com/ditherml/dither/internal/display"
)

// prefix marks the name of a DuckDB file, which may be followed by ?table=NAME or ?query=SQL.
const prefix = "duckdb:"

const (
	// magic stands in each DuckDB file, after magicAt bytes.
	magic   = "DUCK"
	magicAt = 8
	// partRows is the number of rows of a table that are read together. DuckDB stores as many together.
	partRows = 122_880
)

// Is reports whether a path names a DuckDB file: by its prefix, or by its first bytes.
func Is(path string) bool {
	if strings.HasPrefix(path, prefix) {
		return true
	}
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
	_, err = f.ReadAt(head[:], magicAt)
	return err == nil && string(head[:]) == magic
}

// Built reports whether this build reads DuckDB files.
func Built() bool { return slices.Contains(sql.Drivers(), "duckdb") }

// Parse returns the address in a path.
func Parse(path string) (database.File, error) { return database.ParseFile(path, prefix) }

// Table is a table or query of a file. It implements [database.Table].
type Table struct{ address database.File }

var _ database.Table = Table{}

// Open returns the table or query that the address names. It opens no file.
func Open(a database.File) (Table, error) { return Table{a}, a.Check() }

// Name is [database.Table.Name].
func (t Table) Name() string { return t.address.Name() }

// Stored is [database.Table.Stored].
func (t Table) Stored() (database.Table, error) {
	a, err := t.address.OnlyStored()
	return Table{a}, err
}

// settings keep a query inside of the file: it reads no other file, loads no extension, and leaves no
// rows in temporary files. The last one keeps the others as they are.
const settings = "SET temp_directory = ''; SET autoinstall_known_extensions = false; SET autoload_known_extensions = false; SET enable_external_access = false; SET lock_configuration = true"

// query opens the file and returns the query of the table.
func (t Table) query(ctx context.Context) (q rows.Query, err error) {
	if _, err = os.Stat(t.address.File); err != nil {
		return q, &database.Problem{Problem: display.Printable(t.address.File) + " cannot be opened", Want: "a DuckDB file", Remedy: "check its name", Err: err}
	}
	if !Built() {
		return q, &database.Problem{Problem: "this build of dither reads no DuckDB", Want: "a build with cgo and the tag duckdb", Remedy: "in a checkout: CGO_ENABLED=1 go build -modfile=duckdb.mod -tags duckdb ./cmd/dither; or export the table as Parquet"}
	}
	path, err := filepath.Abs(t.address.File)
	if err != nil || strings.ContainsAny(path, "?%#") {
		return q, &database.Problem{Problem: display.Printable(t.address.File) + " cannot be opened", Want: "a name without ?, % and #", Remedy: "rename the file, or link to it", Err: err}
	}
	if q.DB, err = sql.Open("duckdb", (&url.URL{Opaque: path, RawQuery: "access_mode=READ_ONLY"}).String()); err != nil {
		return q, failed(err)
	}
	q.Shown, q.Failed, q.Kind, q.Guarded = t.Name(), failed, kindOf, true
	switch _, err = q.DB.ExecContext(ctx, settings); {
	case err == nil:
		err = t.complete(ctx, &q)
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = failed(err)
	}
	if err != nil {
		_ = q.DB.Close()
	}
	return q, err
}

// complete fills in the texts of a query, and returns the error of preparing it.
func (t Table) complete(ctx context.Context, q *rows.Query) error {
	parts := int64(-1)
	if q.Text = strings.TrimRight(strings.TrimSpace(t.address.Query), "; \t\r\n"); q.Text == "" {
		found, err := t.resolve(ctx, q.DB)
		if err != nil {
			return err
		}
		q.Text = "SELECT * FROM " + found.name
		if t.address.Stored {
			q.Check = func(ctx context.Context, tx *sql.Tx) error {
				again, failure := t.resolve(ctx, tx)
				if failure == nil && again.name != found.name {
					failure = &database.Problem{Problem: "the table is gone", Want: "a table that stays while it is read", Remedy: "try again"}
				}
				return failure
			}
		}
		if parts, err = found.parts(ctx, q.DB); err != nil {
			return err
		}
	}
	q.Describe = "SELECT * FROM (" + q.Text + "\n) LIMIT 0"
	q.Texts = func(columns []database.Column, cells []database.Cell) []string {
		return texts(q.Text, parts, columns, cells)
	}
	prepared, err := q.DB.PrepareContext(ctx, q.Describe)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refused(err)
	}
	return prepared.Close()
}

// refused returns the error of preparing a query, which ran no part of it. So its text quotes no cell.
func refused(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	for _, kind := range []string{"Parser Error: ", "Catalog Error: ", "Binder Error: "} {
		if _, text, is := strings.Cut(first, kind); is {
			return &database.Problem{Problem: "DuckDB refuses it: " + display.OneLine(text), Want: "a query that DuckDB runs", Remedy: "try it in duckdb"}
		}
	}
	return failed(err)
}

// failed returns the error of a running query without the text of the driver, which may quote a cell.
func failed(error) error {
	return &database.Problem{Problem: "DuckDB does not read it to its end", Want: "a whole DuckDB file that no program writes, and a query that only reads it", Remedy: "try it in duckdb, which shows the message; it may quote a record"}
}

// relation is a table or view of a file.
type relation struct {
	name, statement string // as SQL writes it, and the statement that made it
	schema, alone   string
	view            bool
}

// relations lists the tables and views of a file.
const relations = `SELECT schema_name, table_name, coalesce(sql, ''), false FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
	UNION ALL SELECT schema_name, view_name, '', true FROM duckdb_views() WHERE NOT internal AND database_name = current_database() ORDER BY 1, 2`

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
}

// resolve finds the table of the address by its name, with its schema perhaps.
func (t Table) resolve(ctx context.Context, db queryer) (out relation, err error) {
	found, err := db.QueryContext(ctx, relations)
	if err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		return out, failed(err)
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var r relation
		if err = found.Scan(&r.schema, &r.alone, &r.statement, &r.view); err != nil {
			return out, failed(err)
		}
		r.name = quote(r.schema) + "." + quote(r.alone)
		if strings.EqualFold(r.alone, t.address.Table) && (out.name == "" || r.schema == "main") || strings.EqualFold(r.schema+"."+r.alone, t.address.Table) {
			out = r
		}
		names = append(names, display.Printable(r.alone))
	}
	if err = found.Err(); err != nil {
		return out, failed(err)
	}
	if out.name != "" && out.view && t.address.Stored {
		return out, database.ErrComputed("view")
	}
	if out.name != "" {
		return out, nil
	}
	p := &database.Problem{Problem: "the database has no such table", Want: "the name of a table or view", Remedy: "check the name and the database"}
	if len(names) > 0 {
		p.Remedy = "there are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	return out, p
}

// parts returns the number of parts in which a table is read, or -1 for a relation that is read as a whole:
// a view, or a table with a column that hides the numbers of its rows.
func (r relation) parts(ctx context.Context, db *sql.DB) (int64, error) {
	if r.view {
		return -1, nil
	}
	var hides bool
	var last sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = ? AND table_name = ? AND lower(column_name) = 'rowid'", r.schema, r.alone).Scan(&hides)
	if err == nil && !hides {
		err = db.QueryRowContext(ctx, "SELECT max(rowid) FROM "+r.name).Scan(&last)
	}
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, failed(err)
	case hides:
		return -1, nil
	}
	return last.Int64/partRows + 1, nil
}

// texts returns the queries that write cells as texts: one for each part of a table, or one for all rows.
func texts(query string, parts int64, columns []database.Column, cells []database.Cell) []string {
	names := make([]string, len(columns))
	for i := range names {
		if names[i] = fmt.Sprintf("q.c%d", i); parts >= 0 {
			names[i] = quote(columns[i].Name)
		}
	}
	written := make([]string, len(cells))
	for i, c := range cells {
		written[i] = expression(names[c.Column], columns[c.Column], c)
	}
	list := "SELECT " + strings.Join(written, ", ")
	if parts < 0 {
		for i := range names {
			names[i] = fmt.Sprintf("c%d", i)
		}
		return []string{list + "\nFROM (" + query + "\n) AS q (" + strings.Join(names, ", ") + ")"}
	}
	_, from, _ := strings.Cut(query, "SELECT *")
	out := make([]string, parts)
	for k := range out {
		out[k] = fmt.Sprintf("%s%s WHERE rowid >= %d AND rowid < %d", list, from, k*partRows, (k+1)*partRows)
	}
	return out
}

// kindOf returns the kind of a type by its name.
func kindOf(name string) database.Kind {
	base, _, _ := strings.Cut(name, "(")
	element, isList := strings.CutSuffix(name, "]")
	if isList {
		base = element[:strings.LastIndexByte(element, '[')]
		base, _, _ = strings.Cut(base, "(")
	}
	numeric := slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL"}, base)
	switch {
	case isList && numeric && !strings.Contains(element, "]"):
		return database.Lists
	case isList:
		return database.Unread
	case numeric:
		return database.Numbers
	case base == "VARCHAR" || base == "ENUM" || base == "UUID":
		return database.Texts
	case base == "BOOLEAN":
		return database.Bools
	case base == "DATE":
		return database.Dates
	case strings.HasPrefix(base, "TIMESTAMP"):
		return database.Times
	}
	return database.Unread
}

// expression returns a cell as text in SQL.
func expression(x string, column database.Column, c database.Cell) string {
	moment, zone := "CAST("+x+" AS TIMESTAMP)", ""
	if strings.HasPrefix(column.Type, "TIMESTAMPTZ") || strings.Contains(column.Type, "TIME ZONE") {
		moment, zone = "make_timestamp(epoch_us("+x+"))", " || '+00'"
	}
	switch {
	case c.Form == database.Empty:
		return "NULL"
	case c.Form == database.Number && column.Kind == database.Dates:
		return fmt.Sprintf("CASE WHEN isfinite(%s) THEN CAST(date_diff('day', DATE '1970-01-01', %[1]s) AS VARCHAR) END", x)
	case c.Form == database.Number && column.Kind == database.Times:
		return fmt.Sprintf("CASE WHEN isfinite(%s) THEN CAST(epoch_us(%s) / 1e6 AS VARCHAR) END", x, moment)
	case column.Kind == database.Times:
		return fmt.Sprintf("CASE WHEN isfinite(%s) THEN CAST(%s AS VARCHAR)%s ELSE CAST(%[1]s AS VARCHAR) END", x, moment, zone)
	case c.Form == database.Element:
		return fmt.Sprintf("CASE WHEN len(%[1]s) = %[2]d THEN CAST(%[1]s[%[3]d] AS VARCHAR) WHEN %[1]s IS NOT NULL THEN %[4]s END", x, c.Elements, c.Element+1, literal(database.OtherLength))
	case column.Kind == database.Bools:
		return fmt.Sprintf("CASE WHEN %[1]s THEN %[2]s WHEN NOT %[1]s THEN %[3]s END", x, literal(c.Bools[1]), literal(c.Bools[0]))
	case c.Exact && (column.Type == "DOUBLE" || column.Type == "FLOAT"): // NaN is above all numbers
		return fmt.Sprintf("CASE WHEN abs(%s) < 9007199254740992 THEN CAST(%[1]s AS VARCHAR) END", x)
	}
	return "CAST(" + x + " AS VARCHAR)"
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Read is [database.Table.Read].
func (t Table) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	q, err := t.query(ctx)
	if err != nil {
		return err
	}
	defer q.DB.Close()
	return q.Read(ctx, choose, take)
}

// Declared is [database.Table.Declared]. A query or view has no declarations.
func (t Table) Declared(ctx context.Context) ([]database.Declared, string, error) {
	q, err := t.query(ctx)
	if err != nil {
		return nil, "", err
	}
	defer q.DB.Close()
	if t.address.Query != "" {
		return q.Declared(ctx)
	}
	r, err := t.resolve(ctx, q.DB)
	switch {
	case err != nil:
		return nil, "", err
	case r.view:
		return q.Declared(ctx)
	}
	found, err := q.DB.QueryContext(ctx, `SELECT column_name, data_type, NOT is_nullable, coalesce(comment, ''), column_name IN (SELECT constraint_column_names[1] FROM duckdb_constraints()
		WHERE schema_name = $1 AND table_name = $2 AND constraint_type = 'PRIMARY KEY' AND len(constraint_column_names) = 1)
		FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = $1 AND table_name = $2 ORDER BY column_index`, r.schema, r.alone)
	if err != nil {
		return nil, "", failed(err)
	}
	defer found.Close()
	var out []database.Declared
	for found.Next() {
		d := database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
		var name, kind string
		if err = found.Scan(&name, &kind, &d.Required, &d.Comment, &d.Key); err != nil {
			return nil, "", failed(err)
		}
		if levels, is := strings.CutPrefix(kind, "ENUM("); is {
			d.Check("x IN ("+levels, "x")
		}
		d.CheckTable(r.statement, name)
		out = append(out, d)
	}
	if err = found.Err(); err != nil {
		return nil, "", failed(err)
	}
	return out, "", nil
}
