package data

import (
	"context"

	"github.com/ditherml/dither/internal/columnar"
)

// fromColumns returns the draft of a schema from what a file says about its columns.
func (d Draft) fromColumns(ctx context.Context, src Source, columns columnar.File) (*Schema, error) {
	c, header, err := tableOf(request{file: src.Path, maxRecords: -1}, columns)
	if err != nil {
		return nil, err
	}
	s, err := d.schema(src, header)
	if err != nil {
		return nil, err
	}
	s.Delimiter = 0
	at := map[string]int{}
	for i, column := range s.Columns {
		at[column.Name] = i
	}
	var readable []int
	for i, name := range header.header {
		if c.columns[i].Refused == nil {
			readable = append(readable, i)
		}
		if k, has := at[name]; has {
			s.Columns[k].declare(c.columns[i])
		} else {
			s.declareTarget(c.columns[i])
		}
	}
	if d.FromData {
		defer c.close()
		if err = c.open(columns, readable); err != nil {
			return nil, err
		}
		if err = s.copyFrom(ctx, header, c.newRows()); err != nil {
			return nil, err
		}
	}
	s.Undeclared = s.undeclared()
	return s, nil
}

// declareTarget declares an open target by what the file says about it.
func (s *Schema) declareTarget(said columnar.Column) {
	if t := &s.Target; isBool(said) && len(t.Levels) == 0 && t.Lower == 0 && t.Upper == 0 {
		t.Levels = boolLevels()
	}
}

// declare declares an open column by what the file says about it.
func (c *Column) declare(said columnar.Column) {
	switch {
	case c.Kind != 0:
	case said.Refused != nil:
		c.Kind = Ignored
	case isBool(said):
		*c = draftCategorical(c.Name, boolLevels())
	}
}

// isBool reports whether a column of a file is read and is one of bools.
func isBool(f columnar.Column) bool { return f.Refused == nil && f.Kind == columnar.Bools }
