package tabular

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/internal/database/sqlite"
	"github.com/ditherml/dither/internal/format"
	"github.com/ditherml/dither/internal/format/parquet"
	"github.com/ditherml/dither/model"
)

// Output is where predictions go: a file of CSV or Parquet, or a table of a database.
type Output struct {
	// Path is a file, or the address of a database. It is empty for standard output.
	Path string
	// Table is the table of a database.
	Table   string
	Replace bool
}

// parquetEnding and sqliteEndings are the endings of names by which predict chooses the format.
const parquetEnding = ".parquet"

var sqliteEndings = []string{".db", ".db3", ".sqlite", ".sqlite3"}

// toSQLite reports whether the path names a file of SQLite.
func (o Output) toSQLite() bool {
	return sqlite.Is(o.Path) || slices.Contains(sqliteEndings, strings.ToLower(filepath.Ext(o.Path)))
}

// ToDatabase reports whether predictions go into the table of a database.
func (o Output) ToDatabase() bool { return postgres.Is(o.Path) || o.toSQLite() }

// Check returns an error if predictions cannot go there, before anything is read.
func (o Output) Check() error {
	name := strings.ToLower(o.Path)
	switch {
	case o.ToDatabase() && o.toSQLite():
		return sqlite.CanWrite()
	case o.ToDatabase():
		return nil
	case o.Table != "":
		return errors.New("--out-table is given without --out postgres://user@host/database or a file of SQLite such as --out scores.db, want both")
	case format.Unpacked(name) != name:
		return fmt.Errorf("--out has the ending %s of a compressed file, want a file of CSV or Parquet; compress it afterwards", filepath.Ext(name))
	}
	for _, kind := range format.Kinds()[1:] { // the first is CSV
		for _, ending := range kind.Endings {
			if strings.HasSuffix(name, ending) && ending != parquetEnding {
				return fmt.Errorf("--out has the ending %s of %s, want CSV, Parquet or SQLite; name a file such as scores.csv, scores.parquet or scores.db", ending, kind.Name)
			}
		}
	}
	return nil
}

// WriteFile writes predictions as the ending of the path says: as Parquet, or else as CSV for a spreadsheet.
func (o Output) WriteFile(ctx context.Context, w io.Writer, p *Predictions) error {
	if !strings.HasSuffix(strings.ToLower(o.Path), parquetEnding) {
		return p.WriteCSV(ctx, w, true)
	}
	var columns []parquet.Output
	fields, err := fieldsOf(p.model.Schema().Target, p.copied.names, nil)
	if err != nil {
		return err
	}
	for i, f := range fields {
		columns = append(columns, parquet.Output{Name: f.name, Kind: map[string]parquet.OutputKind{integerType: parquet.Integers, doubleType: parquet.Doubles, textType: parquet.Strings}[f.kind], Required: i == 0})
	}
	out, err := parquet.NewWriter(w, columns)
	if err == nil {
		err = p.each(ctx, plainCell, out.Write)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil && ctx.Err() == nil {
		return unwritten(err)
	}
	return err
}

// The types of the columns that predictions have, as PostgreSQL names them.
const integerType, doubleType, textType = "bigint", "double precision", "text"

// outputField is a column of a table of predictions.
type outputField struct{ name, kind string }

// fieldsOf returns the columns of a table of predictions. Columns that are copied have the kept types, or are texts.
func fieldsOf(target data.Target, pass []string, kept map[string]string) ([]outputField, error) {
	fields := []outputField{{"row", integerType}}
	for _, name := range pass {
		fields = append(fields, outputField{name, cmp.Or(kept[name], textType)})
	}
	if target.Regression() {
		fields = append(fields, outputField{"prediction", doubleType})
	} else {
		fields = append(fields, outputField{"prediction", textType})
	}
	for _, level := range target.Levels {
		fields = append(fields, outputField{"probability of " + level, doubleType})
	}
	seen := map[string]bool{}
	for _, f := range fields {
		name := strings.ToLower(f.name) // SQLite does not tell capitals apart
		if seen[name] {
			return nil, fmt.Errorf("the table of predictions has two columns %q, want distinct names; leave it out of --pass-through, or write CSV", f.name)
		}
		seen[name] = true
	}
	return fields, nil
}

// Fill reads a table and passes its predictions to write.
type Fill func(write func(*Predictions) error) error

// WriteTable writes the predictions of fill into the table of a database. Columns of source that are copied keep
// their types if it is a database.
func (o Output) WriteTable(ctx context.Context, m *model.Model, source data.Source, pass []string, fill Fill) error {
	write := o.writePostgres
	if o.toSQLite() {
		write = o.writeSQLite
	}
	table, err := write(ctx, m, source, pass, fill)
	var said *database.Problem
	if err != nil && ctx.Err() == nil && errors.As(err, &said) {
		return fmt.Errorf("%s: %w", database.TableName(table), err)
	}
	return err
}

// named returns the table that either the address or a flag names.
func (o Output) named(table, query string) (string, error) {
	if query != "" || (table == "") == (o.Table == "") {
		return "", errors.New("--out names a database without a table, or with two, want --out-table NAME")
	}
	return cmp.Or(table, o.Table), nil
}

func (o Output) writePostgres(ctx context.Context, m *model.Model, source data.Source, pass []string, fill Fill) (string, error) {
	a, err := postgres.Parse(o.Path)
	if err != nil {
		return "", err
	}
	if a.Table, err = o.named(a.Table, a.Query); err != nil {
		return "", err
	}
	types, err := typesOf(ctx, source)
	if err != nil {
		return "", err
	}
	kept := map[string]string{}
	for name, kind := range types {
		if slices.Contains(keptTypes, kind) {
			kept[name] = kind
		}
	}
	columns, err := fieldsOf(m.Schema().Target, pass, kept)
	if err != nil {
		return "", err
	}
	var fields []postgres.Field
	for _, f := range columns {
		fields = append(fields, postgres.Field{Name: f.name, Type: f.kind})
	}
	return a.Table, postgres.Write(ctx, a, o.Replace, fields, func(w io.Writer) error {
		return fill(func(p *Predictions) error { return p.WriteCSV(ctx, w, false) })
	})
}

// keptTypes are the types of PostgreSQL that a copied column keeps.
var keptTypes = []string{"smallint", "integer", "bigint", "numeric", "real", "double precision", "boolean", "uuid", "date", "text"}

// typesOf returns the types of the columns of a source by name, if it is a database.
func typesOf(ctx context.Context, source data.Source) (map[string]string, error) {
	types := map[string]string{}
	if source.Database == nil {
		return types, nil
	}
	enough := errors.New("described")
	err := source.Database.Read(ctx, func(columns []database.Column) ([]database.Cell, error) {
		for _, c := range columns {
			types[c.Name] = c.Type
		}
		return nil, enough
	}, nil)
	if err == nil || errors.Is(err, enough) {
		return types, nil
	}
	return nil, fmt.Errorf("%s: %w", source.Database.Name(), err)
}
