package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
// resolved columns follow the other columns, in the order of the table. Patterns is then empty. It is
// not nil if the names stand only in the header of a file, which may hold a record by mistake.
//
// The error is the error that Read would return before it reads the first record. Examples are a
// file that is missing, and a header that does not match the schema. An undeclared column of o.Extra
// is an error too. No error quotes a name that a pattern takes from the header of a file. Resolve
// opens every file of the table.
func Resolve(ctx context.Context, s *Schema, src Source, o ReadOptions) (*Schema, error) {
	if len(s.Patterns) == 0 {
		err := checkTables(ctx, s, src, o)
		if s.Patterns != nil {
			err = withoutNames(err, sources(s.ownColumns()), "a column of the table that gave patterns their names")
		}
		return s, err
	}
	if f := s.faultOfTable(); f != nil {
		return nil, s.failure(f)
	}
	names, err := columnNames(ctx, s, src, o)
	if err != nil {
		return nil, err
	}
	h := header{names: names, public: s.Header != nil || src.Columns != nil || src.Database != nil}
	out, err := s.resolved(h)
	if err != nil {
		return nil, err
	}
	if err = checkTables(ctx, out, src, o); !h.public {
		err = withoutNames(err, s.taken(names), "column %d of the first header")
	}
	return out, err
}

// header is the names of the columns of a table. They are public if they stand in the schema or in a
// database, and not in a line of a file.
type header struct {
	names  []string
	public bool
}

// remedy returns what the user can do about a name, or about a header that is a record.
func (h header) remedy(remedy string) string {
	if h.public {
		return remedy
	}
	return remedy + "; if the first line is a record, name the columns in brackets with header: in the schema"
}

// withoutNames returns an error whose text has words in place of each of the names in quotation marks.
// The words may hold %d for the position of the name.
func withoutNames(err error, names []string, words string) error {
	if err == nil {
		return nil
	}
	hide := func(text string) string {
		for i, name := range names {
			if name == "" {
				continue
			}
			quoted, shown := strconv.Quote(name), strings.ReplaceAll(words, "%d", strconv.Itoa(i+1))
			if strings.Contains(text, quoted) {
				text = strings.ReplaceAll(text, "no column "+quoted, "no column with the name of "+shown)
				text = strings.ReplaceAll(strings.ReplaceAll(text, "column "+quoted, shown), quoted, shown)
			}
		}
		return text
	}
	if e, is := err.(*FileError); is {
		shown := *e
		shown.Problem = hide(e.Problem)
		return &shown
	}
	if text := hide(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// taken returns the names of the columns of a table, with "" in place of each that the schema has.
func (s *Schema) taken(names []string) []string {
	declared := s.declaredNames()
	out := slices.Clone(names)
	for i, name := range out {
		if declared[name] {
			out[i] = ""
		}
	}
	return out
}

// declaredNames returns the names of the columns that the schema declares without a pattern.
func (s *Schema) declaredNames() map[string]bool {
	declared := map[string]bool{s.Target.Column: true}
	for _, name := range sources(s.ownColumns()) {
		declared[name] = true
	}
	return declared
}

// match returns the pattern that declares each column of a table, or -1.
func (s *Schema) match(h header) ([]int, error) {
	declared := s.declaredNames()
	matches, first := make([]int, len(h.names)), map[string]int{}
	for at, name := range h.names {
		matches[at] = -1
		if declared[name] {
			continue
		}
		for i := range s.Patterns {
			if !matchesPattern(s.Patterns[i].Name, name) {
				continue
			}
			if found := matches[at]; found >= 0 {
				return nil, s.patternFailure(i, fmt.Sprintf("column %d of the header matches the patterns %q and %q", at+1, s.Patterns[found].Name, s.Patterns[i].Name),
					"one pattern for each column", h.remedy("declare the column in a line of its own, or mend a pattern"))
			}
			matches[at] = i
		}
		if matches[at] < 0 {
			continue
		}
		if f := faultName("", name, ""); f != nil {
			problem, cut := strings.CutPrefix(f.problem, fmt.Sprintf(" %q ", name))
			if !cut {
				problem = "is not plain"
			}
			return nil, s.patternFailure(matches[at], fmt.Sprintf("the name of column %d of the header %s", at+1, problem), f.want, h.remedy("rename the column in the file"))
		}
		if other, twice := first[name]; twice {
			return nil, s.patternFailure(matches[at], fmt.Sprintf("column %d of the header has the name of column %d", at+1, other+1), "distinct names", h.remedy("rename or remove one of them"))
		}
		first[name] = at
	}
	return matches, nil
}

// resolved returns the schema with its patterns replaced by names.
func (s *Schema) resolved(h header) (*Schema, error) {
	matches, err := s.match(h)
	if err != nil {
		return nil, err
	}
	names := make([][]string, len(s.Patterns))
	for at, i := range matches {
		if i >= 0 {
			names[i] = append(names[i], h.names[at])
		}
	}
	columns := make([][]Column, len(s.Patterns))
	for i := range s.Patterns {
		if names[i] == nil {
			return nil, s.patternFailure(i, fmt.Sprintf("no column matches the pattern %q, apart from those that other lines declare", s.Patterns[i].Name), "a pattern of names in the table", h.remedy("mend it, or remove it"))
		}
		columns[i] = namedColumns(s.Patterns[i], names[i])
	}
	var matched []Column
	for _, i := range matches { // the order of the table
		if i < 0 {
			continue
		}
		n := len(columns[i]) / len(names[i])
		matched, columns[i], names[i] = append(matched, columns[i][:n]...), columns[i][n:], names[i][1:]
	}
	if len(s.Columns)+len(matched) > maxColumns {
		return nil, s.patternFailure(0, "the schema has too many columns", fmt.Sprintf("at most %d", maxColumns), "ignore columns")
	}
	out := *s
	own := len(s.ownColumns())
	out.Columns = slices.Concat(s.Columns[:own], matched, s.Columns[own:])
	out.Patterns, out.patternPlaces = []Column{}, nil
	if h.public {
		out.Patterns = nil
	}
	if f := out.faultOfTable(); f != nil {
		return nil, s.faultResolved(f, h, matches, matched)
	}
	return &out, nil
}

// faultResolved returns the error for a fault that matched columns bring into a schema without faults.
func (s *Schema) faultResolved(f *fault, h header, matches []int, matched []Column) error {
	for _, c := range slices.Backward(matched) { // the later of two is at fault
		if placeColumn(c.Name) != f.place {
			continue
		}
		at := slices.Index(h.names, c.source())
		problem := fmt.Sprintf("column %d of the header gives the schema too many values in a row", at+1)
		if strings.HasSuffix(f.problem, " is declared twice") {
			problem = fmt.Sprintf("column %d of the header has the name of another column, or a part of its date has", at+1)
		}
		return s.patternFailure(matches[at], problem, f.want, h.remedy("declare the column in a line of its own, or rename it"))
	}
	return s.patternFailure(0, "the schema is refused with the columns that match its patterns", f.want, h.remedy("declare these columns in lines of their own"))
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
