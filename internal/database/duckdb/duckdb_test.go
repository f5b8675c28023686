//go:build duckdb && cgo

package duckdb_test

import (
	"context"
	"database/sql"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/duckdb"
)

// file makes a file with these statements.
func file(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err = db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// all chooses every column in a form.
func all(form database.Form) func([]database.Column) ([]database.Cell, error) {
	return func(columns []database.Column) (cells []database.Cell, _ error) {
		for i, c := range columns {
			cell := database.Cell{Column: i, Form: form, Bools: [2]string{"no", "it's yes"}, Elements: 2, Element: 1}
			if c.Kind == database.Unread {
				cell.Form = database.Empty
			}
			cells = append(cells, cell)
		}
		return cells, nil
	}
}

// read returns the text of a table or query.
func read(ctx context.Context, address database.File, choose func([]database.Column) ([]database.Cell, error)) (string, error) {
	table, err := duckdb.Open(address)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = table.Read(ctx, choose, func(r io.Reader) error {
		_, failed := io.Copy(&b, r)
		return failed
	})
	return b.String(), err
}

// TestExactCells reads floating-point numbers as levels or keys: numbers that may be others, rounded, are missing.
func TestExactCells(t *testing.T) {
	path := file(t, "CREATE TABLE t AS SELECT x::DOUBLE AS a, x::FLOAT AS b, 9007199254740993::BIGINT AS c FROM (VALUES (9007199254740992), ('Infinity'::DOUBLE), ('NaN'::DOUBLE), (0.5)) v(x)")
	exact := func(columns []database.Column) (cells []database.Cell, _ error) {
		for i := range columns {
			cells = append(cells, database.Cell{Column: i, Form: database.Plain, Exact: true})
		}
		return cells, nil
	}
	const want = ",,9007199254740993\n,,9007199254740993\n,,9007199254740993\n0.5,0.5,9007199254740993\n"
	if got, err := read(t.Context(), database.File{File: path, Table: "t"}, exact); err != nil || got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// TestTypes reads a cell of every type in every form.
func TestTypes(t *testing.T) {
	path := file(t, "CREATE TYPE mood AS ENUM ('sad', 'glad')",
		`CREATE TABLE t AS SELECT 1::TINYINT AS a, 2::HUGEINT AS b, 1.50::DECIMAL(10,2) AS c, 0.1::DOUBLE AS d, 0.1::FLOAT AS e, true AS f, 'glad'::mood AS g, 'a "b", c' AS h,
		DATE '2020-02-29' AS k, TIMESTAMP '2020-02-29 12:30:00.5' AS l, TIMESTAMPTZ '2020-02-29 12:30:00+02' AS m, NULL::INTEGER AS o, '' AS p, false AS q, 'x'::BLOB AS r`,
		"CREATE TABLE lists AS SELECT * FROM (VALUES ([1.5, 2]), ([7, NULL]), (NULL), ([1])) v(x)", "CREATE VIEW v AS SELECT a, f FROM t", `CREATE TABLE hidden AS SELECT 5 AS rowid, 1 AS y`)
	if !duckdb.Is(path) {
		t.Error("the file is not recognized")
	}
	for _, c := range []struct {
		address database.File
		form    database.Form
		want    string
	}{
		{database.File{Table: "T"}, database.Plain, `1,2,1.50,0.1,0.1,it's yes,glad,"a ""b"", c",2020-02-29,2020-02-29 12:30:00.5,2020-02-29 10:30:00+00,,,no,` + "\n"},
		{database.File{Query: "SELECT k, l, m FROM t; "}, database.Number, "18321,1582979400.5,1582972200.0\n"},
		{database.File{Query: "SELECT DATE 'infinity' AS k, TIMESTAMP '-infinity' AS l"}, database.Number, ",\n"},
		{database.File{Table: "lists"}, database.Element, "2.0\n\"\"\n\"\"\nanother length\n"},
		{database.File{Table: "main.v"}, database.Plain, "1,it's yes\n"},
		{database.File{Table: "hidden"}, database.Plain, "5,1\n"},
		{database.File{Query: "VALUES (1), (NULL), (3)"}, database.Plain, "1\n\"\"\n3\n"},
	} {
		c.address.File = path
		if got, err := read(t.Context(), c.address, all(c.form)); err != nil || got != c.want {
			t.Errorf("%+v: got  %q (%v)\nwant %q", c.address, got, err, c.want)
		}
	}
}

// TestParts reads a table of several parts in its order, and a table without rows.
func TestParts(t *testing.T) {
	path := file(t, "CREATE TABLE t AS SELECT range AS x, 0 AS y FROM range(300000)", "DELETE FROM t WHERE x BETWEEN 100000 AND 200000", "CREATE TABLE empty (x INTEGER, y INTEGER)")
	got, err := read(t.Context(), database.File{File: path, Table: "t"}, all(database.Plain))
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if err != nil || len(lines) != 199_999 || lines[99_999] != "99999,0" || lines[100_000] != "200001,0" || lines[199_998] != "299999,0" {
		t.Errorf("got %d rows (%v), want 199999 in order", len(lines), err)
	}
	if got, err = read(t.Context(), database.File{File: path, Table: "empty"}, all(database.Plain)); err != nil || got != "" {
		t.Errorf("no rows: got %q (%v)", got, err)
	}
}

// TestFaults wants one line without a cell, nothing read outside of the file, and nothing written.
func TestFaults(t *testing.T) {
	path := file(t, "CREATE TABLE t AS SELECT 'secret-cell' AS x, 1 AS y")
	for query, want := range map[string]string{
		"SELECT nothing FROM t":                   "DuckDB refuses it: ",
		"SELEC 1":                                 "DuckDB refuses it: ",
		"SELECT 1 AS a) AS b; DROP TABLE t; --":   "",
		"SELECT x::INTEGER AS x, y FROM t":        "DuckDB does not read it to its end",
		"SELECT error(x) AS x, y FROM t":          "DuckDB does not read it to its end",
		"SELECT * FROM read_csv('/etc/hostname')": "",
		"DELETE FROM t RETURNING x":               "",
	} {
		got, err := read(t.Context(), database.File{File: path, Query: query}, all(database.Plain))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret-cell") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %q and %v, want one line with %q and without the cell", query, got, err, want)
		}
	}
	if _, err := read(t.Context(), database.File{File: path, Table: "u"}, all(database.Plain)); err == nil || !strings.Contains(err.Error(), "there are t") {
		t.Errorf("got %v, want the tables that are there", err)
	}
	if got, err := read(t.Context(), database.File{File: path, Table: "t"}, all(database.Plain)); err != nil || got != "secret-cell,1\n" {
		t.Errorf("got %q (%v), want a table that no query changed", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := read(ctx, database.File{File: path, Query: "SELECT count(*) AS x FROM range(100000000000) a, range(100000) b"}, all(database.Plain)); err == nil {
		t.Error("a query without end was read")
	}
}

// TestDeclared reads what the catalog declares.
func TestDeclared(t *testing.T) {
	path := file(t, "CREATE TYPE mood AS ENUM ('sad', 'glad')", "CREATE TABLE t (id INTEGER PRIMARY KEY, age INTEGER NOT NULL CHECK (age BETWEEN 0 AND 120), mood mood, sex VARCHAR CHECK (sex IN ('f', 'm')))", "COMMENT ON COLUMN t.age IS 'in years'")
	table, err := duckdb.Open(database.File{File: path, Table: "t"})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := table.Declared(t.Context())
	if err != nil || len(got) != 4 {
		t.Fatalf("got %+v (%v), want 4 columns", got, err)
	}
	if !got[0].Key || !got[1].Required || got[1].Upper != 120 || got[1].Comment != "in years" || strings.Join(got[2].Levels, " ") != "sad glad" || strings.Join(got[3].Levels, " ") != "f m" {
		t.Errorf("got %+v", got)
	}
}

// TestStored reads a table that must be stored in the file, and refuses a view.
func TestStored(t *testing.T) {
	path := file(t, "CREATE TABLE t AS SELECT 1 AS x, 2 AS y", "CREATE VIEW v AS SELECT x, sum(y) AS y FROM t GROUP BY x")
	for name, want := range map[string]string{"T": "", "v": "the rows are those of a view, want a table of this database"} {
		got, err := read(t.Context(), database.File{File: path, Table: name, Stored: true}, all(database.Plain))
		if want == "" && (err != nil || got != "1,2\n") || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, want)
		}
	}
}
