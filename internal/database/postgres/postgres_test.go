package postgres_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/databasetest"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/pgtest"
)

var background = context.Background()

// run executes statements on a server.
func run(t testing.TB, server *pgtest.Server, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(background, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(background)
	for _, s := range statements {
		if _, err := conn.Exec(background, s); err != nil {
			t.Fatal(s, err)
		}
	}
}

// open returns a table or query of a server.
func open(t testing.TB, server *pgtest.Server, parameter, text string) postgres.Table {
	t.Helper()
	address, err := postgres.Parse(server.URL(parameter, text))
	if err != nil {
		t.Fatal(err)
	}
	table, err := postgres.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// all chooses every column that can be read.
func all(form database.Form) func([]database.Column) ([]database.Cell, error) {
	return func(columns []database.Column) ([]database.Cell, error) {
		var cells []database.Cell
		for i, c := range columns {
			if c.Kind != database.Unread {
				cells = append(cells, database.Cell{Column: i, Form: form, Bools: [2]string{"no", "it's\\yes"}, Elements: 2})
			}
		}
		return cells, nil
	}
}

// text returns the rows of a table.
func text(table postgres.Table, choose func([]database.Column) ([]database.Cell, error)) (string, error) {
	var b strings.Builder
	err := table.Read(background, choose, func(r io.Reader) error {
		_, err := io.Copy(&b, r)
		return err
	})
	return b.String(), err
}

func TestServer(t *testing.T) {
	server := pgtest.Start(t)
	t.Run("types", func(t *testing.T) { types(t, server) })
	t.Run("forms", func(t *testing.T) { forms(t, server) })
	t.Run("names", func(t *testing.T) { names(t, server) })
	t.Run("faults", func(t *testing.T) { faults(t, server) })
	t.Run("stops", func(t *testing.T) { stops(t, server) })
	t.Run("one moment", func(t *testing.T) { moment(t, server) })
	t.Run("locked", func(t *testing.T) { locked(t, server) })
	t.Run("memory", func(t *testing.T) {
		databasetest.Bounded(t, open(t, server, "query", "SELECT g, repeat('x', 1000) AS x FROM generate_series(1, 70000) g"))
	})
	t.Run("a lost server", func(t *testing.T) { lost(t, server) })
}

// types reads a row of every type, and lists the types that are refused.
func types(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TYPE mood AS ENUM ('sad', 'glad')`, `CREATE DOMAIN age AS integer CHECK (VALUE > 0)`)
	query := `SELECT 1::smallint AS a, 2::bigint AS b, 1.50::numeric(10,2) AS c, 0.1::float8 AS d, 0.1::real AS e, true AS f,
		'glad'::mood AS g, 'a "b", c'::text AS h, 'x '::char(3) AS i, 7::age AS j, '2020-02-29'::date AS k, '2020-02-29 12:30:00.5'::timestamp AS l,
		'2020-02-29 12:30:00+02'::timestamptz AS m, 'c0ffee00-0000-0000-0000-000000000000'::uuid AS n, NULL::integer AS o, '' AS p, 'NaN'::float8 AS q`
	got, err := text(open(t, server, "query", query), all(database.Plain))
	want := `1,2,1.50,0.1,0.1,it's\yes,glad,"a ""b"", c",x  ,7,2020-02-29,2020-02-29 12:30:00.5,2020-02-29 10:30:00+00,c0ffee00-0000-0000-0000-000000000000,,"",NaN` + "\n"
	if err != nil || got != want {
		t.Errorf("got  %q (%v)\nwant %q", got, err, want)
	}
	for cast, typed := range map[string]string{"'{}'::json": "json", "'a'::bytea": "bytea", "'1 day'::interval": "interval", "'12:00'::time": "time without time zone", "1::money": "money", "ARRAY['a']": "text[]", "point(1,2)": "point"} {
		_, err := text(open(t, server, "query", "SELECT "+cast+" AS x, 1 AS y"), func(columns []database.Column) ([]database.Cell, error) {
			if c := columns[0]; c.Kind != database.Unread || c.Type != typed || c.Remedy == "" {
				t.Errorf("%s: got %+v, want an unread %s with a remedy", cast, c, typed)
			}
			return []database.Cell{{}}, nil
		})
		if err != nil {
			t.Errorf("%s: %v", cast, err)
		}
	}
}

// forms reads numbers of days and seconds, elements of lists, and a missing cell that stands alone.
func forms(t *testing.T, server *pgtest.Server) {
	for query, want := range map[string]string{
		`SELECT d, m FROM (VALUES ('1970-01-11'::date, '1970-01-01 00:00:02.5'::timestamp), ('infinity', '-infinity')) v(d, m)`: "10,2.500000\n,\n",
		`SELECT '1970-01-01 01:00+01'::timestamptz`: "\"0.000000\"\n",
	} {
		if got, err := text(open(t, server, "query", query), all(database.Number)); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", query, got, err, want)
		}
	}
	exact := func(columns []database.Column) ([]database.Cell, error) {
		cells, err := all(database.Plain)(columns)
		for i := range cells {
			cells[i].Exact = true
		}
		return cells, err
	}
	run(t, server, `CREATE DOMAIN share AS float8`)
	rounded := `SELECT x::float8, x::real, x::share, (CASE WHEN abs(x) < 1e18 THEN x::float8 END)::bigint, x::text FROM (VALUES (9007199254740992::float8), (-9007199254740991), ('Infinity'), ('-Infinity'), ('NaN'), (0.5)) v(x)`
	got, err := text(open(t, server, "query", rounded), exact)
	if want := ",,,9007199254740992,9.007199254740992e+15\n-9.007199254740991e+15,,-9.007199254740991e+15,-9007199254740991,-9.007199254740991e+15\n,,,,Infinity\n,,,,-Infinity\n,,,,NaN\n0.5,0.5,0.5,0,0.5\n"; err != nil || got != want {
		t.Errorf("exact cells: got %q (%v), want %q", got, err, want)
	}
	lists := `SELECT x, 1 FROM (VALUES ('{1.5,2}'::float8[]), ('[3:4]={7,NULL}'), (NULL), ('{1}'), ('{{1,2}}')) v(x)`
	got, err = text(open(t, server, "query", lists), func([]database.Column) ([]database.Cell, error) {
		return []database.Cell{{Form: database.Element, Elements: 2}, {Form: database.Element, Element: 1, Elements: 2}}, nil
	})
	if want := "1.5,2\n7,\n,\nanother length,another length\nanother length,another length\n"; err != nil || got != want {
		t.Errorf("lists: got %q (%v), want %q", got, err, want)
	}
	if got, err := text(open(t, server, "query", "VALUES (1), (NULL), (3)"), all(database.Plain)); err != nil || got != "\"1\"\n\"\"\n\"3\"\n" {
		t.Errorf("one column: got %q (%v), want three rows", got, err)
	}
}

// names finds tables by exact names, by names of SQL and in schemas.
func names(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TABLE "People" AS SELECT 1 AS x, 0 AS y`, `CREATE TABLE people AS SELECT 2 AS x, 0 AS y`, `CREATE SCHEMA s`, `CREATE TABLE s."a.b" AS SELECT 3 AS x, 0 AS y`,
		`CREATE VIEW s.v AS SELECT 4 AS x, 0 AS y`, `CREATE SEQUENCE counter`)
	for name, want := range map[string]string{"People": "1", "people": "2", "PEOPLE": "2", `"People"`: "1", `s."a.b"`: "3", "s.v": "4"} {
		if got, err := text(open(t, server, "table", name), all(database.Plain)); err != nil || got != want+",0\n" {
			t.Errorf("%s: got %q (%v), want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"persons", "s.persons", "a b", "counter", `x"; DROP TABLE people; --`} {
		if _, err := text(open(t, server, "table", name), all(database.Plain)); err == nil || !strings.Contains(err.Error(), `no such table`) || !strings.Contains(err.Error(), `there are "People", people`) {
			t.Errorf("%s: got %v, want that there is no such table, and those that are", name, err)
		}
	}
	if got := open(t, server, "query", "SELECT 1,\n\t 2").Name(); got != `query "SELECT 1, 2"` {
		t.Errorf("got %s", got)
	}
}

// faults asks for what cannot be, and wants one line that quotes no cell.
func faults(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TABLE secret AS SELECT 'cell-9' AS x, 1 AS y`, `CREATE ROLE guest LOGIN`)
	for query, want := range map[string]string{
		"SELECT nothing FROM secret": `refuses it: column "nothing" does not exist`,
		"SELEC 1":                    "refuses it: syntax error",
		"SELECT 1; SELECT 2":         "refuses it: cannot insert multiple commands",
		"SELECT 1) TO STDOUT; DROP TABLE secret; --":                   "refuses it: syntax error",
		"DELETE FROM secret RETURNING x":                               "SQLSTATE 42601",
		"WITH d AS (DELETE FROM secret RETURNING x) TABLE d":           "SQLSTATE 0A000",
		"SELECT nextval('counter'), 1":                                 "the query writes",
		"SELECT $1::text":                                              "parameters",
		"BEGIN":                                                        "no columns",
		"SELECT x::numeric, y FROM secret":                             "cannot be computed or converted (SQLSTATE 22P02)",
		"SELECT y / 0, x FROM secret":                                  "(SQLSTATE 22012)",
		"SELECT pg_terminate_backend(pg_backend_pid()), x FROM secret": "",
	} {
		_, err := text(open(t, server, "query", query), all(database.Plain))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cell-9") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q and without the cell", query, err, want)
		}
	}
	if got, err := text(open(t, server, "table", "secret"), all(database.Plain)); err != nil || got != "cell-9,1\n" {
		t.Errorf("got %q (%v), want a table that no query changed", got, err)
	}
	address, _ := postgres.Parse(server.URL("table", "secret", "user", "guest"))
	table, _ := postgres.Open(address)
	if _, err := text(table, all(database.Plain)); err == nil || !strings.Contains(err.Error(), "the right SELECT") {
		t.Errorf("a user without rights: got %v", err)
	}
	// A comment at the end of a query hides nothing behind it.
	if got, err := text(open(t, server, "query", "SELECT 1, 2 -- all\n;"), all(database.Plain)); err != nil || got != "1,2\n" {
		t.Errorf("a comment: got %q (%v)", got, err)
	}
}

// stops ends a reading by its reader and by its context, and wants it to end soon.
func stops(t *testing.T, server *pgtest.Server) {
	endless := open(t, server, "query", "SELECT generate_series(1, 1000000000), 1")
	enough := errors.New("enough of it")
	err := endless.Read(background, all(database.Plain), func(r io.Reader) error {
		_, _ = io.ReadFull(r, make([]byte, 1000))
		return enough
	})
	if !errors.Is(err, enough) {
		t.Errorf("a reader that stops: got %v", err)
	}
	ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	err = open(t, server, "query", "SELECT pg_sleep(3600)::text, 1").Read(ctx, all(database.Plain), func(r io.Reader) error {
		_, failed := io.Copy(io.Discard, r)
		return failed
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: got %v", err)
	}
}

// moment deletes rows after the reading began.
func moment(t *testing.T, server *pgtest.Server) {
	run(t, server, "CREATE TABLE moving AS SELECT g AS x, 0 AS y FROM generate_series(1, 3) g")
	got, err := text(open(t, server, "table", "moving"), func(c []database.Column) ([]database.Cell, error) {
		run(t, server, "DELETE FROM moving WHERE x = 2")
		return all(database.Plain)(c)
	})
	if err != nil || got != "1,0\n2,0\n3,0\n" {
		t.Errorf("got %q (%v), want the rows of the moment in which the reading began", got, err)
	}
}

// locked changes the type of a column after the columns were described, and wants the change to wait.
func locked(t *testing.T, server *pgtest.Server) {
	run(t, server, "CREATE TABLE kept AS SELECT 1 AS x, 0 AS y")
	got, err := text(open(t, server, "table", "kept"), func(c []database.Column) ([]database.Cell, error) {
		conn, err := pgx.Connect(background, server.URL())
		if err != nil {
			return nil, err
		}
		defer conn.Close(background)
		if _, err = conn.Exec(background, "SET lock_timeout = '10ms'; ALTER TABLE kept ALTER x TYPE text"); err == nil || !strings.Contains(err.Error(), "55P03") {
			t.Errorf("a change of the type: got %v, want the lock of the reading", err)
		}
		return all(database.Plain)(c)
	})
	if err != nil || got != "1,0\n" {
		t.Errorf("got %q (%v), want the row", got, err)
	}
}

// lost ends the server while rows come. It runs last.
func lost(t *testing.T, server *pgtest.Server) {
	table := open(t, server, "query", "SELECT generate_series(1, 1000000000), 1")
	err := table.Read(background, all(database.Plain), func(r io.Reader) error {
		_, _ = io.ReadFull(r, make([]byte, 1000))
		server.Kill(t)
		_, failed := io.Copy(io.Discard, r)
		return failed
	})
	if err == nil || !failure.IsRunning(err) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line about a failure while running", err)
	}
	if _, err = text(table, all(database.Plain)); err == nil || !failure.IsRunning(err) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("no server: got %v", err)
	}
}
