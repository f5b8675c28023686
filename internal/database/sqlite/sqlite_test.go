//go:build !nosqlite && ((linux && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)) || darwin || windows || (freebsd && (amd64 || arm64)))

package sqlite_test

import (
	"context"
	"database/sql"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/databasetest"
	"github.com/ditherml/dither/internal/database/sqlite"
)

// TestErrorsQuoteNoCell wants the driver's text for a query that cannot be prepared, and a sentence
// without cells for each query that fails while it runs, in its first step too.
func TestErrorsQuoteNoCell(t *testing.T) {
	file := filepath.Join(t.TempDir(), "people.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	const table = `CREATE TABLE people (age INTEGER, name TEXT);
INSERT INTO people VALUES (31, 'secretcolumn : x'), (32, '"secretquote');
CREATE VIRTUAL TABLE notes USING fts5(body);
INSERT INTO notes VALUES ('some words')`
	if _, err = db.Exec(table); err != nil {
		t.Fatal(err)
	}
	if err = db.Close(); err != nil {
		t.Fatal(err)
	}
	const refuses, stops = "SQLite refuses it", "SQLite does not read it to its end"
	for _, c := range []struct{ query, want string }{
		{"SELECT years FROM people", refuses},
		{"SELECT age FROM people WHERE (", refuses},
		{"SELECT age, (SELECT 1 FROM notes WHERE notes MATCH people.name) FROM people", stops},
		{"SELECT age, (SELECT 1 FROM notes WHERE notes MATCH people.name) FROM people WHERE age = 32", stops},
		{"SELECT age FROM people ORDER BY (SELECT 1 FROM notes WHERE notes MATCH people.name)", stops},
		{"SELECT 1); SELECT (SELECT 1 FROM notes WHERE notes MATCH people.name) FROM (SELECT name FROM people) AS people; SELECT (1", stops},
		{"SELECT abs(-9223372036854775807 - 1) AS age FROM people", stops},
	} {
		one, invalid := sqlite.Open(sqlite.Address{File: file, Query: c.query})
		if invalid != nil {
			t.Fatal(invalid)
		}
		choose := func(columns []database.Column) ([]database.Cell, error) {
			return []database.Cell{{Column: 0, Form: database.Plain}}, nil
		}
		err = one.Read(context.Background(), choose, func(r io.Reader) error {
			_, failed := io.Copy(io.Discard, r)
			return failed
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q and no cell", c.query, err, c.want)
		}
	}
}

// TestMemory wants bounded memory while many rows are read.
func TestMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty.db")
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec("CREATE TABLE t (x)")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	many, err := sqlite.Open(sqlite.Address{File: file, Query: "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 70000) SELECT i, printf('%1000d', i) AS x FROM g"})
	if err != nil {
		t.Fatal(err)
	}
	databasetest.Bounded(t, many)
}

// TestOneMoment changes a table after a reading began, in both modes of a file, and wants the rows of the
// moment in which it began.
func TestOneMoment(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		file := filepath.Join(t.TempDir(), "people.db")
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err = db.Exec("PRAGMA journal_mode=" + mode + "; CREATE TABLE t (x INTEGER, y INTEGER); INSERT INTO t VALUES (1, 0), (2, 0)"); err != nil {
			t.Fatal(err)
		}
		one, err := sqlite.Open(sqlite.Address{File: file, Table: "t"})
		if err != nil {
			t.Fatal(err)
		}
		choose := func([]database.Column) ([]database.Cell, error) {
			for _, change := range []string{"UPDATE t SET x = 9", "ALTER TABLE t DROP COLUMN y"} {
				if _, failed := db.Exec(change); (failed == nil) != (mode == "WAL") {
					t.Errorf("%s: %s while a reading goes on: got %v, want success in mode WAL alone", mode, change, failed)
				}
			}
			return []database.Cell{{Column: 0, Form: database.Plain}, {Column: 1, Form: database.Plain}}, nil
		}
		var got strings.Builder
		err = one.Read(context.Background(), choose, func(r io.Reader) error {
			_, failed := io.Copy(&got, r)
			return failed
		})
		if err != nil || got.String() != "1,0\n2,0\n" {
			t.Errorf("%s: got %q (%v), want the rows of the moment in which the reading began", mode, got.String(), err)
		}
	}
}
