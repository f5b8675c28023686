package data

import (
	"fmt"
	"slices"
)

// request is one table to be scanned.
type request struct {
	schema        *Schema
	file          string
	delimiter     rune
	withoutTarget bool
	predicts      bool     // whether predictions are all that the table is for
	passed        []string // of extra, those that the schema of the model lacks
	extra         []string
	maxRecords    int      // of this file
	declared      int      // bound on the records of all files
	rows          *int     // passed to the sink, of all files
	related       string   // the name of the related table, or ""
	isPart        bool     // whether the file is one of several
	names         []string // of the columns of a text without a header, or nil
	noQuotes      bool     // whether a quote in a text is a character like others
	maxBytes      int64
	size          int64 // of the text in bytes, 0 when it is not known
	general       bool  // whether a CSV file is read by encoding/csv alone
	blockBytes    int   // of the blocks of a CSV text otherwise, 0 means tableBlockBytes
	sink          sink
	seen          *[]string // takes the names of the columns in place of the reading
}

// sink receives what a reader finds. begin comes first. Then either cells is called row by row, or
// number cell by cell, where the rows of each column come in order.
type sink interface {
	begin(l layout)
	cells(line int, cells []string)
	number(row, column int, v float64)
}

// layout is the positions of the columns of a schema in a file. Positions count from 0; -1 means
// none.
type layout struct {
	width    int
	features []int // of Schema.Features
	target   int   // width, one past the matrix, for a separate file of labels
	extra    []int // of ReadOptions.Extra
}

// matchHeader finds the columns of the schema in the header of a CSV file. No error quotes the
// header, because a file without one has a record there.
func matchHeader(q request, t *table) (layout, error) {
	if q.seen != nil {
		*q.seen = slices.Clone(t.header)
		return layout{}, errDescribed
	}
	positions, err := headerPositions(q, t)
	if err != nil {
		return layout{}, err
	}
	l := layout{width: len(t.header), target: -1}
	used := make([]bool, len(t.header))
	find := func(name string) int {
		i, ok := positions[name]
		if !ok {
			return -1
		}
		used[i] = true
		return i
	}
	if i := find(q.schema.Target.Column); !q.withoutTarget {
		if l.target = i; i < 0 {
			return layout{}, missingColumn(q, t, "target column", q.schema.Target.Column)
		}
	}
	for i := range q.schema.Columns {
		c := &q.schema.Columns[i]
		at := find(c.source())
		if at < 0 && c.Kind != Ignored {
			return layout{}, missingColumn(q, t, "column", c.source())
		}
		if c.Kind != Ignored {
			l.features = append(l.features, at)
		}
	}
	for _, name := range q.extra {
		at := find(name)
		if at < 0 {
			return layout{}, missingColumn(q, t, "column", name)
		}
		l.extra = append(l.extra, at)
	}
	if i := slices.Index(used, false); i >= 0 {
		return layout{}, undeclaredColumn(q, t, i)
	}
	return l, nil
}

// undeclaredColumn returns the error about a column that the schema does not name. Its own name is quoted
// if it stands outside of the file.
func undeclaredColumn(q request, t *table, at int) error {
	e := &FileError{File: q.file, Line: t.headerLine, Column: at + 1, Problem: "the schema does not name this column of the header",
		Want: "only declared columns", Remedy: "add it to the schema, as ignore if it is not wanted, or use the schema of this table"}
	if t.named {
		e.Problem = fmt.Sprintf("the schema does not name column %q", t.header[at])
	}
	if t.database {
		e.Column, e.Remedy = 0, "add it to the schema, as ignore if it is not wanted, or leave it out of the query"
	}
	if q.predicts {
		e.Remedy = remedyPassThrough
	}
	return e
}

// remedyPassThrough is the remedy for a column of a table for predictions, since the schema of a model stays as it is.
const remedyPassThrough = "take it out of the table, or let dither predict copy it with --pass-through and its name"

// refusePassed returns an error if a table whose columns have no names is asked for one that the schema lacks.
func refusePassed(q request, what string) error {
	if len(q.passed) == 0 {
		return nil
	}
	return &FileError{File: q.file, Problem: fmt.Sprintf("column %q is to be passed through and the file is %s", q.passed[0], what),
		Want: "a table whose columns have names, as CSV or Parquet", Remedy: "name only columns of the schema with --pass-through"}
}

// headerPositions checks the header as a whole, before single columns are reported missing.
func headerPositions(q request, t *table) (map[string]int, error) {
	wanted := len(q.schema.allNames())
	if len(t.header) == 1 && wanted > 2 && t.delimiter != 0 {
		return nil, &FileError{File: q.file, Line: t.headerLine, Problem: fmt.Sprintf("1 column was found with the delimiter %s", delimiterWords(t.delimiter)),
			Want: fmt.Sprintf("%d", wanted), Remedy: "name the delimiter of the file, or use the schema of this table"}
	}
	known := len(q.schema.Columns) == 0 || slices.ContainsFunc(q.schema.Columns, func(c Column) bool { return slices.Contains(t.header, c.source()) })
	if !known && t.database {
		return nil, &FileError{File: q.file, Problem: "no column has a name of the schema", Want: fmt.Sprintf("%s as declared", plural(wanted, "column")), Remedy: "name them so in the query, or use the schema of this table"}
	}
	if !known {
		return nil, &FileError{File: q.file, Line: t.headerLine, Problem: "the header has no column of the schema",
			Want: fmt.Sprintf("%s as declared", plural(wanted, "column")), Remedy: "use the schema of this table; a file without a header needs one"}
	}
	positions := make(map[string]int, len(t.header))
	for i, name := range t.header {
		if first, twice := positions[name]; twice {
			return nil, &FileError{File: q.file, Line: t.headerLine, Column: i + 1, Problem: fmt.Sprintf("the header names this column as it names column %d", first+1),
				Want: "distinct names", Remedy: "rename or remove one of them"}
		}
		positions[name] = i
	}
	return positions, nil
}

func missingColumn(q request, t *table, what, name string) error {
	if slices.Contains(q.passed, name) {
		return &FileError{File: q.file, Line: t.headerLine, Problem: fmt.Sprintf("the table has no column %q", name), Want: "each column of --pass-through", Remedy: "mend its name or leave it out"}
	}
	if _, resolving := q.sink.(*headerSink); q.schema.Patterns != nil && what == "column" && !resolving { // Resolve says which column it is
		return &FileError{File: q.file, Line: t.headerLine, Problem: "the header has no column with the name of a column of the table that gave patterns their names",
			Want: "every column of the schema", Remedy: "mend the header or use the schema of this table"}
	}
	if t.database {
		return &FileError{File: q.file, Problem: fmt.Sprintf("there is no %s %q", what, name), Want: "every column of the schema", Remedy: "name it so in the query, or use the schema of this table"}
	}
	return &FileError{File: q.file, Line: t.headerLine, Problem: fmt.Sprintf("the header has no %s %q", what, name),
		Want: "every column of the schema", Remedy: "mend the header or use the schema of this table"}
}
