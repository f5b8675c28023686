package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/database"
)

// fromDatabase returns the draft of the schema of a table or query of a database. The draft follows
// from the columns and what the database declares about them. It reads rows only if d.FromData is
// true.
func (d Draft) fromDatabase(ctx context.Context, src Source) (s *Schema, err error) {
	declared, comment, err := src.Database.Declared(ctx)
	if err != nil {
		return nil, databaseFailure(src.Path, err)
	}
	t := &table{file: src.Path, named: true, nextLine: 1, database: true}
	choose := func(columns []database.Column) ([]database.Cell, error) {
		if len(columns) != len(declared) {
			return nil, &database.Problem{Problem: "the columns changed while they were read", Want: "a table that stands still", Remedy: "try again"}
		}
		found := foundColumns(columns, declared)
		cells := make([]database.Cell, len(found))
		for i, f := range found {
			cells[i] = f.cell
			t.header = append(t.header, f.name)
		}
		if d, err = d.expanded(src.Path, t.header); err != nil {
			return nil, err
		}
		if s, err = d.schema(Source{}, t); err != nil {
			return nil, err
		}
		s.Header = nil
		names, comments := make([]string, len(columns)), make([]string, len(columns))
		for i, c := range columns {
			names[i], comments[i] = c.Name, declared[i].Comment
		}
		s.Description = describedBy(comment, names, comments)
		at := positions(t.header)
		for k := range s.Columns {
			f, own := found[at[s.Columns[k].Name]], &s.Columns[k]
			if isDate := f.column.Kind == database.Dates || f.column.Kind == database.Times; isDate && own.Kind == Numeric && own.Date == nil {
				return nil, &database.Problem{Problem: fmt.Sprintf("column %q holds dates, and numbers are declared", own.Name), Want: "no bounds of numbers", Remedy: "leave them out, and write since and range in the draft"}
			}
			own.declareFrom(f)
		}
		s.Target.declareFrom(found[at[s.Target.Column]])
		if !d.FromData {
			return nil, errDescribed
		}
		return cells, nil
	}
	err = src.Database.Read(ctx, choose, func(r io.Reader) error {
		t.open(databaseText{r, src.Path}, ',', false)
		return s.copyFrom(ctx, t, t)
	})
	if err != nil && !errors.Is(err, errDescribed) {
		return nil, databaseFailure(src.Path, err)
	}
	s.Undeclared = s.undeclared()
	return s, nil
}

// errDescribed ends a reading after the columns were described.
var errDescribed = errors.New("data: described")

// foundColumn is a column of a draft, as a database describes it. A list of declared length is several columns.
type foundColumn struct {
	name     string
	column   database.Column
	declared database.Declared
	cell     database.Cell
}

func foundColumns(columns []database.Column, declared []database.Declared) []foundColumn {
	var found []foundColumn
	for i, c := range columns {
		f := foundColumn{c.Name, c, declared[i], database.Cell{Column: i, Form: database.Plain, Bools: [2]string(boolLevels())}}
		switch {
		case c.Kind == database.Unread || c.Kind == database.Lists:
			f.cell.Form = database.Empty
		}
		for k := range f.declared.Length {
			element := f
			element.name += strconv.Itoa(k)
			element.cell = database.Cell{Column: i, Form: database.Element, Element: k, Elements: f.declared.Length}
			if c.Kind == database.Lists {
				found = append(found, element)
			}
		}
		if c.Kind != database.Lists || f.declared.Length == 0 {
			found = append(found, f)
		}
	}
	return found
}

// describedBy returns the comments on a table and its columns in one line.
func describedBy(comment string, names, comments []string) string {
	var parts []string
	if comment != "" {
		parts = append(parts, comment)
	}
	for i, name := range names {
		if comments[i] != "" {
			parts = append(parts, name+": "+comments[i])
		}
	}
	text := strings.Join(strings.Fields(strings.Join(parts, "; ")), " ")
	if !plainText(text) {
		return ""
	}
	return text
}

// levels returns the declared levels, nil without two or more that a schema can hold.
func (f foundColumn) levels() []string {
	levels := f.declared.Levels
	switch {
	case f.column.Kind == database.Bools:
		return boolLevels()
	case len(levels) < 2 || f.column.Kind == database.Numbers && !f.integer() || faultLevels(levels, (&Schema{}).Marks()) != nil:
		return nil
	}
	return levels
}

// integer reports whether the column has a type of integers.
func (f foundColumn) integer() bool {
	return f.column.Kind == database.Numbers && slices.Contains([]string{"smallint", "integer", "bigint", "INTEGER", "INT"}, f.column.Type)
}

// bounds reports the declared bounds of a number.
func (f foundColumn) bounds() (lower, upper float64, ok bool) {
	d := f.declared
	if f.column.Kind == database.Numbers && len(d.Levels) > 1 && f.levels() == nil {
		low, high := math.Inf(1), math.Inf(-1)
		for _, level := range d.Levels {
			v, err := strconv.ParseFloat(level, 64)
			if err != nil {
				return 0, 0, false
			}
			low, high = min(low, v), max(high, v)
		}
		d.Lower, d.Upper = max(d.Lower, low), min(d.Upper, high)
	}
	isNumber := f.column.Kind == database.Numbers || f.column.Kind == database.Untyped || f.column.Kind == database.Dates || f.column.Kind == database.Times
	return d.Lower, d.Upper, isNumber && finite(d.Lower) && finite(d.Upper) && d.Lower < d.Upper
}

// open returns the declarations of an open column whose type the database states.
func (f foundColumn) open() string {
	return map[database.Kind]string{database.Numbers: declareNumber, database.Lists: declareNumber,
		database.Dates: openDate, database.Times: openDate, database.Texts: declareTexts}[f.column.Kind]
}

// declareFrom declares an open column by what the database says about it.
func (c *Column) declareFrom(f foundColumn) {
	if c.Kind != 0 {
		return
	}
	lower, upper, bounded := f.bounds()
	switch levels := f.levels(); {
	case f.declared.Key || f.column.Kind == database.Unread:
		c.Kind = Ignored
		return
	case levels != nil:
		*c = draftCategorical(c.Name, levels)
	case bounded && (f.column.Kind == database.Dates || f.column.Kind == database.Times):
		if f.column.Kind == database.Times {
			const daySeconds = 24 * 60 * 60
			lower, upper = lower/daySeconds, upper/daySeconds
		}
		since := math.Floor(lower)
		*c = draftDate(c.Name, int64(since), lower-since, upper-since)
		if faultSpan(c.Date) != nil {
			*c = Column{Name: c.Name, open: openDate}
			return
		}
	case bounded:
		*c = draftNumeric(c.Name, lower, upper)
		c.Integer = f.integer()
	default:
		c.open = f.open()
		return
	}
	if f.declared.Required { // no cell is missing, so an indicator would be 0 in all rows
		c.Missing = Zero
	}
}

// declareFrom declares an open target by what the database says about it.
func (t *Target) declareFrom(f foundColumn) {
	if len(t.Levels) > 0 || t.Lower != 0 || t.Upper != 0 {
		return
	}
	if levels := f.levels(); levels != nil {
		t.Levels = levels
	} else if lower, upper, ok := f.bounds(); ok {
		t.Lower, t.Upper = lower, upper
	}
}
