package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/ditherml/dither/internal/database"
)

// mostCells is the largest number of columns that a query of PostgreSQL can have, with some room.
const mostCells = 1600

// types describes types: their own kind, and that of their elements.
const types = `SELECT t.oid, t.typcategory::text, coalesce(e.typcategory::text, ''), format_type(t.oid, NULL)
	FROM pg_type t LEFT JOIN pg_type e ON t.typcategory = 'A' AND e.oid = t.typelem WHERE t.oid = ANY($1)`

// columnsOf returns the columns of a query. The server analyses the query and does not run it.
func columnsOf(ctx context.Context, conn *pgx.Conn, query string) ([]database.Column, error) {
	described, err := conn.PgConn().Prepare(ctx, "", query, nil)
	if err != nil {
		return nil, faulty(ctx, err)
	}
	switch {
	case len(described.ParamOIDs) > 0:
		return nil, &database.Problem{Problem: "the query has parameters, such as $1", Want: "a query without them", Remedy: "write the values into it"}
	case len(described.Fields) == 0:
		return nil, &database.Problem{Problem: "the query returns no columns", Want: "one that begins with SELECT, VALUES, TABLE or WITH", Remedy: "mend it"}
	case len(described.Fields) > mostCells:
		return nil, tooWide()
	}
	columns := make([]database.Column, len(described.Fields))
	oids := make([]uint32, len(columns))
	for i, f := range described.Fields {
		columns[i].Name, oids[i] = f.Name, f.DataTypeOID
	}
	rows, err := conn.Query(ctx, types, oids)
	if err != nil {
		return nil, refused(ctx, err)
	}
	known := map[uint32]database.Column{}
	var oid uint32
	var category, elements, name string
	_, err = pgx.ForEachRow(rows, []any{&oid, &category, &elements, &name}, func() error {
		known[oid] = kindOf(oid, category, elements, name)
		return nil
	})
	if err != nil {
		return nil, refused(ctx, err)
	}
	for i := range columns {
		c := known[oids[i]]
		columns[i].Kind, columns[i].Type, columns[i].Remedy = c.Kind, c.Type, c.Remedy
	}
	return columns, nil
}

func tooWide() error {
	return &database.Problem{Problem: fmt.Sprintf("the rows have more than %d cells", mostCells), Want: "fewer columns or shorter lists", Remedy: "name the columns that are needed in a query"}
}

// kindOf returns the kind of a type, or the remedy where cells of the type are not read.
func kindOf(oid uint32, category, elements, name string) database.Column {
	c := database.Column{Type: name, Remedy: "cast it in the query, as column::text or column::numeric"}
	switch {
	case oid == pgtype.DateOID:
		c.Kind = database.Dates
	case oid == pgtype.TimestampOID || oid == pgtype.TimestamptzOID:
		c.Kind = database.Times
	case category == "D" || category == "T":
		c.Remedy = "write a number in the query, as extract(epoch from column)"
	case oid == moneyOID:
		c.Remedy = "cast it in the query, as column::numeric"
	case category == "N":
		c.Kind = database.Numbers
	case category == "B":
		c.Kind = database.Bools
	case category == "S" || category == "E" || category == "I" || oid == pgtype.UUIDOID:
		c.Kind = database.Texts
	case category == "A" && elements == "N":
		c.Kind = database.Lists
	case category == "A":
		c.Remedy = "write the elements as columns in the query, as column[1]"
	case oid == pgtype.JSONOID || oid == pgtype.JSONBOID:
		c.Remedy = "write the values as columns in the query, as (column->>'key')::numeric"
	}
	return c
}

// moneyOID is the type money, whose texts follow the language of the server.
const moneyOID = 790

// statement returns the statement that writes the cells of a query.
func statement(query string, columns []database.Column, cells []database.Cell) string {
	var b strings.Builder
	b.WriteString("COPY (SELECT ")
	for i, c := range cells {
		if i > 0 {
			b.WriteString(", ")
		}
		text := expression(fmt.Sprintf("q.c%d", c.Column), columns[c.Column], c)
		if len(cells) == 1 { // a missing cell alone would be an empty line, which is no row
			text = "coalesce((" + text + ")::text, '')"
		}
		b.WriteString(text)
	}
	b.WriteString("\nFROM (" + query + "\n) AS q (")
	for i := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "c%d", i)
	}
	b.WriteString(")) TO STDOUT (FORMAT csv, ENCODING 'UTF8'")
	if len(cells) == 1 {
		b.WriteString(", FORCE_QUOTE *")
	}
	return b.String() + ")"
}

// expression returns a cell in SQL.
func expression(x string, column database.Column, c database.Cell) string {
	switch {
	case c.Form == database.Empty:
		return "NULL"
	case c.Form == database.Number && column.Kind == database.Dates:
		return fmt.Sprintf("CASE WHEN isfinite(%s) THEN %[1]s - DATE '1970-01-01' END", x)
	case c.Form == database.Number && column.Kind == database.Times:
		return fmt.Sprintf("CASE WHEN isfinite(%s) THEN extract(epoch FROM %[1]s) END", x)
	case c.Form == database.Element:
		return fmt.Sprintf("CASE WHEN cardinality(%[1]s) = %[2]d AND array_ndims(%[1]s) = 1 THEN %[1]s[array_lower(%[1]s, 1) + %[3]d]::text WHEN %[1]s IS NOT NULL THEN %[4]s END", x, c.Elements, c.Element, literal(database.OtherLength))
	case column.Kind == database.Bools:
		return fmt.Sprintf("CASE %s WHEN false THEN %s WHEN true THEN %s END", x, literal(c.Bools[0]), literal(c.Bools[1]))
	case c.Exact && (column.Type == "double precision" || column.Type == "real"): // NaN is above all numbers
		return fmt.Sprintf("CASE WHEN abs(%s) < 9007199254740992 THEN %[1]s END", x)
	}
	return x
}

// literal returns a text in SQL.
func literal(text string) string {
	return "E'" + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "'", "''") + "'"
}
