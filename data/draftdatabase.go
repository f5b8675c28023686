package data

import (
	"context"
	"errors"
	"io"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/database"
)

// fromDatabase returns the draft of the schema of a table or query of a database, from the
// description of its columns. It reads rows only if d.FromData is true.
func (d Draft) fromDatabase(ctx context.Context, src Source) (s *Schema, err error) {
	t := &table{file: src.Path, named: true, nextLine: 1, database: true}
	choose := func(columns []database.Column) ([]database.Cell, error) {
		var cells []database.Cell
		for i, c := range columns {
			cell := database.Cell{Column: i, Form: database.Plain, Bools: [2]string(boolLevels())}
			if c.Kind == database.Unread || c.Kind == database.Lists {
				cell.Form = database.Empty
			}
			t.header, cells = append(t.header, c.Name), append(cells, cell)
		}
		if s, err = d.schema(Source{}, t); err != nil {
			return nil, err
		}
		s.Header = nil
		at := positions(t.header)
		for k := range s.Columns {
			s.Columns[k].declare(declaredType(columns[at[s.Columns[k].Name]]))
		}
		s.declareTarget(declaredType(columns[at[s.Target.Column]]))
		if !d.FromData {
			return nil, errDescribed
		}
		return cells, nil
	}
	err = src.Database.Read(ctx, choose, func(r io.Reader) error {
		t.open(databaseText{r, src.Path}, ',', false)
		return s.copyFrom(ctx, t, t)
	})
	if err != nil && err != errDescribed {
		return nil, databaseFailure(src.Path, err)
	}
	s.Undeclared = s.undeclared()
	return s, nil
}

// errDescribed ends a reading after the columns were described.
var errDescribed = errors.New("data: described")

// declaredType returns what the type of a column declares.
func declaredType(c database.Column) columnar.Column {
	said := columnar.Column{Name: c.Name}
	switch c.Kind {
	case database.Bools:
		said.Kind = columnar.Bools
	case database.Unread:
		said.Refused = &columnar.Problem{}
	}
	return said
}
