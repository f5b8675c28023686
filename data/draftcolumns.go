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
			if isDated(c.columns[i]) && s.Columns[k].Kind == Numeric && s.Columns[k].Date == nil {
				return nil, &FileError{File: src.Path, Column: i + 1, Problem: "the column holds dates, and numbers are declared", Want: "no bounds of numbers", Remedy: "leave them out, and write since and range in the draft"}
			}
			s.Columns[k].declare(c.columns[i])
		} else {
			s.declareTarget(c.columns[i])
		}
	}
	names, comments := make([]string, len(c.columns)), make([]string, len(c.columns))
	for i, said := range c.columns {
		names[i], comments[i] = header.header[i], said.Comment
	}
	s.Description = describedBy(columns.Comment(), names, comments)
	if d.FromData {
		defer c.close()
		if err = c.open(columns, readable); err != nil {
			return nil, err
		}
		rows := c.newRows()
		for i := range rows.dates {
			rows.dates[i] = true
		}
		if err = s.copyFrom(ctx, header, rows); err != nil {
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
		return
	case said.Refused != nil:
		c.Kind = Ignored
	case isBool(said):
		*c = draftCategorical(c.Name, boolLevels())
	case said.Lower < said.Upper:
		*c = draftNumeric(c.Name, said.Lower, said.Upper)
		c.Integer = true // only types of integers have bounds
	default:
		c.open = openFor(said)
		return
	}
	if said.Required && c.Missing == Indicator { // no cell is missing, so an indicator would be 0 in all rows
		c.Missing = Zero
	}
}

// openFor returns the declarations of an open column whose type a file states.
func openFor(said columnar.Column) string {
	switch {
	case said.Kind == columnar.Texts && said.Coded:
		return declareChoices
	case said.Kind == columnar.Texts:
		return declareTexts
	case isDated(said):
		return openDate
	}
	return declareNumber
}

// isBool reports whether a column of a file is read and is one of bools.
func isBool(f columnar.Column) bool { return f.Refused == nil && f.Kind == columnar.Bools }
