package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/database"
)

// scanDatabase passes the rows of a table or query of a database to the sink. The rows arrive as
// CSV text, so they are treated as the rows of a file.
func scanDatabase(ctx context.Context, q request, from database.Table) error {
	t := &table{file: q.file, named: true, nextLine: 1, database: true}
	choose := func(columns []database.Column) (cells []database.Cell, err error) {
		if cells, t.header, err = q.cells(columns); err != nil {
			return nil, err
		}
		l, err := matchHeader(q, t)
		if err == nil {
			q.sink.begin(l)
		}
		return cells, err
	}
	err := from.Read(ctx, choose, func(r io.Reader) error {
		in := &input{ctx: ctx, file: q.file, raw: &counter{}, r: databaseText{r, q.file}, maxBytes: cmp.Or(q.maxBytes, defaultMaxBytes)}
		in.watch(nil)
		t.open(in, ',', false)
		return t.scan(ctx, q)
	})
	switch err = databaseFailure(q.file, err); {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errNoRecords):
		return &FileError{File: q.file, Problem: "it has no rows", Want: "at least one", Remedy: "check the table or the query", Err: errNoRecords}
	}
	return err
}

// databaseText completes the errors of a text that a database writes.
type databaseText struct {
	r    io.Reader
	file string
}

func (t databaseText) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && err != io.EOF {
		err = databaseFailure(t.file, err)
	}
	return n, err
}

// databaseFailure completes an error of a database with the name of the table.
func databaseFailure(file string, err error) error {
	var said *database.Problem
	if errors.As(err, &said) {
		return &FileError{File: file, Problem: said.Problem, Want: said.Want, Remedy: said.Remedy, Err: said.Err}
	}
	return err
}

// cells returns the cells that a schema needs of the columns of a database, with their names. A
// list x stands for the columns x0, x1, … of the schema.
func (q request) cells(columns []database.Column) (cells []database.Cell, names []string, err error) {
	uses := q.uses()
	for i, c := range columns {
		elements := 0
		if _, declared := uses[c.Name]; c.Kind == database.Lists && !declared {
			elements = elementsOf(uses, c.Name)
		}
		for k := range elements {
			form := database.Element
			names = append(names, c.Name+strconv.Itoa(k))
			if !uses[names[len(names)-1]].read {
				form = database.Empty
			}
			cells = append(cells, database.Cell{Column: i, Form: form, Element: k, Elements: elements})
		}
		if elements > 0 {
			continue
		}
		cell, err := q.cell(i, c, uses[c.Name])
		if err != nil {
			return nil, nil, err
		}
		cells, names = append(cells, cell), append(names, c.Name)
	}
	return cells, names, nil
}

// use is what a schema does with a column.
type use struct {
	read, number bool
	countsDates  bool // a date is a number of days, and a moment one of seconds
	levels       []string
	texts        bool // the texts of the column are kept
	date         bool
}

// uses returns the uses of all columns of the schema by name.
func (q request) uses() map[string]use {
	uses := make(map[string]use, len(q.schema.Columns)+1)
	for i := range q.schema.Columns {
		c := &q.schema.Columns[i]
		extra := slices.Contains(q.extra, c.source())
		u := use{read: c.Kind != Ignored || extra, number: !c.isText(), countsDates: c.countsDates, texts: extra || c.Kind == Text, date: c.Date != nil}
		if c.Date == nil {
			u.levels = c.texts()
		}
		uses[c.source()] = u
	}
	if target := &q.schema.Target; target.Column != "" {
		number := target.Regression() || target.Threshold != nil
		u := use{read: !q.withoutTarget, number: number, countsDates: number}
		if !number {
			u.levels = target.Levels
		}
		uses[target.Column] = u
	}
	return uses
}

// elementsOf returns the number of columns name0, name1, … that a schema declares.
func elementsOf(uses map[string]use, name string) int {
	n := 0
	for {
		if _, declared := uses[name+strconv.Itoa(n)]; !declared {
			return n
		}
		n++
	}
}

// cell returns the cell of a column for a use.
func (q request) cell(i int, c database.Column, u use) (database.Cell, error) {
	cell := database.Cell{Column: i}
	if !u.read {
		return cell, nil
	}
	want, remedy := "texts of its levels", "mend the schema or the query"
	if u.number {
		want = "numbers"
	}
	switch {
	case c.Kind == database.Unread:
		remedy = c.Remedy + ", or declare it as ignore"
	case c.Kind == database.Lists:
		want, remedy = "one cell in a row", fmt.Sprintf("declare its elements as %s[0:N], or the column as ignore", c.Name)
	case c.Kind == database.Texts && u.number:
		remedy = fmt.Sprintf("declare levels: or text: in the schema, or cast it in the query, as %s::numeric", c.Name)
	case u.date && (c.Kind == database.Numbers || c.Kind == database.Bools):
		want = "dates"
	case (c.Kind == database.Dates || c.Kind == database.Times) && u.number && !u.countsDates:
		remedy = declareDate
	case (c.Kind == database.Dates || c.Kind == database.Times) && u.number:
		cell.Form = database.Number
		return cell, nil
	default:
		cell.Form, cell.Exact = database.Plain, !u.number
		cell.Bools = boolTexts(u)
		return cell, nil
	}
	return cell, &FileError{File: q.file, Problem: fmt.Sprintf("column %q has the type %s", c.Name, c.Type), Want: want, Remedy: remedy}
}

// boolTexts returns the texts of false and true for a use.
func boolTexts(u use) [2]string {
	levels := u.levels
	if u.texts {
		levels = boolLevels()
	}
	texts := textsFor(columnar.Bools, nil, levels)
	if u.number {
		return [2]string{"0", "1"}
	}
	return [2]string{string(texts[0]), string(texts[1])}
}
