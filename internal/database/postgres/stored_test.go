package postgres_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/pgtest"
)

// kept returns the rows of a table that the database must store, as a user reads them.
func kept(t *testing.T, server *pgtest.Server, name, user string, choose func([]database.Column) ([]database.Cell, error)) (string, error) {
	t.Helper()
	address, err := postgres.Parse(server.URL("table", name, "user", user))
	if err != nil {
		t.Fatal(err)
	}
	table, err := postgres.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := table.Stored()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = stored.Read(background, choose, func(r io.Reader) error {
		_, failed := io.Copy(&b, r)
		return failed
	})
	return b.String(), err
}

// TestStored has tables whose rows a view computes: it is a part of them by another server, it takes the place of
// a table between check and reading, or a policy chooses the rows.
func TestStored(t *testing.T) {
	server := pgtest.Start(t)
	run(t, server, `CREATE TABLE visits (id text, n int); INSERT INTO visits VALUES ('a', 1), ('b', 10)`, `CREATE VIEW mixed AS SELECT id, (SELECT sum(n) FROM visits)::int AS n FROM visits`,
		`CREATE ROLE reader LOGIN; GRANT SELECT ON visits TO reader`, `CREATE ROLE auditor LOGIN BYPASSRLS`)
	t.Run("ordinary tables", func(t *testing.T) { ordinary(t, server) })
	t.Run("row security", func(t *testing.T) { guarded(t, server) })
	t.Run("exchanged", func(t *testing.T) { exchanged(t, server) })
	t.Run("foreign parts", func(t *testing.T) { foreign(t, server) })
}

// wanted reports a reading that gave rows, or another error than the one that is wanted, or one with a cell.
func wanted(t *testing.T, name, got string, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "SQLSTATE") {
		t.Errorf("%s: got %q (%v), want %q", name, got, err, want)
	}
}

// ordinary reads with the right SELECT alone, parts by the right on the whole, and where no transaction may write.
func ordinary(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TABLE whole (id text, n int) PARTITION BY LIST (id); CREATE TABLE part PARTITION OF whole DEFAULT PARTITION BY HASH (n); CREATE TABLE leaf PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
		`INSERT INTO whole VALUES ('a', 1)`, `CREATE TABLE parent (id text, n int); CREATE TABLE child () INHERITS (parent); INSERT INTO parent VALUES ('a', 1); INSERT INTO child VALUES ('a', 2)`,
		`CREATE TABLE long (id text, n int); INSERT INTO long SELECT repeat(md5(g::text), 300), g FROM generate_series(1, 3) g; CREATE INDEX ON long (n)`,
		`GRANT SELECT ON whole, parent TO reader`, `ALTER ROLE reader SET default_transaction_read_only = on`)
	for _, c := range [][3]string{{"visits", "reader", "a,1\nb,10\n"}, {"whole", "reader", "a,1\n"}, {"parent", "reader", "a,1\na,2\n"}} {
		if got, err := kept(t, server, c[0], c[1], all(database.Plain)); err != nil || got != c[2] {
			t.Errorf("%s: got %q (%v), want %q", c[0], got, err, c[2])
		}
	}
	if got, err := kept(t, server, "long", "dither", all(database.Plain)); err != nil || strings.Count(got, "\n") != 3 {
		t.Errorf("got %d bytes (%v), want three rows of long texts", len(got), err)
	}
	got, err := kept(t, server, "child", "reader", all(database.Plain))
	wanted(t, "child", got, err, "this user may not read it, want a user with the right SELECT")
	got, err = kept(t, server, "pg_statistic", "dither", all(database.Plain))
	wanted(t, "pg_statistic", got, err, "the rows are those of a system table, want a table of this database")
}

// guarded has a policy that shows a person's rows after those of others.
func guarded(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TABLE guarded AS SELECT * FROM visits; GRANT SELECT ON guarded TO reader, auditor; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY`,
		`CREATE POLICY others ON guarded USING ((SELECT count(*) FROM visits) > 2)`, `CREATE TABLE forced AS SELECT * FROM visits; ALTER TABLE forced OWNER TO reader`,
		`ALTER TABLE forced ENABLE ROW LEVEL SECURITY; ALTER TABLE forced FORCE ROW LEVEL SECURITY`)
	for _, name := range []string{"guarded", "forced"} {
		got, err := kept(t, server, name, "reader", all(database.Plain))
		wanted(t, name, got, err, "row-level security chooses rows of this table for this user, want a user to whom it shows all rows")
	}
	if got, err := kept(t, server, "guarded", "auditor", all(database.Plain)); err != nil || got != "a,1\nb,10\n" {
		t.Errorf("got %q (%v), want all rows", got, err)
	}
}

// exchanged has a view take the place of a table while the lock waits, and after the columns were described.
func exchanged(t *testing.T, server *pgtest.Server) {
	run(t, server, `CREATE TABLE swap AS SELECT * FROM visits`, `CREATE TABLE written AS SELECT * FROM visits`, `CREATE TABLE gone AS SELECT * FROM visits`, `CREATE TABLE sum AS SELECT * FROM visits`, `CREATE SCHEMA s`, `CREATE TABLE s.moved AS SELECT * FROM visits`)
	for _, c := range []struct{ name, change, want string }{
		{"swap", `ALTER TABLE swap RENAME TO other; CREATE VIEW swap AS SELECT * FROM mixed`, "the rows are those of a view, want a table of this database"},
		{"gone", `ALTER TABLE gone RENAME TO elsewhere`, "the table changed while it was read, want a table that stays"},
		{"sum", `ALTER TABLE sum RENAME TO summands; CREATE MATERIALIZED VIEW sum AS SELECT * FROM mixed`, "the table changed while it was read, want a table that stays"},
		{"written", `LOCK TABLE written; DELETE FROM written; INSERT INTO written VALUES ('c', 3)`, ""},
	} {
		conn, err := pgx.Connect(background, server.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(background)
		if _, err = conn.Exec(background, "BEGIN;"+c.change); err != nil {
			t.Fatal(err)
		}
		type result struct {
			rows string
			err  error
		}
		done := make(chan result, 1)
		go func() {
			got, failed := kept(t, server, c.name, "dither", all(database.Plain))
			done <- result{got, failed}
		}()
		var r result
		for waits, early := false, false; !waits && !early; {
			select {
			case r = <-done:
				t.Errorf("%s: the reading does not wait", c.name)
				early = true
				done <- r
			case <-time.After(5 * time.Millisecond):
				if err = conn.QueryRow(background, "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted").Scan(&waits); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err = conn.Exec(background, "COMMIT"); err != nil {
			t.Fatal(err)
		}
		r = <-done
		if c.want != "" {
			wanted(t, c.name, r.rows, r.err, c.want)
		} else if r.err != nil || r.rows != "c,3\n" {
			t.Errorf("%s: got %q (%v), want the rows of the moment after the lock", c.name, r.rows, r.err)
		}
	}
	got, err := kept(t, server, "s.moved", "dither", func(c []database.Column) ([]database.Cell, error) {
		run(t, server, `ALTER SCHEMA s RENAME TO away`, `CREATE SCHEMA s`, `CREATE VIEW s.moved AS SELECT * FROM mixed`)
		return all(database.Plain)(c)
	})
	wanted(t, "s.moved", got, err, "the table changed while it was read, want a table that stays; try again")
}

// foreign has tables with a foreign part, some from the beginning, and others after the columns were described.
func foreign(t *testing.T, server *pgtest.Server) {
	conn, err := pgx.Connect(background, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(background)
	if _, err = conn.Exec(background, "CREATE EXTENSION postgres_fdw"); err != nil {
		t.Skip("no extension postgres_fdw here: ", err)
	}
	run(t, server, `CREATE SERVER self FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '`+server.Folder()+`', dbname 'postgres')`, `CREATE USER MAPPING FOR dither SERVER self OPTIONS (user 'dither')`,
		`CREATE TABLE parted (id text, n int) PARTITION BY LIST (id); CREATE TABLE below PARTITION OF parted DEFAULT PARTITION BY LIST (n); CREATE FOREIGN TABLE far PARTITION OF below DEFAULT SERVER self OPTIONS (table_name 'mixed')`,
		`CREATE TABLE heired (id text, n int); CREATE FOREIGN TABLE heir () INHERITS (heired) SERVER self OPTIONS (table_name 'mixed')`,
		`CREATE TABLE later (id text, n int) PARTITION BY LIST (id); CREATE TABLE now PARTITION OF later FOR VALUES IN ('a'); INSERT INTO later VALUES ('a', 1)`, `CREATE TABLE heired_later (id text, n int)`,
		`CREATE FOREIGN TABLE far_later (id text, n int) SERVER self OPTIONS (table_name 'mixed')`, `CREATE FOREIGN TABLE heir_later (id text, n int) SERVER self OPTIONS (table_name 'mixed')`,
		`CREATE TABLE near_later AS SELECT * FROM visits WHERE id = 'b'`)
	got, err := kept(t, server, "far", "dither", all(database.Plain))
	wanted(t, "far", got, err, "the rows are those of a foreign table, want a table of this database")
	for _, name := range []string{"parted", "heired"} {
		got, err = kept(t, server, name, "dither", all(database.Plain))
		wanted(t, name, got, err, "some of the rows are those of a foreign table, as a partition or by inheritance, want a table of this database; make a table of them")
	}
	for _, c := range []struct{ name, change, want string }{
		{"later", `ALTER TABLE later ATTACH PARTITION near_later FOR VALUES IN ('b')`, ""},
		{"later", `CREATE TABLE young (id text, n int); ALTER TABLE later ATTACH PARTITION young FOR VALUES IN ('d')`, "the table changed while it was read"},
		{"later", `ALTER TABLE later ATTACH PARTITION far_later FOR VALUES IN ('c')`, "the table changed while it was read"},
		{"heired_later", `ALTER TABLE heir_later INHERIT heired_later`, "the table changed while it was read"},
	} {
		got, err = kept(t, server, c.name, "dither", func(columns []database.Column) ([]database.Cell, error) {
			run(t, server, c.change)
			return all(database.Plain)(columns)
		})
		if c.want != "" {
			wanted(t, c.change, got, err, c.want)
		} else if err != nil || got != "a,1\n" && got != "a,1\nb,10\n" {
			t.Errorf("%s: got %q (%v), want stored rows", c.change, got, err)
		}
	}
}
