package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/display"
)

// Default is the name of the ledger where a location names none.
const Default = "dither"

// maxName is the largest number of bytes of a ledger's name.
const maxName = 200

// Location is the address of one ledger on a server.
type Location struct {
	config *pgx.ConnConfig
	ledger string
	shown  string
}

// Is reports whether a text is the address of a ledger on a server, and not the name of a file.
func Is(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Parse returns the location that a URL names: postgres://user@host:port/database?ledger=NAME.
// Other parameters are PostgreSQL's own. Parts that are not given come from PGHOST, PGUSER,
// PGSERVICE and the like. A password comes from PGPASSWORD or a password file: a URL with one is
// refused, since command lines are seen by others. No error shows a password.
func Parse(text string) (Location, error) {
	u, err := url.Parse(text)
	if err != nil || !Is(text) {
		return Location{}, errors.New("ledger: location is no URL of PostgreSQL, want postgres://user@host/database?ledger=NAME")
	}
	parameters := u.Query()
	_, secret := u.User.Password()
	if secret || parameters.Has("password") || parameters.Has("sslpassword") {
		return Location{}, errors.New("ledger: URL holds a password, want none: set PGPASSWORD, or write it to ~/.pgpass, which only you may read")
	}
	name := Default
	if parameters.Has("ledger") {
		name = parameters.Get("ledger")
	}
	if name == "" || len(name) > maxName || display.Printable(name) != name {
		return Location{}, fmt.Errorf("ledger: name in the URL is %q, want 1 to %d printable bytes", name, maxName)
	}
	parameters.Del("ledger")
	u.RawQuery = parameters.Encode()
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return Location{}, fmt.Errorf("ledger: %s: %w", display.Printable(u.Redacted()), err)
	}
	l := Location{config: config, ledger: name}
	l.shown = fmt.Sprintf("ledger %q of database %q at %s", name, config.Database, config.Host)
	return l, nil
}

// Same reports whether two addresses are of one ledger: two names of one file, or two URLs of one ledger on one
// server, whoever connects.
func Same(a, b string) bool {
	if !Is(a) || !Is(b) {
		whole, err := filepath.Abs(a)
		other, failed := filepath.Abs(b)
		return Is(a) == Is(b) && err == nil && failed == nil && whole == other
	}
	one, err := Parse(a)
	other, failed := Parse(b)
	if err != nil || failed != nil {
		return a == b
	}
	return one.ledger == other.ledger && one.config.Host == other.config.Host && one.config.Port == other.config.Port && one.config.Database == other.config.Database
}

// String returns the name, database and host, and nothing secret.
func (l Location) String() string { return l.shown }
