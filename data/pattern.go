package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/format"
)

// isPattern reports whether a key declares columns by a pattern of their names.
func isPattern(key string) bool { return strings.Contains(key, "*") }

// matchesPattern reports whether a name has the form of a pattern, whose stars stand for any
// characters or none.
func matchesPattern(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	return true
}

// addPattern appends a declaration by a pattern.
func (p *schemaParser) addPattern(e entry, c Column) error {
	if faultName("", strings.ReplaceAll(e.key, "*", "x"), "") != nil {
		return p.fail(e.name, fmt.Sprintf("column pattern is %q", e.key), "plain names with stars for any characters, such as lab_*", "mend it")
	}
	c.Name = e.key
	p.schema.Patterns = append(p.schema.Patterns, c)
	p.schema.patternPlaces = append(p.schema.patternPlaces, FileError{File: p.file, Line: e.name.Line, Column: e.name.Column})
	return nil
}

// faultPatterns returns the first reason why a column that is declared by a pattern cannot be used, or
// nil.
func (s *Schema) faultPatterns() *fault {
	marks := s.Marks()
	for i := range s.Patterns {
		c := s.Patterns[i]
		if c.Date != nil {
			c = dateColumns(c)[0]
		}
		if f := c.fault(marks); c.Kind == 0 || f != nil {
			if f == nil || c.Kind == 0 {
				f = &fault{problem: "it is not declared", want: declareColumn, remedy: "declare it from public knowledge"}
			}
			f.place, f.problem = placePattern(s.Patterns[i].Name), fmt.Sprintf("column %q: %s", s.Patterns[i].Name, f.problem)
			return f
		}
	}
	return nil
}

// unresolved returns why a schema with patterns cannot be used for a table, or nil.
func (s *Schema) unresolved() *fault {
	if len(s.Patterns) == 0 {
		return nil
	}
	return &fault{"", fmt.Sprintf("columns are declared by the pattern %q", s.Patterns[0].Name), "their names", "call data.Resolve, which takes the names from a table"}
}

func placePattern(pattern string) string { return "pattern " + pattern }

// patternFailure returns an error about a pattern with its place.
func (s *Schema) patternFailure(i int, problem, want, remedy string) error {
	e := FileError{File: "schema"}
	if i < len(s.patternPlaces) {
		e = s.patternPlaces[i]
	}
	e.Problem, e.Want, e.Remedy = problem, want, remedy
	return &e
}

// Resolve returns the schema under which a table is read: each pattern of the schema is replaced by
// declarations of the columns whose names match it. A column matches at most one pattern, and no
// pattern if another line declares it. Resolve reads the names of the columns, and no record. The
// resolved columns follow the other columns, in the order of the table.
//
// The error is the error that Read would return before it reads the first record. Examples are a
// file that is missing, and a header that does not match the schema. An undeclared column of o.Extra
// is an error too. Resolve opens every file of the table.
func Resolve(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Schema, error) {
	if len(s.Patterns) > 0 {
		names, err := columnNames(ctx, s, src, o)
		if err == nil {
			s, err = s.resolved(names)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, checkTables(ctx, s, src, o)
}

// resolved returns the schema with its patterns replaced by names.
func (s *Schema) resolved(names []string) (*Schema, error) {
	out := *s
	own := len(s.ownColumns())
	declared := map[string]bool{s.Target.Column: true}
	for _, name := range sources(s.Columns[:own]) {
		declared[name] = true
	}
	matches, used := make([][]string, len(s.Patterns)), make([]bool, len(s.Patterns))
	var order []int // the pattern of each matched name
	for _, name := range names {
		found := -1
		for i := range s.Patterns {
			switch {
			case declared[name] || !matchesPattern(s.Patterns[i].Name, name):
			case found >= 0:
				return nil, s.patternFailure(i, fmt.Sprintf("column %q matches the patterns %q and %q", name, s.Patterns[found].Name, s.Patterns[i].Name), "one pattern for each column", "declare the column in a line of its own, or mend a pattern")
			default:
				found = i
			}
		}
		if found < 0 {
			continue
		}
		matches[found], used[found], order = append(matches[found], name), true, append(order, found)
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, s.patternFailure(i, fmt.Sprintf("no column matches the pattern %q, apart from those that other lines declare", s.Patterns[i].Name), "a pattern of names in the table", "mend it, or remove it")
	}
	columns := make([][]Column, len(s.Patterns))
	for i, own := range matches {
		columns[i] = namedColumns(s.Patterns[i], own)
	}
	var matched []Column
	for _, i := range order { // the order of the table
		n := len(columns[i]) / len(matches[i])
		matched, columns[i], matches[i] = append(matched, columns[i][:n]...), columns[i][n:], matches[i][1:]
	}
	if len(s.Columns)+len(matched) > maxColumns {
		return nil, s.patternFailure(0, "the schema has too many columns", fmt.Sprintf("at most %d", maxColumns), "ignore columns")
	}
	out.Columns = slices.Concat(s.Columns[:own], matched, s.Columns[own:])
	out.Patterns, out.patternPlaces = nil, nil
	return &out, nil
}

// columnNames returns the names of the columns of a table.
func columnNames(ctx context.Context, s *Schema, src Source, o ReadOptions) ([]string, error) {
	if src.Path == "-" && src.Database == nil {
		return nil, s.patternFailure(0, "columns are declared by patterns and the table is standard input, which is read once", "a file or a database", "name the file")
	}
	if src.Database == nil && format.IsParts(src.Path) {
		parts, err := partsOf(src.Path)
		if err != nil {
			return nil, err
		}
		src = parts[0].source(src)
	}
	own := s.own()
	own.Patterns = nil
	o.Extra, o.WithoutTarget = nil, true
	q, _ := makeRequest(own, src.Path, src.Delimiter, o)
	var names []string
	q.seen, q.sink = &names, &headerSink{cancel: func() {}}
	if err := scan(ctx, q, src); !errors.Is(err, errDescribed) {
		if err == nil {
			err = refusePatterns(q, "a table without names")
		}
		return nil, err
	}
	return names, nil
}

// refusePatterns returns the error of a table whose columns have no names, where patterns look for
// names.
func refusePatterns(q request, what string) error {
	if q.seen == nil {
		return nil
	}
	return &FileError{File: q.file, Problem: "the schema declares columns by patterns and the file is " + what, Want: "a table with the names of its columns, as CSV or Parquet", Remedy: "declare each column, or a range such as x[0:10]"}
}
