package bookkeeping

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/pgtest"
)

// TestServer: a ledger on a server is made, shown, priced, exported and merged like one in a file.
func TestServer(t *testing.T) {
	server := pgtest.Start(t)
	where := server.URL("ledger", "visits")
	made, err := Create(t.Context(), where, request())
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := made.Text(); failed != nil || !strings.Contains(string(text), `ledger "visits"`) || !strings.Contains(string(text), "server    ") {
		t.Errorf("got %s (%v), want the place on the server", text, failed)
	}
	if _, err = Create(t.Context(), where, request()); err == nil {
		t.Error("the ledger was made twice")
	}
	if _, err = Open(t.Context(), server.URL("ledger", "other")); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("got %v, want a ledger that is not there", err)
	}
	l, err := Open(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	priced, err := l.Price(t.Context(), "", "gaussian(5)")
	if err != nil {
		t.Fatal(err)
	}
	l.reserve(t, 5, "a count", "")
	l.Close()
	if l, err = Open(t.Context(), where); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var lines strings.Builder
	if err = l.Export(&lines); err != nil || strings.Count(lines.String(), "\n") != 2 {
		t.Errorf("got %q (%v), want two records", lines.String(), err)
	}
	if a := l.Account(); a.Spent != priced.After || len(a.Releases) != 1 {
		t.Errorf("got %+v, want one release and %v spent", a, priced.After)
	}
	folder := t.TempDir()
	if _, err = Create(t.Context(), filepath.Join(folder, "file"), request()); err != nil {
		t.Fatal(err)
	}
	m, err := Merge(t.Context(), filepath.Join(folder, "all"), "", where, filepath.Join(folder, "file"))
	if err != nil || m.Epsilon != 6 || !(m.Spent > 0) {
		t.Errorf("got %+v (%v), want a cap of 6 and what the server's ledger spent", m, err)
	}
	if again, err := Open(t.Context(), where); err != nil || !again.Account().Forfeited {
		t.Errorf("the ledger on the server (%v) is not closed", err)
	}
}
