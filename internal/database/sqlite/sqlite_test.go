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

// TestExactCells reads floating-point numbers as levels or keys: numbers that may be others, rounded, are missing.
func TestExactCells(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exact.db")
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec("CREATE TABLE t (x REAL, n INTEGER); INSERT INTO t VALUES (9007199254740992.0, 9007199254740993), (-9007199254740991.0, 2), (9e999, 3), (0.5, 4)")
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	one, err := sqlite.Open(sqlite.Address{File: file, Table: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for exact, want := range map[bool]string{true: ",9007199254740993\n-9007199254740991,2\n,3\n0.5,4\n", false: "9007199254740992,9007199254740993\n-9007199254740991,2\n+Inf,3\n0.5,4\n"} {
		choose := func([]database.Column) ([]database.Cell, error) {
			return []database.Cell{{Column: 0, Form: database.Plain, Exact: exact}, {Column: 1, Form: database.Plain, Exact: exact}}, nil
		}
		var got strings.Builder
		err = one.Read(context.Background(), choose, func(r io.Reader) error {
			_, failed := io.Copy(&got, r)
			return failed
		})
		if err != nil || got.String() != want {
			t.Errorf("exact %v: got %q (%v), want %q", exact, got.String(), err, want)
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

// stored returns the rows of a table that must be stored in the file.
func stored(t *testing.T, file, name string) (string, error) {
	t.Helper()
	one, err := sqlite.Open(sqlite.Address{File: file, Table: name})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := one.Stored()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err = kept.Read(t.Context(), func(columns []database.Column) (cells []database.Cell, _ error) {
		for i := range columns {
			cells = append(cells, database.Cell{Column: i, Form: database.Plain})
		}
		return cells, nil
	}, func(r io.Reader) error {
		_, failed := io.Copy(&got, r)
		return failed
	})
	return got.String(), err
}

// TestStored reads ordinary tables, and refuses views, virtual tables whose rows a view computes, and the tables
// below them. The list of a file's tables calls each of them a table, but for the view.
func TestStored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "people.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = db.Exec(`CREATE TABLE visits (id TEXT, n INTEGER); INSERT INTO visits VALUES ('a', 1), ('b', 100);
		CREATE TABLE "Keyed É" (id TEXT PRIMARY KEY, n INTEGER, m AS (n + 1)) WITHOUT ROWID; INSERT INTO "Keyed É" VALUES ('a', 1);
		CREATE VIEW mixed AS SELECT rowid, id, (SELECT sum(n) FROM visits) AS n FROM visits;
		CREATE VIRTUAL TABLE computed USING fts5(id, n, content = 'mixed'); CREATE VIRTUAL TABLE own USING fts5(id, n); INSERT INTO own SELECT id, n FROM mixed;
		CREATE TRIGGER visits AFTER INSERT ON visits BEGIN SELECT 1; END`); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"VISITS": "a,1\nb,100\n", "keyed é": "a,1,2\n"} {
		if got, failure := stored(t, file, name); failure != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", name, got, failure, want)
		}
	}
	for name, kind := range map[string]string{"mixed": "view", "computed": "virtual table", "OWN": "virtual table", "own_content": "shadow table"} {
		got, failure := stored(t, file, name)
		if want := "the rows are those of a " + kind + ", want a table of this database"; failure == nil || !strings.HasPrefix(failure.Error(), want) || got != "" {
			t.Errorf("%s: got %q (%v), want %q", name, got, failure, want)
		}
	}
}

// TestMomentsOfDates: SQLite stores any value in a column of dates, so moments keep their times.
func TestMomentsOfDates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = db.Exec("CREATE TABLE t (day DATE, at DATETIME); INSERT INTO t VALUES ('2024-01-01', '2024-01-01 10:00:00.0000001'), ('2024-01-01 10:00:00', '2024-01-01 10:00:00.0000002')"); err != nil {
		t.Fatal(err)
	}
	if err = db.Close(); err != nil {
		t.Fatal(err)
	}
	table, err := sqlite.Open(sqlite.Address{File: file, Table: "t"})
	if err != nil {
		t.Fatal(err)
	}
	choose := func([]database.Column) ([]database.Cell, error) {
		return []database.Cell{{Column: 0, Form: database.Plain}, {Column: 0, Form: database.Number}, {Column: 1, Form: database.Plain}}, nil
	}
	var text []byte
	err = table.Read(context.Background(), choose, func(r io.Reader) (failed error) {
		text, failed = io.ReadAll(r)
		return failed
	})
	const want = "2024-01-01,19723,2024-01-01 10:00:00.0000001\n2024-01-01 10:00:00,1704103200,2024-01-01 10:00:00.0000002\n"
	if err != nil || string(text) != want {
		t.Errorf("got %q and %v, want %q", text, err, want)
	}
}
