package tabular

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/database/postgres"
	"github.com/ditherml/dither/model"
)

// IsDatabase reports whether a path is the address of a database into which predictions can go.
func IsDatabase(path string) bool { return postgres.Is(path) }

// WriteTable writes predictions into a table of the database at an address. The predictions come
// from fill as CSV text. Columns of source that are copied keep their types if it is a database.
func WriteTable(ctx context.Context, address, table string, replace bool, m *model.Model, source data.Source, pass []string, fill func(io.Writer) error) error {
	a, err := postgres.Parse(address)
	if err != nil {
		return err
	}
	if a.Query != "" || (a.Table == "") == (table == "") {
		return errors.New("--out names a database without a table, or with two, want --out-table NAME")
	}
	if table != "" {
		a.Table = table
	}
	types, err := typesOf(ctx, source)
	if err != nil {
		return err
	}
	fields := []postgres.Field{{Name: "row", Type: "bigint"}}
	for _, name := range pass {
		f := postgres.Field{Name: name, Type: "text"}
		if kept := types[name]; kept != "" {
			f.Type = kept
		}
		fields = append(fields, f)
	}
	target := m.Schema().Target
	prediction := postgres.Field{Name: "prediction", Type: "text"}
	if target.Regression() {
		prediction.Type = "double precision"
	}
	fields = append(fields, prediction)
	for _, level := range target.Levels {
		fields = append(fields, postgres.Field{Name: "probability of " + level, Type: "double precision"})
	}
	if err = postgres.Write(ctx, a, replace, fields, fill); err != nil && ctx.Err() == nil {
		var said *database.Problem
		if errors.As(err, &said) {
			return fmt.Errorf("%s: %w", database.TableName(a.Table), err)
		}
	}
	return err
}

// keptTypes are the types that a copied column keeps.
var keptTypes = []string{"smallint", "integer", "bigint", "numeric", "real", "double precision", "boolean", "uuid", "date", "text"}

// typesOf returns the types of the columns of a source that keep them, by name.
func typesOf(ctx context.Context, source data.Source) (map[string]string, error) {
	types := map[string]string{}
	if source.Database == nil {
		return types, nil
	}
	enough := errors.New("described")
	err := source.Database.Read(ctx, func(columns []database.Column) ([]database.Cell, error) {
		for _, c := range columns {
			if slices.Contains(keptTypes, c.Type) {
				types[c.Name] = c.Type
			}
		}
		return nil, enough
	}, nil)
	if err == nil || errors.Is(err, enough) {
		return types, nil
	}
	return nil, fmt.Errorf("%s: %w", source.Database.Name(), err)
}
