// Package database defines the requests of package data to databases, and the names of tables and
// queries in errors and certificates.
package database

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/ditherml/dither/internal/display"
)

// Table is a table or a query of a database.
//
// No error of a Table may quote a cell. A *Problem is completed with the name of the table.
type Table interface {
	// Name returns the name in words, made by TableName or QueryName.
	Name() string
	// Declared returns what the database declares about the cells of each column, in the order of the
	// columns, and its comment on the table. It reads no row.
	Declared(ctx context.Context) (columns []Declared, comment string, err error)
	// Stored returns the same table, whose Read refuses rows that are computed or that another server
	// stores. Queries, views, virtual tables and foreign tables have such rows. A computed row can
	// depend on several stored rows. The check and the reading see one moment.
	Stored() (Table, error)
	// Read describes the columns and passes their description to choose. It then passes the rows to
	// take as CSV text without a header, in the encoding UTF-8. Each row has the chosen cells in
	// order, and a missing cell is empty. All of it happens in one read-only transaction. An error of
	// choose or take ends the reading and is returned.
	Read(ctx context.Context, choose func([]Column) ([]Cell, error), take func(io.Reader) error) error
}

// Column is a column's description in the database.
type Column struct {
	Name string
	Kind Kind
	// Type is the database's word for the type.
	Type string
	// Remedy is the advice for a column of an Unread kind.
	Remedy string
}

// Kind is the type of a column's cells.
type Kind uint8

// These are the kinds of columns.
const (
	Unread  Kind = iota // cells of this type are not read
	Numbers             // integers and decimals
	Texts               // texts, and values of enumerations
	Bools               // false and true
	Dates               // days
	Times               // moments
	Lists               // lists of numbers
	Untyped             // whatever a cell has: the database declares no type
)

// Cell is one cell of each row.
type Cell struct {
	// Column is the position of a column.
	Column int
	Form   Form
	// Exact states that the cell is a text such as a level or a key. Then a floating-point number that is
	// not finite, or from 2^53 on, is a missing cell: it may be another number, rounded.
	Exact bool
	// Bools are the texts of false and true in a column of Bools.
	Bools [2]string
	// Element counts from 0 in lists that have Elements numbers.
	Element, Elements int
}

// Form is the way to write a cell.
type Form uint8

// These are the ways to write cells.
const (
	Empty   Form = iota // the cell is not needed
	Plain               // as the database writes it, and dates and moments by ISO 8601
	Number              // days or seconds since the beginning of 1970, in UTC
	Element             // an element of a list; OtherLength in a list of another length
)

// OtherLength is the cell of an element in a list of another length than the schema declares. It
// is no number, so the schema decides how such a cell is treated.
const OtherLength = "another length"

// Problem is a fault of a table or a query. None of its texts quotes a cell.
type Problem struct {
	Problem, Want, Remedy string
	// Err is the underlying error, or nil. It may be marked as a failure while running.
	Err error
}

// Error returns one line: "problem, want want; remedy".
func (p *Problem) Error() string {
	text := p.Problem
	if p.Want != "" {
		text += ", want " + p.Want
	}
	if p.Remedy != "" {
		text += "; " + p.Remedy
	}
	return text
}

// Unwrap returns the underlying error.
func (p *Problem) Unwrap() error { return p.Err }

// TableName returns the name of a table in words.
func TableName(table string) string { return `table "` + oneLine(table) + `"` }

// QueryName returns the name of a query in words: its text on one line.
func QueryName(query string) string { return `query "` + oneLine(display.Redact(query)) + `"` }

// CheckQuery returns an error if a query contains a password. The text of a query stands in the
// certificate, in which no password may be.
func CheckQuery(query string) error {
	if display.HasPassword(query) {
		return errors.New("the query contains a password, want none, because the certificate contains the query; name a foreign server with a user mapping, or set PGPASSFILE")
	}
	return nil
}

// ErrComputed returns the refusal of rows that are stored in no table of this database.
func ErrComputed(kind string) error {
	return &Problem{Problem: "the rows are those of a " + kind, Want: "a table of this database", Remedy: "make a table of them; a " + kind + " can mix persons, and no certificate would show it"}
}

// IsName reports whether TableName or QueryName made a name.
func IsName(name string) bool {
	return strings.HasPrefix(name, `table "`) || strings.HasPrefix(name, `query "`)
}

func oneLine(text string) string { return display.OneLine(strings.Join(strings.Fields(text), " ")) }
