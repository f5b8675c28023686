package postgres_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/pgtest"
)

// cutter passes bytes on between a client and a server, and drops the connection at a commit once it is armed.
type cutter struct {
	socket string
	armed  atomic.Bool
	passes bool // the commit reaches the server, and its answer no one
}

// serve listens until the test ends, and returns the port.
func (c *cutter) serve(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(client)
		}
	}()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// pass serves one connection.
func (c *cutter) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", c.socket)
	if err != nil {
		return
	}
	defer server.Close()
	var deaf atomic.Bool // nothing is told to the client any more
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		b := make([]byte, 1<<16)
		for {
			n, err := server.Read(b)
			if n > 0 && deaf.Load() || err != nil {
				return
			}
			if _, err = client.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	b := make([]byte, 1<<16)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		if commit := bytes.Contains(b[:n], []byte("commit\x00")); commit && c.armed.CompareAndSwap(true, false) {
			if !c.passes {
				return
			}
			deaf.Store(true)
			if _, err = io.Copy(server, bytes.NewReader(b[:n])); err == nil {
				<-answered // the server has done it
			}
			return
		}
		if _, err = server.Write(b[:n]); err != nil {
			return
		}
	}
}

// dropped loses the connection before a commit reaches the server, and before its answer comes back. The store cannot
// tell them apart: the record may be there or not, and the store refuses everything from then on.
func dropped(t *testing.T, server *pgtest.Server) {
	for name, there := range map[string]int{"unsent": 0, "unanswered": 1} {
		l, _ := made(t, server, name)
		socket := filepath.Join(server.Folder(), ".s.PGSQL.5432")
		c := &cutter{socket: socket, passes: there == 1}
		s, err := postgres.Open(background, parse(t, "postgres://dither@127.0.0.1:"+c.serve(t)+"/postgres?sslmode=disable&ledger="+name))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err = add(s, "before"); err != nil {
			t.Fatal(err)
		}
		c.armed.Store(true)
		if err = add(s, "during"); !errors.Is(err, chain.ErrPoisoned) {
			t.Errorf("%s: got %v, want ErrPoisoned: nobody knows of the record", name, err)
		}
		if err = add(s, "after"); !errors.Is(err, chain.ErrPoisoned) || c.armed.Load() {
			t.Errorf("%s: got %v, want ErrPoisoned from then on", name, err)
		}
		again, err := postgres.Open(background, l)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		n := 0
		if err = again.View(background, func(chain.Record) error { n++; return nil }); err != nil || n != 2+there {
			t.Errorf("%s: got %d records (%v), want %d", name, n, err, 2+there)
		}
	}
}

// defaults are settings of a role or database under which plain clients lose updates, or cannot write.
func defaults(t *testing.T, server *pgtest.Server) {
	made(t, server, "defaults")
	changed(t, server, `CREATE ROLE plain LOGIN; GRANT SELECT, INSERT ON dither_ledger TO plain;
		ALTER ROLE plain SET default_transaction_isolation = 'read committed'; ALTER ROLE plain SET default_transaction_read_only = on;
		ALTER ROLE plain SET datestyle = 'German'; ALTER ROLE plain SET timezone = 'Pacific/Kiritimati'; ALTER ROLE plain SET bytea_output = 'escape';
		CREATE FUNCTION serializes() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF current_setting(''transaction_isolation'') <> ''serializable'' THEN RAISE ''not serializable''; END IF; RETURN NEW; END';
		CREATE TRIGGER serializes BEFORE INSERT ON dither_ledger FOR EACH ROW EXECUTE FUNCTION serializes()`)
	defer changed(t, server, `DROP TRIGGER serializes ON dither_ledger`)
	s, err := postgres.Open(background, parse(t, server.URL("ledger", "defaults", "user", "plain")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := add(s, "serializable"); err != nil {
		t.Errorf("got %v, want a serializable transaction that writes", err)
	}
}

// unlogged makes the table one that a crash empties.
func unlogged(t *testing.T, server *pgtest.Server) {
	l, _ := made(t, server, "unlogged")
	changed(t, server, "ALTER TABLE dither_ledger SET UNLOGGED")
	for what, err := range map[string]error{
		"open":   second(postgres.Open(background, l)),
		"create": second(postgres.Create(background, parse(t, server.URL("ledger", "another")), []byte("first"))),
	} {
		if err == nil || !strings.Contains(err.Error(), "want ALTER TABLE dither_ledger SET LOGGED") {
			t.Errorf("%s: got %v, want a table refused that a crash empties", what, err)
		}
	}
	changed(t, server, "ALTER TABLE dither_ledger RENAME TO hidden")
	changed(t, server, "CREATE VIEW dither_ledger AS SELECT * FROM hidden")
	if _, err := postgres.Open(background, l); err == nil || !strings.Contains(err.Error(), "is a view or another kind of table") {
		t.Errorf("a view of an unlogged table: got %v, want it refused", err)
	}
	changed(t, server, "DROP VIEW dither_ledger")
	changed(t, server, "ALTER TABLE hidden RENAME TO dither_ledger")
	changed(t, server, "ALTER TABLE dither_ledger SET LOGGED")
	if s, err := postgres.Open(background, l); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
}

func second(_ *postgres.Store, err error) error { return err }
