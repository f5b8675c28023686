package postgres_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/pgtest"
)

// TestWriters writes into tables of a server.
func TestWriters(t *testing.T) {
	server := pgtest.Start(t, "default_transaction_isolation='repeatable read'")
	run(t, server, "CREATE ROLE inserter LOGIN", "CREATE ROLE blind LOGIN")
	t.Run("two at once", func(t *testing.T) { twoWriters(t, server) })
	t.Run("rights", func(t *testing.T) { rights(t, server) })
	t.Run("kinds", func(t *testing.T) { kinds(t, server) })
	t.Run("just made", func(t *testing.T) { justMade(t, server) })
}

// write writes into a table as a user, "" for the owner.
func write(server *pgtest.Server, table, user string, replace bool, fill func(io.Writer) error) error {
	parameters := []string{"table", table}
	if user != "" {
		parameters = append(parameters, "user", user)
	}
	address, err := postgres.Parse(server.URL(parameters...))
	if err != nil {
		return err
	}
	return postgres.Write(background, address, replace, []postgres.Field{{Name: "x", Type: "float8"}}, fill)
}

// oneRow fills a table with one row.
func oneRow(w io.Writer) error {
	_, err := io.WriteString(w, "x\n1\n")
	return err
}

// together writes as two users into one table. The second begins when the first has passed its checks,
// and the first goes on when the second waits for it or has passed its checks too.
func together(t *testing.T, server *pgtest.Server, table string, users [2]string) (first, second error) {
	t.Helper()
	watch, err := pgx.Connect(background, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(background)
	other, began := make(chan error, 1), make(chan struct{})
	first = write(server, table, users[0], false, func(w io.Writer) error {
		go func() {
			other <- write(server, table, users[1], false, func(w io.Writer) error {
				close(began)
				return oneRow(w)
			})
		}()
		for {
			select {
			case <-began:
				return oneRow(w)
			default:
			}
			var waits bool
			if failed := watch.QueryRow(background, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").Scan(&waits); failed != nil || waits {
				return errors.Join(failed, oneRow(w))
			}
		}
	})
	return first, <-other
}

// twoWriters wants the rows of one writer where two write into one table without rows at once, whatever
// their rights are.
func twoWriters(t *testing.T, server *pgtest.Server) {
	for _, users := range [][2]string{{"", ""}, {"inserter", "inserter"}, {"inserter", ""}, {"", "inserter"}} {
		run(t, server, "DROP TABLE IF EXISTS shared", "CREATE TABLE shared (x float8)", "GRANT SELECT, INSERT ON shared TO inserter")
		first, second := together(t, server, "shared", users)
		if first != nil || second == nil || !strings.Contains(second.Error(), "the table has rows") {
			t.Errorf("users %q: got %v and %v, want the second writer refused", users, first, second)
		}
	}
}

// rights wants rows from a user who may read and insert, and one line with a remedy for one who may do less.
func rights(t *testing.T, server *pgtest.Server) {
	run(t, server, "CREATE TABLE taken (x float8)", "GRANT SELECT, INSERT ON taken TO inserter", "GRANT INSERT ON taken TO blind")
	const want = "this user may not write it, want a user with the rights SELECT and INSERT on the table, with DELETE too for --replace, or CREATE on the schema for a new table; nothing was written; have them granted"
	if err := write(server, "taken", "blind", false, oneRow); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a user who may not read: got %v", err)
	}
	if err := write(server, "taken", "inserter", false, oneRow); err != nil {
		t.Errorf("a user who may read and insert: got %v", err)
	}
	if err := write(server, "taken", "inserter", true, oneRow); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a user who may not delete: got %v", err)
	}
	if got, err := text(open(t, server, "query", "SELECT count(*), 0 FROM taken"), all(database.Plain)); err != nil || got != "1,0\n" {
		t.Errorf("got %q rows (%v), want 1", got, err)
	}
}

// kinds wants one line with a remedy for relations that are no tables of the server, and no cell in the
// error of a trigger.
func kinds(t *testing.T, server *pgtest.Server) {
	run(t, server, "CREATE FOREIGN DATA WRAPPER nowhere", "CREATE SERVER far FOREIGN DATA WRAPPER nowhere", "CREATE FOREIGN TABLE abroad (x float8) SERVER far",
		"CREATE VIEW looking AS SELECT 1::float8 AS x WHERE false", "CREATE MATERIALIZED VIEW stored AS SELECT 1::float8 AS x WHERE false", "CREATE TABLE guarded (x float8)",
		"CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '42703', MESSAGE = 'cell ' || NEW.x; END $$",
		"CREATE TRIGGER tell BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION tell()",
		"CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$", "CREATE TABLE sieve (x float8)",
		"CREATE TRIGGER skip BEFORE INSERT ON sieve FOR EACH ROW EXECUTE FUNCTION skip()",
		"CREATE TABLE split (x float8) PARTITION BY RANGE (x)", "CREATE TABLE near PARTITION OF split FOR VALUES FROM (0) TO (9)",
		"CREATE FOREIGN TABLE distant PARTITION OF split FOR VALUES FROM (9) TO (99) SERVER far",
		"CREATE TABLE parted (x float8) PARTITION BY RANGE (x)", "CREATE TABLE lower PARTITION OF parted FOR VALUES FROM (0) TO (9)",
		"CREATE TABLE elder (x float8)", "CREATE TABLE middle () INHERITS (elder)", "CREATE FOREIGN TABLE heir () INHERITS (middle) SERVER far")
	if err := write(server, "parted", "", false, oneRow); err != nil {
		t.Errorf("a table with partitions of this server: got %v", err)
	}
	for table, want := range map[string]string{"abroad": "has a foreign partition or child, want a table of this server", "looking": "as a view or an index does not, want an ordinary table", "stored": "as a view or an index does not", "guarded": "its rules name some",
		"sieve": "does not keep every row", "split": "has a foreign partition", "elder": "has a foreign partition"} {
		err := write(server, table, "", false, oneRow)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cell") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q and no cell", table, err, want)
		}
	}
}

// justMade makes a table while another makes it: in another transaction, which ends with 23505, and
// after the look for the table, which ends with 42P07.
func justMade(t *testing.T, server *pgtest.Server) {
	first, second := together(t, server, "made", [2]string{})
	if first != nil || second == nil || !strings.Contains(second.Error(), "just made by another") || !failure.IsRunning(second) {
		t.Errorf("two makers: got %v and %v, want the second refused", first, second)
	}
	run(t, server, "CREATE FUNCTION hurry() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF current_setting('dither.hurried', true) IS NULL THEN PERFORM set_config('dither.hurried', 'yes', true); CREATE TABLE hurried (x float8); END IF; END $$",
		"CREATE EVENT TRIGGER hurry ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hurry()")
	if err := write(server, "hurried", "", false, oneRow); err == nil || !strings.Contains(err.Error(), "just made by another") || !failure.IsRunning(err) {
		t.Errorf("a table that is made between look and making: got %v", err)
	}
	run(t, server, "DROP EVENT TRIGGER hurry")
}
