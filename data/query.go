package data

import (
	"database/sql"

	"github.com/ditherml/dither/internal/database/rows"
)

// FromQuery returns the rows of a query as a table, for any database with a driver for database/sql.
// Columns are found by name. The rows are read in one read-only transaction, and do not stay in
// memory as a whole. Certificates quote the query, so it must not contain anything private.
//
// A column of type BOOLEAN has the cells 0 and 1 for a number, else false and true. A DATE or
// TIMESTAMP has the days or the seconds since the beginning of 1970 in UTC for a number, else the
// text in UTC. NULL is a missing cell. An error that a driver returns is replaced by one that quotes
// no cell; errors.As and errors.Is find the driver's own.
func FromQuery(db *sql.DB, query string) Source {
	q := rows.Query{DB: db, Text: query}
	return Source{Path: q.Name(), Database: q}
}
