package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/display"
)

// Is reports whether a text is the address of a database, and not the name of a file.
func Is(text string) bool {
	scheme, _, is := strings.Cut(text, "://")
	return is && (strings.EqualFold(scheme, "postgres") || strings.EqualFold(scheme, "postgresql"))
}

// Address is the address of a database, with the table or query that it names.
type Address struct {
	config *pgx.ConnConfig
	// Table and Query are the parameters of the address with these names.
	Table, Query string
}

// Parse returns the address in a URL: postgres://user@host:port/database?table=NAME. Instead of a
// table it may name a query. Other parameters are PostgreSQL's own, and parts that are not given
// come from PGHOST, PGUSER, PGSERVICE and the like. A URL with a password is refused, because other
// users of the machine can read command lines. No error shows a password.
func Parse(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || !Is(text) {
		return Address{}, errors.New("the address is no URL of PostgreSQL, want postgres://user@host/database")
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errors.New("the parameters in the URL cannot be read, want NAME=VALUE with %26 for &, %3B for ; and %25 for %; or give --table or --query")
	}
	if _, secret := u.User.Password(); secret || parameters.Has("password") || parameters.Has("sslpassword") {
		return Address{}, errors.New("the URL contains a password, want none, because others can read command lines; set PGPASSWORD, or write it to ~/.pgpass, or to a service file that ?service=NAME names")
	}
	a := Address{Table: parameters.Get("table"), Query: parameters.Get("query")}
	parameters.Del("table")
	parameters.Del("query")
	u.RawQuery = parameters.Encode()
	whole := u.String()
	if u.Host == "" && u.User == nil && u.Path == "" { // which String shortens to postgres:
		whole = "postgres://?" + u.RawQuery
	}
	a.config, err = pgx.ParseConfig(whole)
	if err != nil {
		return Address{}, fmt.Errorf("%s cannot be used: %s", display.Printable(u.Redacted()), display.OneLine(display.Redact(err.Error())))
	}
	if a.config.RuntimeParams["application_name"] == "" {
		a.config.RuntimeParams["application_name"] = "dither"
	}
	return a, nil
}
