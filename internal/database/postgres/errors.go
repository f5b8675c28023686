package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/failure"
)

// isCode reports whether the server answered with this code.
func isCode(err error, code string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == code
}

// unreachable returns the error of a connection that was not made. The driver's text names host,
// user and database, and no password.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &database.Problem{Problem: "the database cannot be reached: " + display.OneLine(display.Redact(err.Error())), Want: "a server that lets this user in",
		Remedy: "check host, port, user and database, and PGPASSWORD or ~/.pgpass", Err: failure.Running(errors.New("unreachable"))}
}

// faulty returns the error of a query that the server analysed and did not run. Its message can
// quote the query and names of the database, and no cell.
func faulty(ctx context.Context, err error) error {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return refused(ctx, err)
	}
	return &database.Problem{Problem: "the server refuses it: " + display.OneLine(server.Message), Want: "a query that PostgreSQL runs", Remedy: "try it in psql"}
}

// refused returns the error of a statement that ran. The server's message may quote a cell, so only
// its code is shown.
func refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return &database.Problem{Problem: "the connection to the database was lost", Want: "a server that answers until the last row", Remedy: "nothing was kept; try again",
			Err: failure.Running(errors.New("connection lost"))}
	}
	p := &database.Problem{Problem: "the server stopped with SQLSTATE " + server.Code, Want: "every row of the result", Remedy: "try the query in psql, which shows the message; it may quote a record"}
	switch code := server.Code; {
	case code == "42501":
		p.Problem, p.Want, p.Remedy = "this user may not read it", "a user with the right SELECT", "have it granted, or connect as another user"
	case code == "25006":
		p.Problem, p.Want, p.Remedy = "the query writes", "one that only reads", "mend it"
	case code == "54011":
		return tooWide()
	case strings.HasPrefix(code, "57P"):
		p.Problem, p.Remedy = "the server ended the connection (SQLSTATE "+code+")", "nothing was kept; try again"
	case code == "57014":
		p.Problem, p.Remedy = "the server stopped the query, perhaps after its statement_timeout", "raise the limit, or ask for less"
	case strings.HasPrefix(code, "22"):
		p.Problem = "a value of the query cannot be computed or converted (SQLSTATE " + code + ")"
	}
	if strings.HasPrefix(server.Code, "53") || strings.HasPrefix(server.Code, "57") || strings.HasPrefix(server.Code, "58") || strings.HasPrefix(server.Code, "08") || strings.HasPrefix(server.Code, "40") {
		p.Err = failure.Running(errors.New("stopped"))
	}
	return p
}
