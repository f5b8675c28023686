// Package rows reads queries of any database that has a driver for database/sql.
package rows

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/moment"
)

// bufferBytes is the size of the buffer between the driver and the reader of the text.
const bufferBytes = 256 << 10

// Query is a query of a database. It implements [database.Table].
type Query struct {
	DB   *sql.DB
	Text string
	// Shown is the name in words. If it is empty, the text of the query is quoted.
	Shown string
	// Describe is a query with the same columns and no rows, or empty.
	Describe string
	// Failed returns the error of a driver in words that quote no cell. It may be nil.
	Failed func(error) error
	// Kind returns the kind of a type by its name. If it is nil, the common names of types decide.
	Kind func(name string) database.Kind
	// Texts returns queries that write the chosen cells as texts, in their order, part by part. If it is
	// nil, Text gives the cells in the types of the driver. It goes with Describe.
	Texts func(columns []database.Column, cells []database.Cell) []string
	// Guarded states that nothing can write by DB, whose driver knows no read-only transactions.
	Guarded bool
	// Check is called first in the transaction that reads. Its error ends the reading. It may be nil.
	Check func(context.Context, *sql.Tx) error
}

var _ database.Table = Query{}

// Name is [database.Table.Name].
func (q Query) Name() string {
	if q.Shown != "" {
		return q.Shown
	}
	return database.QueryName(q.Text)
}

// Stored is [database.Table.Stored]: a query is never stored.
func (q Query) Stored() (database.Table, error) { return nil, database.ErrComputed("query") }

// Declared is [database.Table.Declared]: nothing is known of a query.
func (q Query) Declared(ctx context.Context) ([]database.Declared, string, error) {
	var out []database.Declared
	err := q.Read(ctx, func(columns []database.Column) ([]database.Cell, error) {
		for range columns {
			out = append(out, database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)})
		}
		return nil, errEnough
	}, nil)
	if !errors.Is(err, errEnough) {
		return nil, "", err
	}
	return out, "", nil
}

// errEnough ends a reading whose rows nobody wants any more.
var errEnough = errors.New("enough")

// Read is [database.Table.Read].
func (q Query) Read(ctx context.Context, choose func([]database.Column) ([]database.Cell, error), take func(io.Reader) error) error {
	if err := database.CheckQuery(q.Text); err != nil {
		return err
	}
	tx, err := q.DB.BeginTx(ctx, &sql.TxOptions{ReadOnly: !q.Guarded, Isolation: sql.LevelDefault})
	if err != nil {
		return q.failed(ctx, err)
	}
	defer func() { _ = tx.Rollback() }() // it has written nothing
	if q.Check != nil {
		if err = q.Check(ctx, tx); err != nil {
			return err
		}
	}
	first := q.Text
	if q.Describe != "" {
		first = q.Describe
	}
	rows, err := tx.QueryContext(ctx, first)
	if err != nil {
		return q.failed(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := q.columnsOf(rows)
	if err != nil {
		return q.failed(ctx, err)
	}
	cells, err := choose(columns)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if q.Describe == "" {
		return pass(func(w *bufio.Writer) error { return q.write(ctx, w, rows, columns, cells) }, take)
	}
	_ = rows.Close()
	texts := []string{q.Text}
	if q.Texts != nil {
		texts = q.Texts(columns, cells)
		columns, cells = slices.Repeat([]database.Column{{Kind: database.Texts}}, len(cells)), slices.Clone(cells)
		for i := range cells {
			cells[i] = database.Cell{Column: i, Form: database.Plain}
		}
	}
	return pass(func(w *bufio.Writer) error {
		for _, text := range texts {
			part, failure := tx.QueryContext(ctx, text)
			if failure != nil {
				return q.failed(ctx, failure)
			}
			failure = q.write(ctx, w, part, columns, cells)
			_ = part.Close()
			if failure != nil {
				return failure
			}
		}
		return nil
	}, take)
}

// failed returns the error of a driver. A driver's text may quote a cell, so none is shown unless
// Failed knows better.
func (q Query) failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case q.Failed != nil:
		return q.Failed(err)
	}
	return &database.Problem{Problem: "the database does not run it to its end", Want: "every row of the result", Remedy: "errors.Unwrap gives the error of the driver, which may quote a record", Err: err}
}

// columnsOf describes the columns of a result.
func (q Query) columnsOf(rows *sql.Rows) ([]database.Column, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	kind := kindOf
	if q.Kind != nil {
		kind = q.Kind
	}
	columns := make([]database.Column, len(types))
	for i, t := range types {
		columns[i] = database.Column{Name: t.Name(), Type: t.DatabaseTypeName(), Kind: kind(t.DatabaseTypeName()), Remedy: "convert it in the query"}
	}
	return columns, nil
}

// kindOf returns the kind of a type by its name. Most databases use these names.
func kindOf(name string) database.Kind {
	name, _, _ = strings.Cut(strings.ToUpper(name), "(")
	name = strings.TrimSpace(name)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(name, part) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasPrefix(name, "_"): // as PostgreSQL names arrays
		if has("INT", "FLOAT", "NUMERIC") {
			return database.Lists
		}
		return database.Unread
	case has("BLOB", "BYTEA", "BINARY", "JSON", "INTERVAL") || name == "TIME":
		return database.Unread
	case has("BOOL"):
		return database.Bools
	case name == "DATE":
		return database.Dates
	case has("TIMESTAMP", "DATETIME"):
		return database.Times
	}
	if has("INT", "REAL", "FLOAT", "DOUBLE", "NUM", "DEC") {
		return database.Numbers
	}
	return database.Untyped
}

// pass passes the text that write writes to take. It returns after both ends have stopped.
func pass(write func(*bufio.Writer) error, take func(io.Reader) error) error {
	r, w := io.Pipe()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		buffer := bufio.NewWriterSize(w, bufferBytes)
		err := write(buffer)
		if err == nil {
			err = buffer.Flush()
		}
		_ = w.CloseWithError(err) // nil ends the text
	}()
	err := take(r)
	_ = r.CloseWithError(errEnough)
	<-stopped
	return err
}

// write writes the rows as CSV text.
func (q Query) write(ctx context.Context, w *bufio.Writer, rows *sql.Rows, columns []database.Column, cells []database.Cell) error {
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	var line, cell []byte
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return q.failed(ctx, err)
		}
		line = line[:0]
		for i, c := range cells {
			if i > 0 {
				line = append(line, ',')
			}
			if c.Form == database.Empty || values[c.Column] == nil {
				continue
			}
			cell = appendCell(cell[:0], values[c.Column], columns[c.Column].Kind, c)
			line = quoted(line, cell)
		}
		if len(line) == 0 { // an empty line is no row
			line = append(line, `""`...)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return q.failed(ctx, err)
	}
	return nil
}

// quoted appends a cell, in quotes where CSV needs them.
func quoted(line, cell []byte) []byte {
	if bytes.IndexByte(cell, ',') < 0 && bytes.IndexByte(cell, '"') < 0 && bytes.IndexByte(cell, '\n') < 0 && bytes.IndexByte(cell, '\r') < 0 {
		return append(line, cell...)
	}
	line = append(line, '"')
	for _, b := range cell {
		if b == '"' {
			line = append(line, '"')
		}
		line = append(line, b)
	}
	return append(line, '"')
}

// appendCell appends a value in the form of a cell.
func appendCell(b []byte, value any, kind database.Kind, c database.Cell) []byte {
	if kind == database.Bools {
		if is, ok := truth(value); ok {
			return append(b, c.Bools[is]...)
		}
	}
	if at, ok := value.(time.Time); ok {
		return appendTime(b, at, kind, c.Form)
	}
	const exact = 1 << 53
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		if c.Exact && !(math.Abs(v) < exact) {
			return b
		}
		return appendFloat(b, v)
	case float32:
		if c.Exact && !(math.Abs(float64(v)) < exact) {
			return b
		}
		return strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	case bool:
		is, _ := truth(v)
		return append(b, c.Bools[is]...)
	case []byte:
		return appendText(b, string(v), kind, c)
	case string:
		return appendText(b, v, kind, c)
	}
	return append(b, "another type"...) // which is no number
}

// truth returns 0 or 1 for a value that means false or true.
func truth(value any) (int, bool) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int64:
		return int(v & 1), v == 0 || v == 1
	}
	return 0, false
}

// appendFloat appends a number as people write it.
func appendFloat(b []byte, v float64) []byte {
	if size := math.Abs(v); size != 0 && (size < 1e-7 || size >= 1e21) {
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// appendTime appends a date or a moment.
func appendTime(b []byte, at time.Time, kind database.Kind, form database.Form) []byte {
	at = at.UTC()
	if kind == database.Dates && !at.Equal(at.Truncate(24*time.Hour)) {
		kind = database.Times // a column of dates may hold moments where the database enforces no types
	}
	switch {
	case form == database.Number && kind == database.Dates:
		return strconv.AppendFloat(b, math.Floor(float64(at.Unix())/86400), 'f', -1, 64)
	case form == database.Number:
		return strconv.AppendFloat(b, moment.Of(at), 'f', -1, 64)
	case kind == database.Dates:
		return at.AppendFormat(b, time.DateOnly)
	}
	return at.AppendFormat(b, "2006-01-02 15:04:05.999999999")
}

// appendText appends a text, or the number of a date that the driver gives as text, or an element
// of a list in braces.
func appendText(b []byte, text string, kind database.Kind, c database.Cell) []byte {
	switch {
	case c.Form == database.Element:
		elements := strings.Split(strings.Trim(text, "{}[]"), ",")
		if len(elements) != c.Elements {
			return append(b, database.OtherLength...)
		}
		if one := strings.TrimSpace(elements[c.Element]); !strings.EqualFold(one, "NULL") {
			return append(b, one...)
		}
		return b
	case c.Form == database.Number && (kind == database.Dates || kind == database.Times):
		if v, ok := moment.Parse(text); ok {
			return appendFloat(b, v)
		}
	}
	return append(b, text...)
}
