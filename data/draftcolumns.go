package data

import "context"

// fromColumns drafts a schema from what a file says about its columns.
func (d Draft) fromColumns(ctx context.Context, src Source, columns Columns) (*Schema, error) {
	c, header, err := tableOf(request{file: src.Path, maxRecords: -1}, columns)
	if err != nil {
		return nil, err
	}
	s, err := d.schema(src, header)
	if err != nil {
		return nil, err
	}
	s.Delimiter = 0
	var readable []int
	for i, name := range header.header {
		if c.columns[i].Refused == nil {
			readable = append(readable, i)
		}
		s.declare(name, c.columns[i])
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

// declare declares an open column, or the target, by what the file says about it.
func (s *Schema) declare(name string, said FileColumn) {
	isBool := said.Refused == nil && said.Kind == BoolCells
	if t := &s.Target; t.Column == name {
		if isBool && len(t.Levels) == 0 && t.Lower == 0 && t.Upper == 0 {
			t.Levels = boolLevels()
		}
		return
	}
	for i := range s.Columns {
		switch c := &s.Columns[i]; {
		case c.Name != name || c.Kind != 0:
		case said.Refused != nil:
			c.Kind = Ignored
		case isBool:
			*c = draftCategorical(name, boolLevels())
		}
	}
}
