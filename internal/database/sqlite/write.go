package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
)

// Field is a column of a table that is written. Numbers are in columns of the types INTEGER and REAL.
type Field struct{ Name, Type string }

// CanWrite returns an error if this build has no driver.
func CanWrite() error {
	if slices.Contains(sql.Drivers(), "sqlite") {
		return nil
	}
	return errors.New("this build of dither writes no SQLite, want a build for a system that its driver supports, without the tag nosqlite; go build ./cmd/dither, or write CSV or Parquet")
}

// Writing says how a table is written.
type Writing struct {
	// File is the file of SQLite, which exists, perhaps without a byte, and Table the table in it. The
	// table is made if there is none.
	File, Table string
	Fields      []Field
	// Replace deletes the rows of the table first. Without it a table with rows is refused.
	Replace bool
	// Fresh says that the file is new, and nothing but all of it counts. Then no other files are
	// written next to it, and nobody waits for the disk.
	Fresh bool
}

// Write writes the rows that fill puts, cell by cell as texts; an empty cell is NULL. All of it is
// one transaction: after an error the table is as it was. Errors of fill are returned.
func Write(ctx context.Context, w Writing, fill func(put func(cells []string) error) error) error {
	if err := CanWrite(); err != nil {
		return err
	}
	settings := "mode=rw&_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=trusted_schema(0)"
	if w.Fresh {
		settings += "&_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)"
	}
	db, err := sql.Open("sqlite", place(w.File, settings))
	if err != nil {
		return unwritten(ctx, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unwritten(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	insert, err := w.prepare(ctx, tx)
	if err != nil {
		return err
	}
	values := make([]any, len(w.Fields))
	err = fill(func(cells []string) error {
		for i, f := range w.Fields {
			values[i] = value(f.Type, cells[i])
		}
		if _, failure := insert.ExecContext(ctx, values...); failure != nil {
			return unwritten(ctx, failure)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err = tx.Commit(); err != nil {
		return unwritten(ctx, err)
	}
	return nil
}

// value returns a cell as SQLite keeps it.
func value(kind, cell string) any {
	switch {
	case cell == "":
		return nil
	case kind == "REAL":
		if v, err := strconv.ParseFloat(cell, 64); err == nil {
			return v
		}
	case kind == "INTEGER":
		if v, err := strconv.ParseInt(cell, 10, 64); err == nil {
			return v
		}
	}
	return cell
}

// prepare makes the table or checks it, and returns the statement that writes a row.
func (w Writing) prepare(ctx context.Context, tx *sql.Tx) (*sql.Stmt, error) {
	var columns, names, marks []string
	for _, f := range w.Fields {
		columns = append(columns, quote(f.Name)+" "+f.Type)
		names, marks = append(names, quote(f.Name)), append(marks, "?")
	}
	kind, filled := "", false
	err := tx.QueryRowContext(ctx, "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')", w.Table).Scan(&kind)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", quote(w.Table), strings.Join(columns, ", ")))
	case err == nil && kind == "view":
		return nil, &database.Problem{Problem: "it is a view", Want: "a table", Remedy: "nothing was written; name another table"}
	case err == nil:
		err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+quote(w.Table)+")").Scan(&filled)
	}
	switch {
	case err != nil:
		return nil, unwritten(ctx, err)
	case filled && !w.Replace:
		return nil, &database.Problem{Problem: "the table has rows", Want: "a table without rows, or a new name", Remedy: "--replace deletes them"}
	case filled:
		if _, err = tx.ExecContext(ctx, "DELETE FROM "+quote(w.Table)); err != nil {
			return nil, unwritten(ctx, err)
		}
	}
	insert, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", quote(w.Table), strings.Join(names, ", "), strings.Join(marks, ", ")))
	switch {
	case err != nil && strings.Contains(err.Error(), "has no column named"): // the text of a statement that did not run
		return nil, &database.Problem{Problem: "the table has other columns: " + display.OneLine(err.Error()), Want: "a table for these columns", Remedy: "nothing was written; name a new table"}
	case err != nil:
		return nil, unwritten(ctx, err)
	}
	return insert, nil
}

// unwritten returns the error of a table that takes no rows. The driver's text may quote a cell.
func unwritten(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := &database.Problem{Problem: "SQLite does not write it", Want: "a whole file of SQLite that can be written, with room on the disk", Remedy: "nothing was written; look at the file, or name a new one", Err: failure.Running(errors.New("unwritten"))}
	text := err.Error()
	for known, problem := range map[string]string{"constraint failed": "a row breaks a condition of the table", "database is locked": "another program writes the file", "readonly database": "the file is for reading only", "disk is full": "the disk is full"} {
		if strings.Contains(text, known) {
			p.Problem = problem
		}
	}
	return p
}
