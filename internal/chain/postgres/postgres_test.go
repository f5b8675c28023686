package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/chaintest"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/pgtest"
)

var background = context.Background()

func parse(t testing.TB, url string) postgres.Location {
	t.Helper()
	l, err := postgres.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ignore(chain.Record) error { return nil }

// add appends a record.
func add(s chain.Store, text string) error {
	_, err := s.Update(background, ignore, func() ([]byte, error) { return []byte(text), nil })
	return err
}

// made creates a ledger and returns its location and store.
func made(t *testing.T, server *pgtest.Server, name string) (postgres.Location, *postgres.Store) {
	t.Helper()
	l := parse(t, server.URL("ledger", name))
	s, err := postgres.Create(background, l, []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return l, s
}

// changed runs a statement as the owner of the table.
func changed(t *testing.T, server *pgtest.Server, statement string) {
	t.Helper()
	conn, err := pgx.Connect(background, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(background)
	if _, err := conn.Exec(background, statement); err != nil {
		t.Fatal(err)
	}
}

func TestServer(t *testing.T) {
	server := pgtest.Start(t)
	t.Run("conforms", func(t *testing.T) { conforms(t, server) })
	t.Run("missing", func(t *testing.T) { missing(t, server) })
	t.Run("made once", func(t *testing.T) { madeOnce(t, server) })
	t.Run("changed records", func(t *testing.T) { changes(t, server) })
	t.Run("roles that insert only", func(t *testing.T) { insertOnly(t, server) })
	t.Run("a trigger", func(t *testing.T) { trigger(t, server) })
	t.Run("commits that do not wait", func(t *testing.T) { lazy(t, server) })
	t.Run("defaults of a role", func(t *testing.T) { defaults(t, server) })
	t.Run("dropped connections", func(t *testing.T) { dropped(t, server) })
	t.Run("processes", func(t *testing.T) { processes(t, server) })
	t.Run("an unlogged table", func(t *testing.T) { unlogged(t, server) })
	t.Run("a crash", func(t *testing.T) { crash(t, server) })
	t.Run("fsync off", func(t *testing.T) { forgetful(t, server) })
}

func conforms(t *testing.T, server *pgtest.Server) {
	n := 0
	chaintest.Run(t, func(t *testing.T) func() chain.Store {
		n++
		l, _ := made(t, server, fmt.Sprintf("suite %d", n))
		return func() chain.Store {
			s, err := postgres.Open(background, l)
			if err != nil {
				t.Error(err)
				return nil
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	})
}

func missing(t *testing.T, server *pgtest.Server) {
	if _, err := postgres.Open(background, parse(t, server.URL("ledger", "nowhere"))); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("got %v, want that the ledger is not there", err)
	}
}

func madeOnce(t *testing.T, server *pgtest.Server) {
	l, _ := made(t, server, "once")
	if _, err := postgres.Create(background, l, []byte("again")); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("got %v, want that the ledger exists", err)
	}
}

// changes alters the table below a store that is open, and asks that store and a new one.
func changes(t *testing.T, server *pgtest.Server) {
	for i, c := range []struct {
		name, statement string
		known           bool // an open store finds it too
	}{
		{"payload", "UPDATE dither_ledger SET payload = 'x' WHERE seq = 1", false},
		{"time", "UPDATE dither_ledger SET time = time + 1 WHERE seq = 2", false},
		{"hash", "UPDATE dither_ledger SET hash = sha256('x') WHERE seq = 3", true},
		{"a hole", "DELETE FROM dither_ledger WHERE seq = 1", false},
		{"a shorter chain", "DELETE FROM dither_ledger WHERE seq = 3", true},
		{"no records", "DELETE FROM dither_ledger WHERE true", true},
		{"swapped", "UPDATE dither_ledger SET payload = CASE seq WHEN 1 THEN 'b'::bytea ELSE 'a'::bytea END WHERE seq IN (1, 2)", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := fmt.Sprintf("change %d", i)
			l, s := made(t, server, name)
			for _, text := range []string{"a", "b", "c"} {
				if err := add(s, text); err != nil {
					t.Fatal(err)
				}
			}
			changed(t, server, c.statement+fmt.Sprintf(" AND ledger = '%s'", name))
			if err := s.View(background, ignore); (err != nil) != c.known || err != nil && !errors.Is(err, chain.ErrDamaged) {
				t.Errorf("open store: got %v, want ErrDamaged: %v", err, c.known)
			}
			again, err := postgres.Open(background, l)
			if err == nil {
				defer again.Close()
				err = again.View(background, ignore)
			}
			// a shorter chain is found by those who know its end: an open store or a certificate
			if want := c.name != "a shorter chain"; (err != nil) != want {
				t.Errorf("new store: got %v, want an error: %v", err, want)
			}
		})
	}
}

func insertOnly(t *testing.T, server *pgtest.Server) {
	_, owner := made(t, server, "shared")
	changed(t, server, "CREATE ROLE analyst LOGIN; GRANT SELECT, INSERT ON dither_ledger TO analyst")
	s, err := postgres.Open(background, parse(t, server.URL("ledger", "shared", "user", "analyst")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := add(s, "by an analyst"); err != nil {
		t.Error(err)
	}
	if err := owner.View(background, ignore); err != nil {
		t.Error(err)
	}
}

// trigger drops rows without an error: an append that leaves no row is no append.
func trigger(t *testing.T, server *pgtest.Server) {
	_, s := made(t, server, "dropping")
	changed(t, server, `CREATE FUNCTION drops() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.ledger = ''dropping'' THEN RETURN NULL; END IF; RETURN NEW; END';
		CREATE TRIGGER drops BEFORE INSERT ON dither_ledger FOR EACH ROW EXECUTE FUNCTION drops()`)
	if err := add(s, "lost"); !errors.Is(err, chain.ErrPoisoned) {
		t.Errorf("got %v, want ErrPoisoned: the table has no such record", err)
	}
}

// lazy connects as a role whose commits do not wait for the disk. A trigger refuses each insert of such a transaction.
func lazy(t *testing.T, server *pgtest.Server) {
	made(t, server, "lazy")
	changed(t, server, `CREATE ROLE hasty LOGIN; GRANT SELECT, INSERT ON dither_ledger TO hasty; ALTER ROLE hasty SET synchronous_commit = off;
		CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF current_setting(''synchronous_commit'') = ''off'' THEN RAISE ''no wait''; END IF; RETURN NEW; END';
		CREATE TRIGGER waits BEFORE INSERT ON dither_ledger FOR EACH ROW EXECUTE FUNCTION waits()`)
	s, err := postgres.Open(background, parse(t, server.URL("ledger", "lazy", "user", "hasty")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := add(s, "durable"); err != nil {
		t.Errorf("got %v, want a commit that waits for the disk", err)
	}
}

// crash ends the server below an open store: what was confirmed is there afterwards.
func crash(t *testing.T, server *pgtest.Server) {
	l, s := made(t, server, "crash")
	if err := add(s, "before"); err != nil {
		t.Fatal(err)
	}
	server.Kill(t)
	if err := s.View(background, ignore); err == nil {
		t.Error("a server that is gone answers")
	}
	server.Up(t)
	if err := add(s, "after"); err != nil {
		t.Error(err)
	}
	again, err := postgres.Open(background, l)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	var texts []string
	if err := again.View(background, func(r chain.Record) error { texts = append(texts, string(r.Payload)); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(texts, " "); got != "first before after" {
		t.Errorf("got records %q, want %q", got, "first before after")
	}
}

// forgetful runs last: the server does not keep what it confirms any more.
func forgetful(t *testing.T, server *pgtest.Server) {
	_, s := made(t, server, "kept")
	changed(t, server, "ALTER SYSTEM SET fsync = off")
	changed(t, server, "SELECT pg_reload_conf()")
	for range 100 { // the server reads its settings when it likes
		_, err := postgres.Open(background, parse(t, server.URL("ledger", "kept")))
		if err != nil && strings.Contains(err.Error(), "want fsync on") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("a server with fsync off is taken: %v", s)
}

func TestParse(t *testing.T) {
	t.Setenv("PGPASSWORD", "s3cret")
	for _, bad := range []string{
		"postgres://u:s3cret@host/db", "postgres://host/db?password=s3cret", "postgres://host/db?sslpassword=s3cret", "file.ledger",
		"postgres://host/db?ledger=", "postgres://host/db?ledger=%00", "postgres://host/db?ledger=" + strings.Repeat("x", 201),
		"postgres://host:port/db", "postgres://host/db?sslmode=s3cret",
	} {
		_, err := postgres.Parse(bad)
		if err == nil {
			t.Errorf("%s: got no error", bad)
		} else if strings.Contains(err.Error(), "s3cret") && !strings.Contains(bad, "sslmode") {
			t.Errorf("%s: the error shows a password: %v", bad, err)
		}
	}
	if got := parse(t, "postgres://u@host/db?ledger=a+b").String(); got != `ledger "a b" of database "db" at host` {
		t.Error(got)
	}
}
