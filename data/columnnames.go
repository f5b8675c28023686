package data

import (
	"fmt"
	"slices"
	"strings"
)

// headerNone is the header, in a schema file, of a table without names. Its columns are the
// schema's columns, in order, and the target last.
const headerNone = "none"

// expandNames returns the names in a list that may have ranges: x[0:3] is x0, x1, x2. An error
// names the entry that is not a range of names.
func expandNames(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		prefix, from, to, isRange := parseRange(name)
		if !isRange {
			out = append(out, strings.TrimSpace(name))
			continue
		}
		if prefix == "" || from >= to || to-from > maxColumns-len(out) {
			return nil, fmt.Errorf("data: column range is %q, want name[from:to] with from less than to and at most %d columns; mend it", name, maxColumns)
		}
		for _, c := range repeatColumn(Column{Name: prefix}, from, to) {
			out = append(out, c.Name)
		}
	}
	return out, nil
}

// faultHeader returns why names cannot be the columns of a table without a header, or nil.
func faultHeader(names []string) *fault {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if f := faultName("column name", name, "header"); f != nil {
			return f
		}
		if seen[name] {
			return &fault{"header", fmt.Sprintf("header names %q twice", name), "each column once", "remove one of the two"}
		}
		seen[name] = true
	}
	return nil
}

// faultHeader returns why the header cannot be used, or nil.
func (s *Schema) faultHeader() *fault {
	if f := faultHeader(s.Header); f != nil || s.Header == nil {
		return f
	}
	if len(s.Header) == 0 {
		return &fault{"header", "header is empty", "the names of the columns in the order of the file, or none", "name them"}
	}
	names := make(map[string]bool, len(s.Header))
	for _, name := range s.Header {
		names[name] = true
	}
	for _, c := range s.ownColumns() {
		if c.Kind != Ignored && !names[c.source()] {
			return &fault{"header", fmt.Sprintf("header does not name column %q", c.source()), "every column of the schema", "add it where it stands in the file"}
		}
	}
	return nil
}

// allNames returns the names of the columns of the schema, and the target's last.
func (s *Schema) allNames() []string {
	return append(sources(s.ownColumns()), s.Target.Column)
}

// nameColumns gives a table without a header its names. Where the target is not read, the table may
// lack its column too. A first row that holds the names themselves is refused: it is a header.
func (t *table) nameColumns(q request, names, first []string) error {
	if f := faultHeader(names); f != nil {
		return &FileError{File: t.file, Problem: f.problem, Want: f.want, Remedy: f.remedy}
	}
	if at := slices.Index(names, q.schema.Target.Column); q.withoutTarget && at >= 0 && len(first) == len(names)-1 {
		names = slices.Delete(slices.Clone(names), at, at+1)
	}
	matches := len(first) == len(names)
	for i := 0; matches && i < len(names); i++ {
		matches = strings.TrimSpace(first[i]) == names[i]
	}
	if matches {
		return &FileError{File: t.file, Line: 1, Problem: "the first row holds the names of the columns", Want: "a table without a header, since its columns are named elsewhere", Remedy: "leave out Source.Columns, or header: in the schema"}
	}
	t.header, t.headerLine, t.nextLine, t.named = names, 0, 1, true
	return nil
}
