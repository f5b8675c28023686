package postgres

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/ditherml/dither/internal/database"
)

// declarations are what the catalog says about columns of tables: whether a cell may be missing,
// whether the column is the key, the values of an enumeration, and the comment. A domain's own
// declarations count too.
const declarations = `SELECT a.attrelid, a.attnum, a.attname, a.attnotnull OR t.typnotnull,
	EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND i.indkey::text = a.attnum::text),
	(SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid IN (t.oid, t.typbasetype)),
	coalesce(col_description(a.attrelid, a.attnum), '')
	FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped`

// conditions are the CHECK conditions that hold for all rows: of single columns, of tables, and of
// domains, which call their value VALUE.
const conditions = `SELECT a.attrelid, a.attnum, a.attname, pg_get_expr(c.conbin, c.conrelid)
	FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
	WHERE c.contype = 'c' AND c.convalidated AND NOT c.connoinherit AND c.conrelid = ANY($1)
	UNION ALL SELECT a.attrelid, a.attnum, 'value', substring(pg_get_constraintdef(c.oid) FROM '^CHECK (.*)$')
	FROM pg_constraint c JOIN pg_attribute a ON a.atttypid = c.contypid
	WHERE c.contype = 'c' AND c.convalidated AND a.attrelid = ANY($1) ORDER BY 1, 2`

// place is a column of a table.
type place struct {
	table  uint32
	column int16
}

// Declared is [database.Table.Declared]. A column of a query has the declarations of the column of
// the table that it comes from, unless it is computed.
func (t Table) Declared(ctx context.Context) (columns []database.Declared, comment string, err error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return nil, "", err
	}
	defer closed(conn)
	query, err := t.text(ctx, conn)
	if err != nil {
		return nil, "", err
	}
	described, err := conn.PgConn().Prepare(ctx, "", query, nil)
	if err != nil {
		return nil, "", faulty(ctx, err)
	}
	columns = make([]database.Declared, len(described.Fields))
	at := map[place][]int{}
	var tables []uint32
	for i, f := range described.Fields {
		columns[i].Lower, columns[i].Upper = math.Inf(-1), math.Inf(1)
		if f.TableOID > 0 {
			p := place{f.TableOID, int16(f.TableAttributeNumber)}
			at[p], tables = append(at[p], i), append(tables, f.TableOID)
		}
	}
	if err = t.catalog(ctx, conn, tables, at, columns); err != nil {
		return nil, "", refused(ctx, err)
	}
	if t.address.Query == "" && len(tables) > 0 {
		err = conn.QueryRow(ctx, "SELECT coalesce(obj_description($1, 'pg_class'), '')", tables[0]).Scan(&comment)
	}
	if err != nil {
		return nil, "", refused(ctx, err)
	}
	return columns, comment, nil
}

// catalog fills in the declarations of columns. In a query a join can leave out required cells.
func (t Table) catalog(ctx context.Context, conn *pgx.Conn, tables []uint32, at map[place][]int, columns []database.Declared) error {
	var p place
	var name, text string
	var required, key bool
	var levels []string
	rows, err := conn.Query(ctx, declarations, tables)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&p.table, &p.column, &name, &required, &key, &levels, &text}, func() error {
			for _, i := range at[p] {
				d := &columns[i]
				d.Required, d.Key, d.Levels, d.Comment = required && t.address.Query == "", key, levels, text
			}
			levels = nil
			return nil
		})
	}
	if err != nil {
		return err
	}
	rows, err = conn.Query(ctx, conditions, tables)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&p.table, &p.column, &name, &text}, func() error {
			for _, i := range at[p] {
				columns[i].Check(text, name)
			}
			return nil
		})
	}
	return err
}
